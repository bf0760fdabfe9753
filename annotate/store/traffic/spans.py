"""Spans of tracers that wait for the rest of their trace, and what became of each trace.

Of two states of one span the one with the greater rank is kept, whatever came first: the order of files and batches does not
matter. Of two with one rank nothing tells the order but their coming: the last one counts. Other content that was outranked is
handed back, so that it does not go without a word. Of a trace whose answer was forgotten nothing is kept.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotate.store.audit.tombstones import Tombstones
from annotate.store.engine.database import Room
from annotate.store.engine.defined_frames import DefinedFrames

LEVEL = 1
CHANGED, JOINED = "changed", "joined"
KEEP = """
    INSERT INTO spans (trace, span, rank, content) VALUES (?, ?, ?, ?) ON CONFLICT (trace, span) DO UPDATE
    SET rank = excluded.rank, content = excluded.content
    WHERE excluded.rank > rank OR (excluded.rank = rank AND excluded.content != content)
"""
REPLACE = "UPDATE spans SET rank = ?, content = ? WHERE trace = ? AND span = ?"
KEPT = "SELECT content FROM spans WHERE trace = ? AND span = ? AND content != ?"
TOUCH = f"""
    INSERT INTO traces (trace, state, at) VALUES (?, '{CHANGED}', ?) ON CONFLICT (trace) DO UPDATE
    SET state = '{CHANGED}', at = excluded.at
"""

# Feedback and scores that came before their span.
NAME_TRACE = (
    "UPDATE feedback SET item_id = ? WHERE item_id = ?",
    "UPDATE OR IGNORE tool_scores SET item_id = ? WHERE item_id = ?",
)
HAS_FEEDBACK = "SELECT EXISTS (SELECT 1 FROM feedback WHERE item_id IN (SELECT value FROM json_each(?)))"


class KeptSpan(NamedTuple):
    """A span as it is kept: of two with one name that with the greater `rank` is the later state."""

    trace: str
    span: str
    rank: str
    content: bytes


class OutrankedSpan(NamedTuple):
    """A span that came in, and the content that stays in its place because its rank is greater."""

    new: KeptSpan
    content: bytes


class KeptStates(NamedTuple):
    """How many spans were new or a later state, and which others have other content than what is kept."""

    changed: int
    outranked: Sequence[OutrankedSpan]


class Spans(Room):
    """The tables of spans and traces."""

    def keep(self, spans: Iterable[KeptSpan], *, now: str) -> KeptStates:
        """Keep what is new or a later state; call inside a transaction."""
        forgotten = {name.partition("/")[0] for name in Tombstones(self._db).items()}
        changed, outranked = [], []
        for span in spans:
            if span.trace in forgotten:
                continue
            content = zlib.compress(span.content, LEVEL)
            if self._db.conn.execute(KEEP, (span.trace, span.span, span.rank, content)).rowcount > 0:
                changed.append(span)
            elif other := self._db.conn.execute(KEPT, (span.trace, span.span, content)).fetchone():
                outranked.append(OutrankedSpan(span, zlib.decompress(other[0])))
        self._db.conn.executemany(TOUCH, [(span.trace, now) for span in changed])
        self._freeze_frames(changed)
        for statement in NAME_TRACE:
            self._db.conn.executemany(statement, [(span.trace, span.span) for span in changed])
        return KeptStates(len(changed), outranked)

    def _freeze_frames(self, spans: Sequence[KeptSpan]) -> None:
        """Keep frames as they are where feedback of a span goes to its trace."""
        named = json.dumps([span.span for span in spans])
        if self._db.conn.execute(HAS_FEEDBACK, (named,)).fetchone()[0]:
            DefinedFrames(self._db).freeze_ids([name for span in spans for name in (span.trace, span.span)])

    def replace(self, spans: Sequence[KeptSpan], *, now: str) -> None:
        """Keep these in the place of what is kept, whatever their ranks; call inside a transaction."""
        rows = [(span.rank, zlib.compress(span.content, LEVEL), span.trace, span.span) for span in spans]
        self._db.conn.executemany(REPLACE, rows)
        self._db.conn.executemany(TOUCH, [(span.trace, now) for span in spans])

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
