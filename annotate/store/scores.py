"""What judges said: scores and failures by (item, judge, signature), each kept once and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from annotate.store.database import from_column, to_column
from annotate.store.rollups import changed
from proxy.records import JudgeFailure, Score


class JudgeTotals(NamedTuple):
    """One judge's work on the current items."""

    key: int
    judge: str
    signature: str
    scored: int
    failed: int
    mean: float | None


class Scores:
    """The judges, scores and failures tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def judge_key(self, judge: str, signature: str) -> int:
        """The row of this judge and signature, made if new; call inside a transaction."""
        self._db.conn.execute("INSERT OR IGNORE INTO judges (judge, signature) VALUES (?, ?)", (judge, signature))
        query = "SELECT key FROM judges WHERE judge = ? AND signature = ?"
        return int(self._db.conn.execute(query, (judge, signature)).fetchone()[0])

    def keep(self, outcomes: Mapping[int, Sequence[Score | JudgeFailure]], *, now: str) -> None:
        """Keep what judges said of the items in these rows; what is there already stays as it is."""
        keys: dict[tuple[str, str], int] = {}
        scores: list[tuple[object, ...]] = []
        failures: list[tuple[object, ...]] = []
        for item, results in outcomes.items():
            for one in results:
                identity = (one.judge, one.signature)
                judge = keys.get(identity) or keys.setdefault(identity, self.judge_key(*identity))
                if isinstance(one, Score):
                    scores.append((judge, item, one.value, to_column(one.reason), one.seconds, now))
                else:
                    failures.append((judge, item, one.kind, to_column(one.reason), one.seconds, now))
        self._db.conn.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?, ?)", scores)
        self._db.conn.executemany("INSERT OR IGNORE INTO failures VALUES (?, ?, ?, ?, ?, ?)", failures)
        if scores or failures:
            changed(self._db, "scores")

    def done(self, items: Sequence[int], judges: Sequence[int]) -> set[tuple[int, int]]:
        """The (judge, item) pairs among these that have a score or a failure."""
        found: set[tuple[int, int]] = set()
        where = f"judge IN ({', '.join('?' * len(judges))}) AND item IN ({', '.join('?' * len(items))})"
        for table in ("scores", "failures"):
            query = f"SELECT judge, item FROM {table} WHERE {where}"
            found |= {(judge, item) for judge, item in self._db.conn.execute(query, [*judges, *items])}
        return found

    def value(self, item: int, judge: int) -> float | None:
        """The score that this judge has given, if any."""
        row = self._db.conn.execute("SELECT value FROM scores WHERE judge = ? AND item = ?", (judge, item)).fetchone()
        return None if row is None else float(row[0])

    def forget_failure(self, item: int, judge: int) -> None:
        """Make room for the score that this judge gave at last: an item has one outcome of a judge."""
        self._db.conn.execute("DELETE FROM failures WHERE judge = ? AND item = ?", (judge, item))
        changed(self._db, "scores")

    def signatures(self) -> dict[str, list[str]]:
        """The signatures under which each judge has scores, oldest first."""
        found: dict[str, list[str]] = {}
        query = (
            "SELECT judge, signature FROM judges j WHERE EXISTS (SELECT 1 FROM scores WHERE judge = j.key) ORDER BY key"
        )
        for judge, signature in self._db.conn.execute(query):
            found.setdefault(judge, []).append(signature)
        return found

    def values(self, judge: str, signature: str) -> Iterator[float]:
        """Every score of the current items under this signature."""
        query = (
            "SELECT value FROM scores s JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item "
            "WHERE j.judge = ? AND j.signature = ? AND is_current"
        )
        return (float(value) for (value,) in self._db.conn.execute(query, (judge, signature)))

    def totals(self) -> list[JudgeTotals]:
        """How many current items each judge has scored and failed on."""
        query = (
            "SELECT key, judge, signature, "
            "(SELECT count(*) FROM scores s JOIN items i ON i.key = s.item WHERE s.judge = j.key AND is_current), "
            "(SELECT count(*) FROM failures f JOIN items i ON i.key = f.item WHERE f.judge = j.key AND is_current), "
            "(SELECT avg(value) FROM scores s JOIN items i ON i.key = s.item WHERE s.judge = j.key AND is_current) "
            "FROM judges j ORDER BY key"
        )
        return [JudgeTotals(*row) for row in self._db.conn.execute(query)]

    def of_drawn(
        self, items: Sequence[int], signatures: Sequence[tuple[str, str]]
    ) -> Mapping[tuple[str, str], NDArray[np.float64]]:
        """The scores of these drawn items under each (judge, signature), in their order; nan where there is none."""
        place = {item: n for n, item in enumerate(items)}
        found = {pair: np.full(len(items), np.nan) for pair in signatures}
        query = (
            "SELECT s.item, s.value FROM draws d CROSS JOIN scores s ON s.item = d.item "
            "AND s.judge = (SELECT key FROM judges WHERE judge = ? AND signature = ?)"
        )
        for pair, values in found.items():
            for item, value in self._db.conn.execute(query, pair):
                if item in place:
                    values[place[item]] = value
        return found

    def rows(self) -> Iterator[dict[str, object]]:
        """Every score and failure of the current items, as the scores file holds it."""
        query = (
            "SELECT i.id, j.judge, s.value, s.reason, j.signature FROM (SELECT item, judge, value, reason FROM scores "
            "UNION ALL SELECT item, judge, NULL, reason FROM failures) s "
            "JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item WHERE is_current ORDER BY i.key, j.key"
        )
        return (
            {"item_id": item_id, "judge": judge, "value": value, "reason": from_column(reason), "signature": signature}
            for item_id, judge, value, reason, signature in self._db.conn.execute(query)
        )

    def of_item(self, item: int, signatures: Iterable[str]) -> list[tuple[str, float | None, str]]:
        """(judge, value or None, reason) of one item under these signatures."""
        names = list(signatures)
        marks = ", ".join("?" * len(names))
        query = (
            # CROSS JOIN keeps the order: the few judges first, then one row of each by its key.
            f"SELECT judge, value, reason FROM (SELECT j.key, j.judge, s.value, s.reason FROM judges j "
            f"CROSS JOIN scores s ON s.judge = j.key AND s.item = ? WHERE j.signature IN ({marks}) UNION ALL "
            f"SELECT j.key, j.judge, NULL, f.reason FROM judges j "
            f"CROSS JOIN failures f ON f.judge = j.key AND f.item = ? WHERE j.signature IN ({marks})) ORDER BY key"
        )
        rows = self._db.conn.execute(query, [item, *names, item, *names])
        return [(judge, value, from_column(reason)) for judge, value, reason in rows]
