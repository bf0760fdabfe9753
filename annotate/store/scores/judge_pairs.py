"""Compare judges on the same answers: sums over all traffic, and answers that were scored more than once.

Sums are taken block by block, so memory stays flat whatever the number of items, and are kept until items or scores change.

Match the scores of two judges on the same items, with what the items share and their time. The rule: only current items that
both have scored, in the order of their rows; a sample of them is the same for the same seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.database import Room
from annotate.store.engine.item_fields import FIELDS
from annotate.store.engine.rollups import CountingRoom, Row
from proxy.evaluation.judge_agreement import NOTHING, Sums, sums_of
from proxy.evaluation.ledger import numbered

BLOCK = 50_000
Numbers = NDArray[np.float64]
# Of texts that came more often the first two count: one pair a text.
TWINS = """
    SELECT key, other FROM (SELECT key, row_number() OVER alike AS place, lead(key) OVER alike AS other FROM items
        WHERE is_current AND forgotten_at IS NULL WINDOW alike AS (PARTITION BY content_hash, language ORDER BY key))
    WHERE place = 1 AND other IS NOT NULL ORDER BY key LIMIT ?
"""
BOTH = """
    FROM scores a JOIN scores b ON b.item = a.item AND b.judge = ? JOIN items i ON i.key = a.item
    WHERE a.judge = ? AND is_current
