"""Choose the four figures that head the app, each with the interval that its limit is held against, and the ends of its bar."""

from __future__ import annotations

import math
from typing import NamedTuple

from annotate.analysis.report.head import ReportHead
from annotate.domain.message import Between, EvidenceText, Kind, Message, Number, Value, message
from annotate.present.quantity import is_weighted, is_whole, kind_of
from annotate.present.report.figures import label_counts
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate

SHARES = ("pass_precision", "correctness")
PER_THOUSAND = "let_through"
HALF = 0.5
STEPS = (1, 2, 5, 10)


class FigureBar(NamedTuple):
    """A picture of a figure: `low` to `high` is its interval, from `first` to `last` its scale, with a tick at `limit`."""

    value: float
    low: float
    high: float
    first: float
    last: float
    limit: float | None = None
    ends: tuple[Value, Value, Value] = (None, None, None)


class Tile(NamedTuple):
    """A figure by its name in the JSON: what it is called, its value, what stands beside it, and its bar.

    `reason` is why it is not measurable, `help` what its number counts and that of the others leaves out, `below` what must be
    read with it.
    """

    name: str
    label: Value
    value: Value
    beside: Value
    bar: FigureBar | None
    reason: str | None = None
    help: Message | None = None
    below: Message | None = None


def tiles(report: ReportHead) -> tuple[Tile, ...]:
    """Return the tiles: right among the passed, right among all, wrong but passed of 1,000, and labels."""
    limits = {"pass_precision": report.trust.limit}
    shares = (_share(report, name, limits.get(name)) for name in SHARES)
    return (*shares, _let_through(report), _labels(report))


def _share(report: ReportHead, name: str, limit: float | None) -> Tile:
    estimate = getattr(report.agreement, name)
    ends = [value for value in (estimate.estimate, *interval_of(estimate), limit) if value is not None]
    first = HALF if ends and min(ends) >= HALF else 0.0
    return tile(name, estimate, report.agreement, first=first, last=1.0, limit=limit)


def _let_through(report: ReportHead) -> Tile:
    """How many of 1,000 answers are wrong and pass, beside the share of right ones that do."""
    estimate = report.false_passes.times(1000)
    ends = [value for value in (estimate.estimate, *interval_of(estimate)) if value is not None]
    last = round_up(max(ends)) if ends else 1000.0
    sensitivity = report.agreement.sensitivity
    below = message("overview.tile_right_pass_unknown")
    if sensitivity.estimate is not None:
        below = message("overview.tile_right_pass", share=EvidenceText(sensitivity, Kind.SHARE))
    return tile(PER_THOUSAND, estimate, report.agreement, first=0.0, last=last, limit=None)._replace(below=below)


def tile(
    name: str,
    estimate: Estimate,
    agreement: AgreementReport,
    *,
    first: float,
    last: float,
    limit: float | None,
    is_counted: bool = False,
) -> Tile:
    """Make the tile of a quantity: its value, its interval as a bar from `first` to `last`, and what it rests on.

    One that is counted rests on all answers, and on no label.
    """
    kind, value, (low, high) = kind_of(name), estimate.estimate, interval_of(estimate)
    label = message(f"measures.{name}")
    if value is None:
        return Tile(name, label, None, message("overview.not_measurable"), None, estimate.reason)
    weighs = is_weighted(agreement) and not is_counted
    count: Value = message("overview.tile_weighted" if weighs else "overview.tile_n", n=estimate.n)
    beside = count
    if low is None or high is None:
        return Tile(name, label, Number(value, kind), beside, None)
    if low == high and not is_counted and is_whole(agreement):
        beside = message("overview.tile_all", n=estimate.n)
    elif low < high:  # else it is counted, and n says it all
        beside = message("overview.tile", span=Between(low, high, kind), count=count)
    middle = None if limit is None else message("overview.tile_limit", limit=Number(limit, kind))
    ends = (Number(first, kind), middle, Number(last, kind))
    return Tile(name, label, Number(value, kind), beside, FigureBar(value, low, high, first, last, limit, ends))


def interval_of(estimate: Estimate) -> tuple[float | None, float | None]:
    """Return the interval that limits are held against: for the long run, else for this window."""
    return estimate.long_run or (estimate.low, estimate.high)


def _labels(report: ReportHead) -> Tile:
    """How many drawn answers have a label, how many more would settle the verdict, and on which the other figures rest."""
    progress, needed = report.progress, report.trust.needed
    count, more = progress.labelled, needed.more if needed and not needed.is_early else None
    beside: Value = message("overview.tile_drawn", drawn=progress.drawn)
    if progress.unsure:
        beside = message("overview.tile_drawn_unsure", drawn=progress.drawn, count=progress.unsure)
    if more:
        left = needed.left if needed else None
        key = "overview.tile_more" if left is None else "overview.tile_more_left"
        beside = message(key, count=more, left=left or 0)
    total = count + more if more else progress.drawn
    last = round_up(total) if more else float(total)
    ends = (0, total if more else None, None) if more else (0, None, progress.drawn)
    return Tile(
        "labels",
        message("overview.labels"),
        count,
        beside,
        FigureBar(count, 0.0, count, 0.0, last, total if more else None, ends) if total else None,
        help=label_counts(report),
        below=_decided(report),
    )


def _decided(report: ReportHead) -> Message | None:
    """Return how many labels say right or wrong, and what the proxy said of them: the n of every other figure."""
    counts, decided = report.agreement.counts, report.agreement.correctness.n
    if not decided:
        return None
    passed, failed = counts.right_pass + counts.wrong_pass, counts.right_fail + counts.wrong_fail
    left = decided - passed - failed
    key = "overview.tile_decided_left" if left > 0 else "overview.tile_decided"
    return message(key, decided=decided, passed=passed, failed=failed, left=left)


def round_up(value: float) -> float:
    """Return the first of 1, 2, 5, 10, 20 … that is not below the value."""
    power = 10.0 ** math.floor(math.log10(max(value, 1.0)))
    return next(step * power for step in STEPS if step * power >= value)
