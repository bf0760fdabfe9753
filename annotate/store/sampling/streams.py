"""Streams as rows: at which rates answers are drawn as they arrive, since when, and which of them wait for their chance."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotate.store.engine.database import Room
from annotate.store.engine.frame_blocks import NOT_FRAMED
from annotate.store.engine.frames import Frames
from annotate.store.engine.sqlite import Database
from annotate.store.scores.scores import lacking

STREAM_COLUMNS = "key, rate, rate_failed, seed, after, wave, opened_at"
# The forgotten have no text that anybody could label.
ARRIVED = """
    SELECT i.key FROM items i WHERE i.key > ? AND i.is_current AND i.forgotten_at IS NULL
    AND {condition} ORDER BY i.key
"""
BLOCK = 10_000
OF_STREAM = "SELECT key FROM waves WHERE design = 'stream' AND at >= ?"
DRAWN = "SELECT count(*) FROM draws WHERE wave IN (SELECT value FROM json_each(?)) AND item > ?"


class Stream(NamedTuple):
    """An open stream: it draws answers in rows after `after`, into `wave` as long as that one lasts."""

    key: int
    rate: float
    rate_failed: float
    seed: int
    after: int
    wave: int | None
    opened_at: str


class StreamTotals(NamedTuple):
    """The number of answers that had their chance since some wave of a stream, and of those that were drawn."""

    framed: int
    drawn: int


class Streams(Room):
    """The streams table."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._frames = Frames(db)

    def current(self) -> Stream | None:
        """Return the stream that is open; there is one at most."""
        row = self._db.conn.execute(f"SELECT {STREAM_COLUMNS} FROM streams WHERE closed_at IS NULL").fetchone()
        return None if row is None else Stream(*row)

    def open(self, rate: float, rate_failed: float, seed: int, *, now: str) -> Stream:
        """Open a stream for the answers that come from now on; call inside a transaction."""
        self._db.conn.execute(
            "INSERT INTO streams (rate, rate_failed, seed, after, opened_at) VALUES (?, ?, ?, ?, ?)",
            (rate, rate_failed, seed, self._last_row(), now),
        )
        stream = self.current()
        if stream is None:
            raise LookupError("the stream that was opened just now")
        return stream

    def close(self, *, now: str) -> None:
        """Close the open stream; call inside a transaction."""
        self._db.conn.execute("UPDATE streams SET closed_at = ? WHERE closed_at IS NULL", (now,))

    def draw_into(self, stream: int, wave: int) -> None:
        """Note which wave the stream draws into; call inside a transaction."""
        self._db.conn.execute("UPDATE streams SET wave = ? WHERE key = ?", (wave, stream))

    def totals(self, stream: Stream) -> StreamTotals:
        """Return what became of the answers that came while the stream was open."""
        waves = [wave for (wave,) in self._db.conn.execute(OF_STREAM, (stream.opened_at,))]
        keys = np.arange(stream.after + 1, self._last_row() + 1)
        framed = sum(int((self._frames.codes(wave, keys) != NOT_FRAMED).sum()) for wave in waves)
        drawn = self._db.conn.execute(DRAWN, (json.dumps(waves), stream.after)).fetchone()[0]
        return StreamTotals(framed, int(drawn))

    def ready(self, after: int, judges: Sequence[int], most: int) -> list[int]:
        """Return answers after this row that had no chance yet and that each of these judges has tried, oldest first."""
        return self._arrived(after, f"NOT ({lacking(judges, retries=False)})", most)

    def waiting(self, after: int, judges: Sequence[int], most: int) -> list[int]:
        """Return answers after this row that had no chance yet and that some of these judges have not tried, oldest first."""
        return self._arrived(after, f"({lacking(judges, retries=False)})", most)

    def done_up_to(self, after: int) -> int:
        """Return the last row up to which, from `after` on, no answer waits for its chance."""
        first = self._arrived(after, "1", 1)
        if first:
            return first[0] - 1
        return max(after, self._last_row())

    def _last_row(self) -> int:
        return int(self._traffic.execute("SELECT coalesce(max(key), 0) FROM items").fetchone()[0])

    def _arrived(self, after: int, condition: str, most: int) -> list[int]:
        rows, arrived = self._traffic.execute(ARRIVED.format(condition=condition), (after,)), list[int]()
        while len(arrived) < most and (block := rows.fetchmany(BLOCK)):
            arrived += [key for (key,) in self._frames.unframed(block)]
        return arrived[:most]
