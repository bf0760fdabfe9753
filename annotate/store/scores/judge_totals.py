"""Count on how many current items each judge gave a score, and on how many it failed."""

from __future__ import annotations

from typing import NamedTuple

from annotate.store.engine.rollups import CountingRoom

JUDGES = "SELECT key, judge, signature FROM judges ORDER BY key"
OUTCOMES = """
    SELECT {{stretch}}, s.judge, count(*), sum({value}) FROM judges j
    CROSS JOIN {table} s ON s.judge = j.key AND s.item BETWEEN {{first}} AND {{last}}
    CROSS JOIN items i ON i.key = s.item AND i.is_current GROUP BY 1, 2
"""
SCORED, FAILED = OUTCOMES.format(table="scores", value="s.value"), OUTCOMES.format(table="failures", value="0")
CURRENT = "SELECT {stretch}, count(*) FROM items i WHERE i.is_current AND {among} GROUP BY 1"
# SQLite and DuckDB add numbers up in another order.
DIGITS = 12


class JudgeTotals(NamedTuple):
    """One judge's work on the current items."""

    key: int
    judge: str
    signature: str
    scored: int
    failed: int
    mean: float | None

    @property
    def tried(self) -> int:
        """Items with an outcome: a score or a failure."""
        return self.scored + self.failed


class JudgedItems(CountingRoom):
    """Read judges, items, scores and failures."""

    def totals(self) -> list[JudgeTotals]:
        """Return how many current items each judge has scored and failed on."""
        sources = ("items", "scores")
        scored = {row[0]: row[1:] for row in self._rollups.counts("scored", sources, "", SCORED)}
        failed = {row[0]: row[1] for row in self._rollups.counts("failed", sources, "", FAILED)}
        totals = list[JudgeTotals]()
        for key, judge, signature in self._db.conn.execute(JUDGES):
            count, total = scored.get(key, (0, 0.0))
            mean = round(total / count, DIGITS) if count else None
            totals.append(JudgeTotals(key, judge, signature, count, failed.get(key, 0), mean))
        return totals

    def current(self) -> int:
        """Return how many items are current."""
        ((count,),) = self._rollups.counts("current", ("items",), "", CURRENT, names=0) or ((0,),)
        return int(count)
