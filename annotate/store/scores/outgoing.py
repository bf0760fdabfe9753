"""Scores and verdicts of the current items with what a tracer needs to find their trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from annotate.store.engine.database import Room, from_column

# Of an answer with a trace of its own, or one root among several of a trace.
ABOUT = """
    i.id, coalesce(i.timestamp, i.ingested_at),
    EXISTS (SELECT 1 FROM traces t WHERE t.trace IN (i.id, substr(i.id, 1, instr(i.id, '/') - 1)))
"""
JUDGES = f"""
    SELECT {ABOUT}, i.key, s.value, j.judge, j.signature, s.reason FROM scores s CROSS JOIN judges j ON j.key = s.judge
    CROSS JOIN items i ON i.key = s.item WHERE i.is_current ORDER BY i.key, j.key
"""
VERDICTS = f"""
    SELECT {ABOUT}, i.key, v.value, v.verdict, '', '' FROM verdicts v JOIN items i ON i.key = v.item
    WHERE v.rule = ? AND i.is_current ORDER BY i.key
"""
LABELLED = f"""
    SELECT {ABOUT}, i.key, 0.0, '', '', '' FROM items i
    WHERE i.is_current AND EXISTS (SELECT 1 FROM labels l WHERE l.item = i.key) ORDER BY i.key
"""


class AboutItem(NamedTuple):
    """An answer, a time that never changes for it, whether it came as a trace; and a score or verdict of it."""

    item_id: str
    at: str
    is_trace: bool
    item: int
    value: float
    name: str
    signature: str
    reason: str


class OutgoingRows(Room):
    """Reads tables of scores, verdicts, labels, items and traces."""

    def judges(self) -> Iterator[AboutItem]:
        """Yield every score of a current item."""
        return self._rows(JUDGES)

    def verdicts(self, rule: int) -> Iterator[AboutItem]:
        """Yield every verdict of a rule on a current item; the name is the verdict."""
        return self._rows(VERDICTS, rule)

    def labelled(self) -> Iterator[AboutItem]:
        """Yield every current item with a label."""
        return self._rows(LABELLED)

    def _rows(self, query: str, *values: int) -> Iterator[AboutItem]:
        for item_id, at, is_trace, item, value, name, signature, reason in self._traffic.execute(query, values):
            yield AboutItem(item_id, at, bool(is_trace), item, value, name, signature, from_column(reason))
