"""Read what a store asks to be masked, for any thread that is about to show or send a text.

A store's own connection belongs to its user, who may close it at any moment; so the record is read by a short connection of its
own, and anew only when the file or its log has changed, by whatever process.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Lock

from annotate.store.audit.policies import MASKING
from annotate.store.engine import read_only
from annotate.store.engine.copy import BUSY_SECONDS, readable_errors
from annotate.store.engine.database import from_column

# A file that changed this short a time ago may change again without another time stamp.
SETTLED = 0.1

Stamp = tuple[tuple[int, int, int] | None, ...]


class MaskingRecord:
    """Read the masking record of one store."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self._files = (str(self._path), f"{self._path}{read_only.LOG}")
        self._lock = Lock()
        self._seen: Stamp | None = None
        self._text: str | None = None

    def __call__(self) -> str | None:
        """Return what is masked, as JSON; None where nothing was recorded. A file that is gone says what it said last."""
        with self._lock:
            stamp = tuple(_stamp(file) for file in self._files)
            if stamp[0] is not None and stamp != self._seen:
                self._text = self._read()
                newest = max(file_stamp[0] for file_stamp in stamp if file_stamp is not None)
                self._seen = stamp if time.time_ns() - newest > SETTLED * 1e9 else None
            return self._text

    def _read(self) -> str | None:
        with readable_errors(str(self._path)):
            # One that may only read would leave SQLite's files beside the store when it is the last to close.
            address = (
                f"{self._path.as_uri()}?mode=rw" if read_only.is_writable(self._path) else read_only.address(self._path)
            )
            with closing(sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS)) as connection:
                row = connection.execute("SELECT value FROM policies WHERE name = ?", (MASKING,)).fetchone()
        return None if row is None else from_column(row[0])


def _stamp(file: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116 (asked for every text that is shown)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
