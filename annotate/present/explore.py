"""Say what holds at a threshold that is looked at, beside the one in force, and what every other threshold would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from annotate.analysis.calibration.explore import AtThreshold
from annotate.analysis.calibration.labelled_scores import ScoresByLabel
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, Listing, Message, Number, message, share
from annotate.present.document import Figure, Figures
from annotate.present.guarantee import scope
from annotate.present.quantity import is_whole, quantity
from proxy.evaluation.bands import Strip
from proxy.evaluation.curves import CurvePoint
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.guarantee import Guarantee

Value = TypeVar("Value")
CARDS = ("pass_precision", "pass_rate", "let_through", "sensitivity", "specificity", "kappa")
# Chosen: what a listener of a screen reader keeps in mind of a chart.
NAMED, FULLEST = 5, 3


def estimate_at(at: AtThreshold, name: str) -> Estimate:
    """Return a quantity at a threshold by its name."""
    beside = {"pass_rate": at.pass_rate, "let_through": at.per_thousand}
    estimate: Estimate = beside.get(name) or getattr(at.agreement, name)
    return estimate


def figures(here: AtThreshold, in_force: AtThreshold) -> Figures:
    """Give every quantity at this threshold, and what it is at the one in force."""
    return Figures(tuple(_figure(here, in_force, name) for name in CARDS))


def which(here: AtThreshold, in_force: AtThreshold, guarantee: Guarantee | None) -> Message:
    """Say which threshold is looked at, and which is in force."""
    if not here.is_in_force:
        return message("calibration.is_another", threshold=_threshold(here), before=_threshold(in_force))
    if here.silent and guarantee:
        claims = scope(guarantee)
        return message("calibration.is_in_force_silent", threshold=_threshold(here), n=here.silent, claims=claims)
    return message("calibration.is_in_force", threshold=_threshold(here))


def curves(over: Sequence[tuple[float, AtThreshold]]) -> Message:
    """Say what a few of the thresholds would do."""
    return message("calibration.curves_alt", lines=_listed([_line(at) for _, at in _few(over)]))


def roc(points: Sequence[CurvePoint]) -> Message:
    """Say where a few points of the ROC curve lie."""
    return message("calibration.roc_alt", points=_points(points, "calibration.roc_point"))


def precision_recall(points: Sequence[CurvePoint]) -> Message:
    """Say where a few points of the precision-recall curve lie."""
    return message("calibration.pr_alt", points=_points(points, "calibration.pr_point"))


def auroc(estimate: Estimate) -> Message | str | None:
    """Say how well the value ranks, or why that is not known."""
    if estimate.estimate is None:
        return estimate.reason
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
                median=Number(column.median, Kind.THRESHOLD),
                low=Number(column.low, Kind.THRESHOLD),
                high=Number(column.high, Kind.THRESHOLD),
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


def _figure(here: AtThreshold, in_force: AtThreshold, name: str) -> Figure:
    figure = quantity(name, estimate_at(here, name), is_exact=is_whole(here.agreement))
    before = Number(estimate_at(in_force, name).estimate, figure.kind)
    return figure if here.is_in_force else figure._replace(lines=(message("calibration.before", value=before),))


def _threshold(at: AtThreshold) -> Number:
    return Number(at.rule.threshold, Kind.THRESHOLD)


def _line(at: AtThreshold) -> Message:
    names = {"passed": "pass_rate", "precision": "pass_precision"} | {
        each: each for each in ("sensitivity", "specificity")
    }
    shares = {word: share(estimate_at(at, name).estimate) for word, name in names.items()}
    return message("calibration.curve_at", threshold=_threshold(at), **shares)


def _points(points: Sequence[CurvePoint], key: str) -> Listing:
    return _listed(
        [
            message(
                key,
                threshold=Number(point.threshold, Kind.THRESHOLD),
                sensitivity=share(point.sensitivity),
                false_pass=share(point.false_pass),
                precision=share(point.precision),
            )
            for point in _few([point for point in points if point.precision is not None])
        ]
    )


def _stretch(count: int, stretch: Strip) -> Message:
    low, high = Number(stretch.low, Kind.THRESHOLD), Number(stretch.high, Kind.THRESHOLD)
    return message("calibration.stretch", low=low, high=high, n=count)


def _few(values: Sequence[Value]) -> Sequence[Value]:
    return values[:: max(1, len(values) // NAMED)]


def _listed(parts: Sequence[Message]) -> Listing:
    return Listing(tuple(parts), "values.semicolon")
