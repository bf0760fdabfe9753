"""Compare judges on the same answers: sums over all traffic, and answers that were scored more than once.

Sums are taken block by block, so memory stays flat whatever the number of items, and are kept until items or scores change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.rollups import Rollups, Row
from annotate.store.engine.sqlite import Database
from proxy.evaluation.judge_agreement import NOTHING, Sums, sums_of

BLOCK = 50_000
Numbers = NDArray[np.float64]
# Of texts that came more often the first two count: one pair a text.
TWINS = """
    SELECT key, other FROM (SELECT key, row_number() OVER alike AS place, lead(key) OVER alike AS other FROM items
        WHERE is_current AND forgotten_at IS NULL WINDOW alike AS (PARTITION BY content_hash, language ORDER BY key))
    WHERE place = 1 AND other IS NOT NULL ORDER BY key LIMIT ?
"""


class Judged(NamedTuple):
    """A judge by its row, and the threshold above which it passes."""

    key: int
    threshold: float


class JudgePairs:
    """Read items and scores."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rollups = Rollups(db)

    def sums(self, judges: Sequence[Judged]) -> list[tuple[Judged, Judged, Sums]]:
        """Return what any two of these judges say of the current items that both have scored."""
        question = json.dumps(list(judges))
        rows = self._rollups.get("judge pairs", ("items", "scores"), question, lambda: self._count(judges))
        pairs = combinations(judges, 2)
        return [
            (first, second, Sums(*(float(value or 0) for value in row)))
            for (first, second), row in zip(pairs, rows, strict=True)
        ]

    def both(self, one: int, other: int, most: int) -> tuple[Numbers, Numbers]:
        """Return both scores of so many current items that the judges in these two rows have scored, in the store's order."""
        query = (
            "SELECT a.value, b.value FROM scores a CROSS JOIN scores b ON b.judge = ? AND b.item = a.item "
            "CROSS JOIN items i ON i.key = a.item AND i.is_current WHERE a.judge = ? ORDER BY a.item LIMIT ?"
        )
        return _columns(self._db.conn.execute(query, (other, one, most)).fetchall())

    def twins(self, most: int) -> list[tuple[int, int]]:
        """List at most so many pairs of current items that are the same in every word that a judge reads."""
        rows = self._rollups.get(
            "twins", ("items",), str(most), lambda: self._db.conn.execute(TWINS, (most,)).fetchall()
        )
        return [(int(first or 0), int(second or 0)) for first, second in rows]

    def of_twins(self, judge: int, twins: Sequence[tuple[int, int]]) -> tuple[Numbers, Numbers]:
        """Return the two scores of each pair under the judge in this row, where it gave both."""
        query = (
            "SELECT a.value, b.value FROM json_each(?) p "
            "CROSS JOIN scores a ON a.judge = ?2 AND a.item = json_extract(p.value, '$[0]') "
            "CROSS JOIN scores b ON b.judge = ?2 AND b.item = json_extract(p.value, '$[1]') ORDER BY a.item"
        )
        return _columns(self._db.conn.execute(query, (json.dumps(twins), judge)).fetchall())

    def some_scored(self, judge: int, most: int) -> list[tuple[int, float]]:
        """Pick so many current items with the judge's score, spread evenly over the scored items that are not forgotten."""
        ends = "SELECT min(item), max(item) FROM scores WHERE judge = ?"
        low, high = self._db.conn.execute(ends, (judge,)).fetchone()
        if low is None:
            return []
        query = (
            "SELECT s.item, s.value FROM scores s CROSS JOIN items i ON i.key = s.item AND i.is_current "
            "AND i.forgotten_at IS NULL WHERE s.judge = ? AND s.item >= ? ORDER BY s.item LIMIT 1"
        )
        starts = [int(start) for start in np.linspace(low, high, most)]
        rows = [row for start in starts for row in self._db.conn.execute(query, (judge, start))]
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
        last = self._db.conn.execute("SELECT coalesce(max(key), 0) FROM items").fetchone()[0]
        of_judge = "SELECT item, value FROM scores WHERE judge = ? AND item >= ? AND item < ?"
        superseded = "SELECT key FROM items WHERE NOT is_current AND key >= ? AND key < ?"
        for start in range(0, last + 1, BLOCK):
            place = (start, start + BLOCK)
            old = [key - start for (key,) in self._db.conn.execute(superseded, place)]
            columns = list[Numbers]()
            for judge in judges:
                values: Numbers = np.full(BLOCK, np.nan)
                if rows := self._db.conn.execute(of_judge, (judge.key, *place)).fetchall():
                    scored = np.array(rows, dtype=np.float64)
                    values[scored[:, 0].astype(np.int64) - start] = scored[:, 1]
                values[old] = np.nan
                columns.append(values)
            yield columns


def _columns(rows: Sequence[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
