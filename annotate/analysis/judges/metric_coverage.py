"""Say on how many items a judge or metric has a score, and why not on the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotate.domain.reasons import RefusalReason, together
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.evaluation.candidates import is_reference_based
from proxy.judges.base import Judge


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricCoverage:
    """A judge or metric on the current items.

    Attributes
    ----------
    judge
        Its name, such as `ndcg@10`.
    scored, items
        The items that have a value, and all.
    mean
        The mean of these values, counted and not estimated; None without any.
    reasons
        Why the others have none, the commonest first.
    """

    judge: str
    scored: int
    items: int
    mean: float | None
    reasons: tuple[RefusalReason, ...]


def metric_coverage(store: Store, judges: Sequence[Judge]) -> tuple[MetricCoverage, ...]:
    """Count the items on which those of these judges ran that need a reference or relevant ids."""
    return tuple(_coverage(store, [judge for judge in judges if is_reference_based(judge.name)]))


def coverage_of(store: Store, total: JudgeTotals, items: int, selection: Selection | None = None) -> MetricCoverage:
    """Give what one judge scored of all items, or of a selection; its totals are of the same."""
    reasons = together(store.scores.failure_reasons(total.key, selection)) if total.failed else ()
    return MetricCoverage(judge=total.judge, scored=total.scored, items=items, mean=total.mean, reasons=reasons)


def _coverage(store: Store, judges: Sequence[Judge]) -> Iterator[MetricCoverage]:
    items = store.traffic.items.count()
    totals = {(total.judge, total.signature): total for total in store.scores.by_judge()}
    for judge in judges:
        total = totals.get((judge.name, judge.signature), JudgeTotals(0, judge.name, judge.signature, 0, 0, None))
        yield coverage_of(store, total, items)
