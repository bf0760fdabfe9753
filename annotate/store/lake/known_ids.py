"""Tell which ids a lake may have, without asking it for each batch of an import: sorted hashes of all ids, in memory.

A hash takes eight bytes. Two ids may share one, so whoever gets a name from here looks at the lake itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.sqlite import Database

if TYPE_CHECKING:
    import duckdb

HASHED = "SELECT hash(value) AS hashed FROM (SELECT unnest(?::VARCHAR[]) AS value)"
EVERY_ID = "SELECT hash(id) FROM items"
MOST_RECENT = 500_000

Hashes = NDArray[np.uint64]


class KnownIds:
    """The hashes of all ids, read when they are first asked for, and anew once another process has written."""

    def __init__(self, db: Database, connection: duckdb.DuckDBPyConnection, read: Callable[[str], Any]) -> None:
        self._db = db
        self._connection = connection
        self._read = read
        self._version: int | None = None
        self._sorted: Hashes = np.zeros(0, dtype=np.uint64)
        self._recent: list[Hashes] = []

    def among(self, ids: Sequence[str]) -> list[str]:
        """Return those of these ids that the lake may have."""
        self._refresh()
        hashes = self._hashes(ids)
        places = np.searchsorted(self._sorted, hashes)
        inside = places < len(self._sorted)
        is_known = np.zeros(len(hashes), dtype=np.bool_)
        is_known[inside] = self._sorted[places[inside]] == hashes[inside]
        for recent in self._recent:
            is_known |= np.isin(hashes, recent)
        return [name for name, known in zip(ids, is_known.tolist(), strict=True) if known]

    def add(self, ids: Sequence[str]) -> None:
        """Note ids that this process has added."""
        if self._version is None:
            return
        self._recent.append(np.sort(self._hashes(ids)))
        if len(self._recent) > 1 and sum(map(len, self._recent)) > MOST_RECENT:
            self._sorted, self._recent = np.sort(np.concatenate([self._sorted, *self._recent])), []

    def _refresh(self) -> None:
        version = int(self._db.conn.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._sorted = np.sort(self._read(EVERY_ID).astype(np.uint64))
            self._recent, self._version = [], version

    def _hashes(self, ids: Sequence[str]) -> Hashes:
        column = self._connection.execute(HASHED, [list(ids)]).fetchnumpy()["hashed"]
        hashes: Hashes = np.asarray(column, dtype=np.uint64)
        return hashes
