"""A worker process: started with its judges, asked for one block after the other, killed when it is no longer needed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from signal import Signals
from typing import BinaryIO, cast

from proxy.workers.messages import packed, receive, send, unpacked

_COMMAND = ("-P", "-m", "proxy.workers.program")


class WorkerDied(Exception):
    """A worker ended before it answered; the message says how."""


class Worker:
    """A worker that runs. It is in a process group of its own, so that Ctrl+C reaches its parent alone."""

    def __init__(self, judges: Sequence[bytes], environment: Mapping[str, str]) -> None:
        """Start it; OSError where there can be no process."""
        path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)  # noqa: PTH100 - "" is the current folder
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, *_COMMAND],
            env={**environment, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        self._judges = packed(list(judges))

    def faults(self) -> list[str | None]:
        """Hand over the judges; return of each why it cannot be loaded there, None where it was."""
        return cast("list[str | None]", self.ask(self._judges))

    def ask(self, request: bytes) -> object:
        """Send a request and wait for its answer.

        Raises
        ------
        WorkerDied
            Where it ends before the answer is complete.
        """
        try:
            send(cast("BinaryIO", self._process.stdin), request)
            return unpacked(receive(cast("BinaryIO", self._process.stdout)))
        except (OSError, ValueError, EOFError):
            self.kill()
            raise WorkerDied(_ending(self._process.wait())) from None

    def kill(self) -> None:
        """End it at once; harmless where it has ended."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close its pipes, once nobody asks it any more."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                cast("BinaryIO", pipe).close()


def _ending(status: int) -> str:
    """Say how a process ended."""
    if status >= 0:
        return f"exit status {status}"
    with suppress(ValueError):
        return f"killed by {Signals(-status).name}"
    return f"killed by signal {-status}"
