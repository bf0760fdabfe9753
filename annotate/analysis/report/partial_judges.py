"""Tell which judges were asked of a part of the items only, which need not be like the others."""

from __future__ import annotations

from annotate.store.scores.judge_totals import JudgeTotals

# Chosen: a judge that was not asked of one item in fifty is still compared on the same traffic.
LEAST_TRIED = 0.98


def is_partial(judge: JudgeTotals, items: int) -> bool:
    """Whether a judge has tried fewer items than it takes to compare it with a rule on all of them."""
    return judge.tried < LEAST_TRIED * items
