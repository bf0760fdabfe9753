"""What calibrated rules are guaranteed to keep, and the draws whose labels chose their cut. Written once with the rule.

A rule that was set again to give the verdicts of a calibrated one has the record of the newest such rule.
"""

from __future__ import annotations

from collections.abc import Collection

from annotate.store.sqlite import Database
from proxy.guarantee import Guarantee

COLUMNS = "precision, confidence, threshold, n, errors, p_value, labels, last_wave, at"
NAMES = COLUMNS.split(", ")
RECORD = """
    SELECT g.rule FROM rules r CROSS JOIN rules o ON (o.expression, o.signatures, o.percentiles) =
        (r.expression, r.signatures, r.percentiles) JOIN guarantees g ON g.rule = o.key
    WHERE r.key = ? ORDER BY g.rule = r.key DESC, g.rule DESC LIMIT 1
"""
SILENT = f"""
    SELECT d.key FROM draws d CROSS JOIN items i ON i.key = d.item WHERE i."group" IN (
        SELECT o."group" FROM choosers c CROSS JOIN draws e ON e.key = c.draw CROSS JOIN items o ON o.key = e.item
        WHERE c.rule = ({RECORD}))
"""


class Guarantees:
    """The guarantees and choosers tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def write(self, rule: int, guarantee: Guarantee, choosers: Collection[int]) -> None:
        """Keep what the rule in this row is guaranteed, and the draws that chose its cut; call inside a transaction."""
        values = [getattr(guarantee, name) for name in NAMES]
        self._db.conn.execute(
            f"INSERT INTO guarantees (rule, {COLUMNS}) VALUES ({', '.join('?' * 10)})", [rule, *values]
        )
        self._db.conn.executemany("INSERT INTO choosers VALUES (?, ?)", [(rule, draw) for draw in sorted(choosers)])

    def of(self, rule: int) -> Guarantee | None:
        """What the rule in this row is guaranteed; None for a rule that no labels chose."""
        row = self._db.conn.execute(f"SELECT {COLUMNS} FROM guarantees WHERE rule = ({RECORD})", (rule,)).fetchone()
        return Guarantee(**dict(zip(NAMES, row, strict=True))) if row else None

    def silent(self, rule: int) -> frozenset[int]:
        """The draws that must not score this rule: all, now and later, whose question helped to choose its cut."""
        return frozenset(row[0] for row in self._db.conn.execute(SILENT, (rule,)))
