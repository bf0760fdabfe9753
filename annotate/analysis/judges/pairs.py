"""Measure how far any two judges agree on all the answers that both have scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotate.analysis.judges.table import JudgeRow
from annotate.store import Store
from annotate.store.scores.judge_pairs import Judged
from proxy.evaluation.judge_agreement import JudgePair, pair_of

MOST = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """Two judges, each passing above its own threshold, and what their scores of the same answers have in common."""

    one: JudgeRow
    other: JudgeRow
    found: JudgePair


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedJudges:
    """The judges in use, two by two, and each signature beside the one before it; `left_out` judges were too many to pair."""

    between: Sequence[Beside]
    versions: Sequence[Beside]
    left_out: int


def build(store: Store, rows: Sequence[JudgeRow]) -> PairedJudges:
    """Count all traffic once for the judges in use and for the signatures before them."""
    in_use = [row for row in rows if row.is_in_use]
    steps = [
        (before, after)
        for judge in dict.fromkeys(row.totals.judge for row in rows)
        for before, after in pairwise(row for row in rows if row.totals.judge == judge)
    ]
    paired, newest = in_use[:MOST], steps[-MOST:]
    rows_by_key = {row.totals.key: row for row in (*paired, *(version for step in newest for version in step))}
    judges = [Judged(key, rows_by_key[key].alone.rule.threshold) for key in sorted(rows_by_key)]
    sums = {(first.key, second.key): counts for first, second, counts in store.scores.judge_pairs.sums(judges)}

    def beside(row: JudgeRow, other_row: JudgeRow) -> Beside:
        first, second = sorted((row, other_row), key=lambda judge_row: judge_row.totals.key)
        return Beside(one=first, other=second, found=pair_of(sums[first.totals.key, second.totals.key]))

    return PairedJudges(
        between=[beside(row, other) for place, row in enumerate(paired) for other in paired[place + 1 :]],
        versions=[beside(before, after) for before, after in newest],
        left_out=len(in_use) - len(paired),
    )