"""
VALUES = "SELECT value FROM scores s JOIN items i ON i.key = s.item WHERE s.judge = ? AND is_current"


class Judged(NamedTuple):
    """A judge by its row, and the threshold above which it passes."""

    key: int
    threshold: float


class JudgePairs(CountingRoom):
    """Read items and scores."""

    def sums(self, judges: Sequence[Judged]) -> list[tuple[Judged, Judged, Sums]]:
        """Return what any two of these judges say of the current items that both have scored."""
        question = json.dumps(list(judges))
        rows = self._rollups.get("judge pairs", ("items", "scores"), question, lambda: self._count(judges))
        pairs = combinations(judges, 2)
        return [
            (first, second, Sums(*(float(value or 0) for value in row)))
            for (first, second), row in zip(pairs, rows, strict=True)
        ]

    def both(self, first: int, other: int, most: int) -> tuple[Numbers, Numbers]:
        """Return both scores of so many current items that the judges in these two rows have scored, in the store's order."""
        query = (
            "SELECT a.value, b.value FROM scores a CROSS JOIN scores b ON b.judge = ? AND b.item = a.item "
            "CROSS JOIN items i ON i.key = a.item AND i.is_current WHERE a.judge = ? ORDER BY a.item LIMIT ?"
        )
        return _columns(self._traffic.execute(query, (other, first, most)).fetchall())

    def twins(self, most: int) -> list[tuple[int, int]]:
        """List at most so many pairs of current items that are the same in every word that a judge reads."""
        rows = self._rollups.get(
            "twins", ("items",), str(most), lambda: self._traffic.execute(TWINS, (most,)).fetchall()
        )
        return [(int(first or 0), int(second or 0)) for first, second in rows]

    def of_twins(self, judge: int, twins: Sequence[tuple[int, int]]) -> tuple[Numbers, Numbers]:
        """Return the two scores of each pair under the judge in this row, where it gave both."""
        query = (
            "SELECT a.value, b.value FROM json_each(?1) p "
            "CROSS JOIN scores a ON a.judge = ?2 AND a.item = json_extract(p.value, '$[0]') "
            "CROSS JOIN scores b ON b.judge = ?2 AND b.item = json_extract(p.value, '$[1]') ORDER BY a.item"
        )
        return _columns(self._traffic.execute(query, (json.dumps(twins), judge)).fetchall())

    def some_scored(self, judge: int, most: int) -> list[tuple[int, float]]:
        """Pick so many current items with the judge's score, spread evenly over the scored items that are not forgotten."""
        ends = "SELECT min(item), max(item) FROM scores WHERE judge = ?"
        low, high = self._traffic.execute(ends, (judge,)).fetchone()
        if low is None:
            return []
        query = (
            "SELECT s.item, s.value FROM scores s CROSS JOIN items i ON i.key = s.item AND i.is_current "
            "AND i.forgotten_at IS NULL WHERE s.judge = ? AND s.item >= ? ORDER BY s.item LIMIT 1"
        )
        starts = [int(start) for start in np.linspace(low, high, most)]
        rows = [row for start in starts for row in self._traffic.execute(query, (judge, start))]
        return sorted({(int(item), float(value)) for item, value in rows})

    def _count(self, judges: Sequence[Judged]) -> list[Row]:
        sums = [NOTHING] * (len(judges) * (len(judges) - 1) // 2)
        for scores in self._blocks(judges):
            pairs = combinations(zip(judges, scores, strict=True), 2)
            sums = [
                before.plus(sums_of(x, y, first.threshold, second.threshold))
                for before, ((first, x), (second, y)) in zip(sums, pairs, strict=True)
            ]
        return [tuple(pair_sums) for pair_sums in sums]

    def _blocks(self, judges: Sequence[Judged]) -> Iterator[Sequence[Numbers]]:
        """Yield the scores of a range of items under each judge; nan where there is none, or the item is not current."""
        last = self._traffic.execute("SELECT coalesce(max(key), 0) FROM items").fetchone()[0]
        of_judge = "SELECT item, value FROM scores WHERE judge = ? AND item >= ? AND item < ?"
        superseded = "SELECT key FROM items WHERE NOT is_current AND key >= ? AND key < ?"
        for start in range(0, last + 1, BLOCK):
            place = (start, start + BLOCK)
            old = [key - start for (key,) in self._traffic.execute(superseded, place)]
            columns = list[Numbers]()
            for judge in judges:
                values: Numbers = np.full(BLOCK, np.nan)
                if rows := self._traffic.execute(of_judge, (judge.key, *place)).fetchall():
                    scored = np.array(rows, dtype=np.float64)
                    values[scored[:, 0].astype(np.int64) - start] = scored[:, 1]
                values[old] = np.nan
                columns.append(values)
            yield columns


def _columns(rows: Sequence[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


class Both(NamedTuple):
    """The scores of two judges on some of the `whole` items that both scored.

    With each item's row, group, question and period ("" without).
    """

    item: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    group: NDArray[np.intp]
    question: NDArray[np.intp]
    period: NDArray[np.str_]
    whole: int


class MatchedScores(Room):
    """Read scores and items."""

    def both(self, judges: tuple[int, int], by: str, *, most: int, seed: int) -> Both:
        """Return at most so many of the items that the judges in these two rows scored, and how many there are."""
        bound = judges[::-1]
        (whole,) = self._traffic.execute(f"SELECT count(*) {BOTH}", bound).fetchone()
        query = f'SELECT a.item, a.value, b.value, i."group", i.question, {FIELDS[by]} {BOTH} ORDER BY a.item'
        rows = self._traffic.execute(query, bound)
        if whole > most:
            is_drawn = np.zeros(whole, dtype=np.bool_)
            is_drawn[np.random.default_rng(seed).choice(whole, most, replace=False)] = True
            rows = (row for row, is_kept in zip(rows, is_drawn.tolist(), strict=True) if is_kept)  # type: ignore[assignment]
        items, first, second, groups, questions, periods = list(zip(*rows, strict=True)) or [()] * 6
        return Both(
            item=np.array(items, dtype=np.int64),
            first=np.array(first, dtype=np.float64),
            second=np.array(second, dtype=np.float64),
            group=numbered(groups),
            question=numbered(questions),
            period=np.array([period or "" for period in periods], dtype=np.str_),
            whole=int(whole),
        )

    def values(self, judge: int) -> NDArray[np.float64]:
        """Return every score that the judge in this row gave a current item."""
        return np.fromiter((row[0] for row in self._traffic.execute(VALUES, (judge,))), dtype=np.float64)
