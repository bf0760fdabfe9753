"""The file beside a store that holds its kept totals: `assay.db.totals`, readable by its owner only.

Nothing is lost with it: whoever finds it gone, damaged, busy or closed to writing counts anew, and keeps what was counted in
memory for as long as the connection lasts.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

ENDING = ".totals"
BUSY_SECONDS = 0.2
TABLE = (
    "CREATE TABLE IF NOT EXISTS totals (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, content BLOB NOT NULL) "
    "WITHOUT ROWID"
)


def beside(store: Path) -> Path:
    """Return where the totals of a store are kept: `assay.db.totals`, beside the file itself if the path is a link."""
    real = store.resolve()
    return real.with_name(real.name + ENDING)


class KeptTotal(NamedTuple):
    """A total as it is kept: what it was counted from, sealed, and its rows as JSON."""

    stamp: str
    content: bytes


class KeptTotals:
    """The file beside the store, opened when it is first asked; without a path, or where it fails, a mapping in memory."""

    def __init__(self, store: Path | None) -> None:
        self.path = None if store is None else beside(store)
        self._memory: dict[str, KeptTotal] = {}
        self._connection: sqlite3.Connection | None = None
        self._turn = Lock()

    def read(self, name: str) -> KeptTotal | None:
        """Return what is kept under this name, true or not: the caller compares the stamp."""
        with self._turn:
            with suppress(sqlite3.Error, OSError):
                if connection := self._open():
                    row = connection.execute("SELECT stamp, content FROM totals WHERE name = ?", (name,)).fetchone()
                    return KeptTotal(str(row[0]), bytes(row[1])) if row else None
            return self._memory.get(name)

    def write(self, name: str, kept: KeptTotal) -> None:
        """Keep this under the name; for this connection only, where the file is busy or cannot be written."""
        with self._turn:
            try:
                if connection := self._open():
                    connection.execute("INSERT OR REPLACE INTO totals VALUES (?, ?, ?)", (name, *kept))
                    return
            except sqlite3.OperationalError:
                pass  # another process is writing: what was counted is true all the same
            except (sqlite3.DatabaseError, OSError):
                self._give_up()
            self._memory[name] = kept

    def clear(self) -> None:
        """Delete everything that is kept, so that no byte of it stays in the file."""
        with self._turn:
            self._memory.clear()
            self._close()
            if self.path is not None:
                self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        with self._turn:
            self._close()

    def _open(self) -> sqlite3.Connection | None:
        """Return the connection to the file, made if it is not there; None where totals are kept in memory."""
        if self._connection is None and self.path is not None:
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600))
                self._connection = sqlite3.connect(
                    self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
                )
                # Nothing is lost with this file: it need not survive a power cut, and has no second file beside it.
                self._connection.execute("PRAGMA synchronous = OFF")
                self._connection.execute("PRAGMA journal_mode = MEMORY")
                self._connection.execute(TABLE)
            except (sqlite3.Error, OSError) as error:
                self._give_up(is_damaged="not a database" in str(error) or "malformed" in str(error))
        return self._connection

    def _give_up(self, *, is_damaged: bool = True) -> None:
        """Go on in memory; a damaged file is deleted, so that the next connection makes it anew."""
        self._close()
        if is_damaged and self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
        self.path = None

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
