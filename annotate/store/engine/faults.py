"""Turn SQLite's errors into one line that says what to do next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from proxy.errors import StoreError

BUSY_SECONDS = 30
DAMAGED = "the file is damaged: restore a backup"
ADVICE = {
    "database or disk is full": "the disk is full: free some space and run the same command again; "
    "everything reported as kept is kept",
    "disk I/O error": "the disk refused to write: check it for space and faults, then run the same command again",
    "readonly database": "the store is read-only here, so it can be looked at but not changed: check the permissions of the file "
    "and of its folder",
    "unable to open": "the file cannot be opened: check that its folder exists and that you may write there",
    "not a database": "the file is no SQLite database: name another with --db",
    "malformed": DAMAGED,
    "Could not decode to UTF-8": DAMAGED,
    "locked": f"another process has been writing for over {BUSY_SECONDS} seconds: try again when it is done",
}


@contextmanager
def readable_errors(path: str) -> Iterator[None]:
    """Turn SQLite faults into one line that says what to do next."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        for fault, advice in ADVICE.items():
            if fault in str(error):
                raise StoreError(f"{path}: {advice}") from error
        raise
    except UnicodeDecodeError as error:  # SQLite quotes a damaged schema in what it says
        if b"malformed" in error.object:
            raise StoreError(f"{path}: {DAMAGED}") from error
        raise
