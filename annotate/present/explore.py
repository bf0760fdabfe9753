"""Say what holds at a threshold that is looked at, beside the one in force, and what every other threshold would do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from annotate.analysis.calibration.explore import AtThreshold
from annotate.analysis.calibration.labelled_scores import ScoresByLabel
from annotate.domain.counted import counted
from annotate.domain.message import (
    Counted,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Number,
    message,
    share,
)
from annotate.present.calibration import threshold
from annotate.present.document import Column, Status, Table
from annotate.present.guarantee import scope
from annotate.present.quantity import cell, kind_of, long_run_cell
from annotate.present.report.tiles import Tile, interval_of, round_up, tile
from proxy.evaluation.bands import Strip
from proxy.evaluation.curves import CurvePoint
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.reliability_curve import FEWEST

Value = TypeVar("Value")
CELLS = ("right_pass", "wrong_pass", "right_fail", "wrong_fail")
COUNTED = "pass_rate"  # needs no label
FIGURES = ("pass_precision", COUNTED, "let_through")
QUANTITIES = (*FIGURES, "sensitivity", "specificity", "kappa")
# Chosen: what a listener of a screen reader keeps in mind of a chart.
NAMED, FULLEST = 5, 3
SLACK = 1e-9  # a limit of 0.9 lies a tenth above 0.8, whatever its last binary digit


class FigureScale(NamedTuple):
    """The scales of the figures: shares from `lowest` to 1 with a tick at `limit`, answers of 1,000 up to `most`."""

    lowest: float
    most: float
    limit: float


class CellsToScale(NamedTuple):
    """The 2x2 table to draw: what it counts, its values in the order of CELLS, how they are written, and labels by cell."""

    title: Message
    values: Sequence[float]
    kind: Kind
    counts: Sequence[Counted]


def estimate_at(at: AtThreshold, name: str) -> Estimate:
    """Return a quantity at a threshold by its name."""
    beside = {"pass_rate": at.pass_rate, "let_through": at.per_thousand}
    estimate: Estimate = beside.get(name) or getattr(at.agreement, name)
    return estimate


def answer(in_force: AtThreshold) -> Message:
    """Say which threshold is in force."""
    return message("calibration.answer_in_force", threshold=_threshold(in_force))


def right_among_passed(in_force: AtThreshold, limit: float, verdict: Status, why: Message | None) -> Message:
    """Say whether the proxy can be trusted and why, how many passed answers are right, and the limit; or why that is unknown."""
    precision = in_force.agreement.pass_precision
    if precision.estimate is None:
        return message("calibration.answer_no_cut", threshold=_threshold(in_force), reason=precision.reason)
    evidence, answer_word = EvidenceText(precision, Kind.SHARE), message(f"overview.answer_{verdict.value}")
    key, words = ("answer_cut", {}) if why is None else ("answer_cut_why", {"why": why})
    return message(f"calibration.{key}", verdict=answer_word, precision=evidence, limit=share(limit), **words)


def figures(here: AtThreshold, scale: FigureScale) -> tuple[Tile, ...]:
    """Make the three figures of a threshold, on scales that are the same at every threshold."""
    ends = {"pass_precision": (scale.lowest, 1.0, scale.limit), COUNTED: (0.0, 1.0, None)}
    return tuple(
        tile(
            name,
            estimate_at(here, name),
            here.agreement,
            first=first,
            last=last,
            limit=limit,
            is_counted=name == COUNTED,
        )
        for name in FIGURES
        for first, last, limit in [ends.get(name, (0.0, scale.most, None))]
    )


def scale_of_figures(over: Sequence[tuple[float, AtThreshold]], limit: float) -> FigureScale:
    """Return the scales that hold every threshold's figures and intervals: of shares a tenth below, of counts a round number."""
    precisions = [at.agreement.pass_precision for _, at in over]
    shares = [end for precision in precisions for end in (precision.estimate, *interval_of(precision))]
    counts = [end for _, at in over for end in interval_of(at.per_thousand) if end is not None]
    least = min([value for value in shares if value is not None] + [limit])
    return FigureScale(max(0.0, math.floor(10 * least - 1 + SLACK) / 10), round_up(max(counts, default=1000.0)), limit)


def cells(here: AtThreshold) -> CellsToScale:
    """Give the 2x2 table of a threshold: of 1,000 answers where the design identifies it, else in labels."""
    counts, shares = here.agreement.counts, here.agreement.shares
    threshold = repr(here.rule.threshold)
    behind = [counted(getattr(counts, name), "cell-at", name, threshold) for name in CELLS]
    if shares is None:
        return CellsToScale(message("calibration.of_labels", n=counts.labels), behind, Kind.COUNT, behind)
    values = [1000 * float(part) for part in shares]
    passed, failed = counts.right_pass + counts.wrong_pass, counts.right_fail + counts.wrong_fail
    key = "calibration.of_answers_few" if min(passed, failed) < FEWEST else "calibration.of_answers"
    title = message(key, n=counts.labels, passed=passed, failed=failed)
    return CellsToScale(title, values, Kind.PER_THOUSAND, behind)


