"""Spans of tracers that wait for the rest of their trace, and what became of each trace.

Of two states of one span the one with the greater rank is kept, whatever came first: the order of files and batches does not
matter. Of two with one rank nothing tells the order but their coming: the last one counts. Of a trace whose answer was forgotten
nothing is kept.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotate.store.audit.tombstones import Tombstones
from annotate.store.engine.database import Room

LEVEL = 1
CHANGED, JOINED = "changed", "joined"
KEEP = """
    INSERT INTO spans (trace, span, rank, content) VALUES (?, ?, ?, ?) ON CONFLICT (trace, span) DO UPDATE
    SET rank = excluded.rank, content = excluded.content
    WHERE excluded.rank > rank OR (excluded.rank = rank AND excluded.content != content)
"""
TOUCH = f"""
    INSERT INTO traces (trace, state, at) VALUES (?, '{CHANGED}', ?) ON CONFLICT (trace) DO UPDATE
    SET state = '{CHANGED}', at = excluded.at
"""

# Feedback and scores that came before their span.
NAME_TRACE = (
    "UPDATE feedback SET item_id = ? WHERE item_id = ?",
    "UPDATE OR IGNORE tool_scores SET item_id = ? WHERE item_id = ?",
)


class KeptSpan(NamedTuple):
    """A span as it is kept: of two with one name that with the greater `rank` is the later state."""

    trace: str
    span: str
    rank: str
    content: bytes


class Spans(Room):
    """The tables of spans and traces."""

    def keep(self, spans: Iterable[KeptSpan], *, now: str) -> int:
        """Keep what is new or a later state, and return how many spans that was; call inside a transaction."""
        forgotten = {name.partition("/")[0] for name in Tombstones(self._db).items()}
        changed = []
        for span in spans:
            if span.trace in forgotten:
                continue
            row = (span.trace, span.span, span.rank, zlib.compress(span.content, LEVEL))
            if self._db.conn.execute(KEEP, row).rowcount > 0:
                changed.append(span)
        self._db.conn.executemany(TOUCH, [(span.trace, now) for span in changed])
        for statement in NAME_TRACE:
            self._db.conn.executemany(statement, [(span.trace, span.span) for span in changed])
        return len(changed)

    def changed(self, most: int, until: str) -> list[str]:
        """Return some of the traces that have to be joined, and did not change after that time."""
        query = f"SELECT trace FROM traces WHERE state = '{CHANGED}' AND at <= ? ORDER BY trace LIMIT ?"
        return [trace for (trace,) in self._db.conn.execute(query, (until, most))]

    def of(self, traces: Sequence[str]) -> Iterator[tuple[str, list[bytes]]]:
        """Yield each trace with the contents of its spans."""
        query = "SELECT content FROM spans WHERE trace = ? ORDER BY span"
        for trace in traces:
            yield trace, [zlib.decompress(content) for (content,) in self._db.conn.execute(query, (trace,))]

    def mark(self, states: Iterable[tuple[str, str]], *, now: str) -> None:
        """Note what became of traces; call inside a transaction."""
        rows = [(state, now, trace) for trace, state in states]
        self._db.conn.executemany("UPDATE traces SET state = ?, at = ? WHERE trace = ?", rows)

    def waiting(self) -> dict[str, int]:
        """Return how many traces gave no answer yet, by the reason."""
        query = f"SELECT state, count(*) FROM traces WHERE state NOT IN ('{CHANGED}', '{JOINED}') GROUP BY state"
        return dict(self._db.conn.execute(query).fetchall())

    def traces_of(self, spans: Sequence[str]) -> dict[str, str]:
        """Return the trace of each of these spans: feedback of some tools names a span, and an answer has its trace's id."""
        query = "SELECT span, min(trace) FROM spans WHERE span IN (SELECT value FROM json_each(?)) GROUP BY span"
        return dict(self._db.conn.execute(query, (json.dumps(list(spans)),)).fetchall())
