"""Tell which items a judge has scored, without asking the lake for each batch: their rows, sorted, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.sqlite import Database

OF_JUDGE = "SELECT item FROM scores WHERE judge = {judge:d}"

Items = NDArray[np.int64]


class ScoredItems:
    """The scored items of each judge that was asked for; read anew once another process has written."""

    def __init__(self, db: Database, read: Callable[[str], NDArray[Any]]) -> None:
        self._db = db
        self._read = read
        self._version: int | None = None
        self._of_judge: dict[int, Items] = {}

    def among(self, judge: int, items: Iterable[int]) -> set[int]:
        """Return those of these items that the judge has scored."""
        version = int(self._db.conn.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._of_judge, self._version = {}, version
        if judge not in self._of_judge:
            self._of_judge[judge] = np.sort(self._read(OF_JUDGE.format(judge=judge)).astype(np.int64))
        known = self._of_judge[judge]
        asked = np.fromiter(items, dtype=np.int64)
        places = np.minimum(np.searchsorted(known, asked), max(len(known) - 1, 0))
        return set(asked[known[places] == asked].tolist()) if len(known) else set()

    def add(self, judge: int, items: Iterable[int]) -> None:
        """Note items that the judge has scored now."""
        if judge in self._of_judge:
            more = np.fromiter(items, dtype=np.int64)
            self._of_judge[judge] = np.sort(np.concatenate([self._of_judge[judge], more]))

    def forget(self) -> None:
        """Read anew what is asked for next: scores were removed, or what was written was rolled back."""
        self._of_judge = {}