def quantities(here: AtThreshold, in_force: AtThreshold) -> Table:
    """Give every quantity at this threshold, beside what it is at the one in force."""
    shown = [here] if here.is_in_force else [here, in_force]
    columns = [Column(message("calibration.at", threshold=_threshold(at)), is_number=True) for at in shown]
    rows = [
        (
            message(f"measures.{name}"),
            *(long_run_cell(estimate_at(at, name), kind_of(name)) for at in shown),
        )
        for name in QUANTITIES
    ]
    return Table(
        (Column(message("calibration.quantity")), *columns), tuple(rows), message("calibration.quantities_basis")
    )


def which(here: AtThreshold, guarantee: Guarantee | None) -> Message:
    """Say which labels speak for the threshold that is looked at, and how far to trust its figures."""
    if not here.is_in_force:
        return message(
            "calibration.by_eye_certified" if here.excluded_labels else "calibration.by_eye", n=here.excluded_labels
        )
    if here.excluded_labels and guarantee:
        return message("calibration.is_in_force_silent", n=here.excluded_labels, claims=scope(guarantee))
    return message("calibration.is_in_force")


def curve(here: AtThreshold) -> Message:
    """Say what the picture of right among passed shows at the threshold that is looked at."""
    precision = EvidenceText(here.agreement.pass_precision, Kind.SHARE)
    return message("calibration.curve_alt", threshold=_threshold(here), precision=precision)


def curves(over: Sequence[tuple[float, AtThreshold]]) -> Message:
    """Say what a few of the thresholds would do."""
    return message("calibration.curves_alt", lines=_listed([_line(at) for _, at in _few(over)]))


def roc(points: Sequence[CurvePoint]) -> Message:
    """Say where a few points of the ROC curve lie."""
    return message("calibration.roc_alt", points=_points(points, "calibration.roc_point"))


def precision_recall(points: Sequence[CurvePoint]) -> Message:
    """Say where a few points of the precision-recall curve lie."""
    return message("calibration.pr_alt", points=_points(points, "calibration.pr_point"))


def auroc(estimate: Estimate, *, is_exact: bool = False) -> Message | str | None:
    """Say how well the value ranks, or why that is not known; `is_exact` where every answer is labelled."""
    if estimate.estimate is None:
        return estimate.reason
    if is_exact and estimate.low is not None:
        return message("calibration.auroc", evidence=cell(estimate, Kind.COEFFICIENT, is_exact=True, has_n=True))
    return message("calibration.auroc", evidence=EvidenceText(estimate, Kind.COEFFICIENT, IntervalBasis.WINDOW))


def scores(measured: ScoresByLabel) -> Iterator[Message | Listing]:
    """Say how a judge scores what annotators call right, wrong and unsure, and what a picture of it leaves out."""
    yield score_columns(measured)
    counts = {"n": measured.labels, "unscored": measured.unscored, "shown": len(measured.points)}
    yield message("calibration.scatter_basis", **counts)


def score_columns(measured: ScoresByLabel) -> Listing:
    """Say where the scores of each kind of label lie."""
    return _listed(
        [
            message(
                "calibration.column",
                label=message(f"calibration.{column.judgement.value}"),
                n=column.labels,
                median=threshold(column.median),
                low=threshold(column.low),
                high=threshold(column.high),
            )
            for column in measured.columns
        ]
    )


def strip(name: str, stretches: Sequence[Strip]) -> Message:
    """Say where most answers, or most labels of a kind, lie; `name` is a field of the stretches."""
    counts = [(int(getattr(stretch, name)), stretch) for stretch in stretches]
    fullest = sorted((count for count in counts if count[0]), key=lambda count: -count[0])[:FULLEST]
    return message(
        "calibration.strip_alt",
        title=message(f"calibration.strip_{name}"),
        n=sum(count for count, _ in counts),
        stretches=_listed([_stretch(count, stretch) for count, stretch in fullest]),
    )


def _threshold(at: AtThreshold) -> Number:
    return threshold(at.rule.threshold)


def _line(at: AtThreshold) -> Message:
    quantities = {"passed": "pass_rate", "precision": "pass_precision"} | {
        name: name for name in ("sensitivity", "specificity")
    }
    shares = {figure: share(estimate_at(at, quantity).estimate) for figure, quantity in quantities.items()}
    return message("calibration.curve_at", threshold=_threshold(at), **shares)


def _points(points: Sequence[CurvePoint], key: str) -> Listing:
    return _listed(
        [
            message(
                key,
                threshold=threshold(point.threshold),
                sensitivity=share(point.sensitivity),
                false_pass=share(point.false_pass),
                precision=share(point.precision),
            )
            for point in _few([point for point in points if point.precision is not None])
        ]
    )


def _stretch(count: int, stretch: Strip) -> Message:
    return message("calibration.stretch", low=threshold(stretch.low), high=threshold(stretch.high), n=count)


def _few(values: Sequence[Value]) -> Sequence[Value]:
    return values[:: max(1, len(values) // NAMED)]


def _listed(parts: Sequence[Message]) -> Listing:
    return Listing(tuple(parts), "values.semicolon")
