"""Claim a data folder for one server: two servers on one SQLite file would lose labels.

Two locks tell a run from its server. Only the run that started a server holds `owner`; the server inherits `lock` and holds it
for as long as it lives. Where `lock` is held and `owner` is not, the run was killed and its server is left over: it is ended.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from annotate.label_studio.local import private
from annotate.label_studio.local.processes import STOP_SECONDS, Progress
from annotate.label_studio.local.watching import command_of
from proxy.errors import LabelStudioError


class Running(NamedTuple):
    """A server as its run wrote it down."""

    pid: int
    url: str


class FolderClaim:
    """A data folder that is ours until it is closed; `descriptor` is for the server to hold too."""

    def __init__(self, data: Path, progress: Progress) -> None:
        self._path = data / "lock"
        owner = private.open_locked(data / "owner")
        if owner is None:
            raise _taken(data, _running(self._path))
        try:
            lock = private.open_locked(self._path) or _left_over(data, self._path, progress)
        except BaseException:
            owner.close()
            raise
        self._files: tuple[IO[str], IO[str]] = (lock, owner)

    @property
    def descriptor(self) -> int:
        """The lock that the server inherits."""
        return self._files[0].fileno()

    def note(self, running: Running) -> None:
        """Write down which server holds the lock; in place, since the lock is the file's."""
        self._path.write_text(json.dumps(running._asdict()), encoding="ascii")

    def close(self) -> None:
        """Release the folder, as far as the server has ended."""
        for file in self._files:
            file.close()


def _left_over(data: Path, path: Path, progress: Progress) -> IO[str]:
    """Return the lock, after the server that a killed run left over was ended."""
    running = _running(path)
    if running is None or str(data) not in command_of(running.pid):
        raise _taken(data, running)
    progress(f"Stopping a Label Studio that was left over at {running.url}")
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(running.pid, sign)
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until:
            if lock := private.open_locked(path):
                return lock
            time.sleep(0.1)
    raise _taken(data, running)


def _running(path: Path) -> Running | None:
    """Return the server that the lock file names."""
    try:
        noted = json.loads(path.read_text(encoding="ascii"))
        return Running(int(noted["pid"]), str(noted["url"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _taken(data: Path, running: Running | None) -> LabelStudioError:
    where = f" at {running.url}, process {running.pid}" if running else ""
    return LabelStudioError(f"Label Studio already runs on {data}{where}: use that one, or stop it first")
