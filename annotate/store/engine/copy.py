"""Copy a whole store while others go on writing: private, verified, never over another file, never half.

The copy grows under a name of its own and gets its real one when it has been read back sound, so that whatever ends the
work early (no space, Ctrl+C, a power cut) leaves nothing that looks like a copy.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from annotate.store.engine.read_only import address
from proxy.errors import StoreError

UNFINISHED = ".unfinished"
PAGES = 2000
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


def copy(source: Path, target: Path) -> int:
    """Copy the store as it is at this moment to a new file of mode 0600; return its size in bytes.

    StoreError where `target` exists, the source is damaged, or the disk is full; nothing is left of such a copy.
    """
    partial = target.with_name(target.name + UNFINISHED)
    with _claimed(partial, target), readable_errors(str(target)):
        _fill(source, partial)
        _settle(partial)
        _publish(partial, target)
    return target.stat().st_size


@contextmanager
def _claimed(partial: Path, target: Path) -> Iterator[None]:
    """Hold the unfinished file: a second process that wants it is refused, what a killed one left is taken over."""
    try:
        if os.path.lexists(target):
            raise StoreError(
                f"{target} exists already: a copy never takes the place of another file; give another name"
            )
        handle = os.open(partial, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _is_still(partial, handle):
                raise BlockingIOError
            os.fchmod(handle, 0o600)
            os.truncate(handle, 0)
            try:
                yield
            finally:
                for end in ("", "-journal", "-wal", "-shm"):
                    Path(f"{partial}{end}").unlink(missing_ok=True)
        finally:
            os.close(handle)
    except BlockingIOError as error:
        raise StoreError(f"another process is making {target}: wait for it to end") from error
    except OSError as error:
        advice = "check that its folder exists, that you may write there, and that the disk has space"
        raise StoreError(f"{target}: {error.strerror}: {advice}") from error


def _is_still(path: Path, handle: int) -> bool:
    """Return whether the name stands for the open file, and no other name does."""
    try:
        named, opened = path.lstat(), os.fstat(handle)
    except FileNotFoundError:
        return False
    return named.st_ino == opened.st_ino and opened.st_nlink == 1


def _fill(source: Path, partial: Path) -> None:
    """Copy from one read transaction, which holds off no writer; between pieces Ctrl+C is heard."""
    with (
        closing(sqlite3.connect(address(source), timeout=BUSY_SECONDS, isolation_level=None, uri=True)) as reading,
        closing(sqlite3.connect(partial, isolation_level=None)) as writing,
    ):
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM sqlite_master").fetchone()
        reading.backup(writing, pages=PAGES, progress=lambda *_: None)
        writing.execute("PRAGMA journal_mode = DELETE")  # one file, that is read without another beside it
        problems = [row[0] for row in writing.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
    if problems:
        first = problems[0].splitlines()[-1]
        raise StoreError(f"{source}: the file is damaged ({first}): no copy was made; restore a backup")


def _settle(partial: Path) -> None:
    """Flush the file to disk before it has a name."""
    handle = os.open(partial, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _publish(partial: Path, target: Path) -> None:
    """Give the copy its name, unless that is taken by now."""
    try:
        os.link(partial, target)
    except FileExistsError:
        raise StoreError(f"{target} exists already: a copy never takes the place of another file") from None
    except OSError:  # a file system without hard links
        partial.rename(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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
