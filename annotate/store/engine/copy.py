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

from annotate.store.engine.faults import BUSY_SECONDS, readable_errors
from proxy.errors import StoreError

UNFINISHED = ".unfinished"
PAGES = 2000


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
        closing(sqlite3.connect(source, timeout=BUSY_SECONDS, isolation_level=None)) as reading,
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
