"""Files that only their owner can read, and locks on folders."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write(path: Path, text: str) -> None:
    """Write a small file that only its owner can read; a reader sees the old or the new text, never half of one."""
    beside = path.with_name(f"{path.name}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)


def close_to_others(folder: Path) -> None:
    """Remove others' permissions on a folder and all in it; links are left alone, and are not followed."""
    folder.chmod(0o700)
    for top, folders, files in os.walk(folder):
        for name in folders + files:
            path = Path(top) / name
            if not path.is_symlink() and path.stat().st_mode & 0o077:
                path.chmod(path.stat().st_mode & 0o700)


def open_locked(path: Path) -> IO[str] | None:
    """Open a file with its lock, which lasts until it is closed, also by the processes that inherit it; None when taken."""
    path.touch(mode=0o600)
    file = path.open("r", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def alone(path: Path, waiting: Callable[[], None]) -> Iterator[int]:
    """Hold the lock while inside; `waiting` is called once when somebody else is.

    Gives the lock's descriptor: a process that inherits it keeps others out, also when we are killed.
    """
    with path.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()
