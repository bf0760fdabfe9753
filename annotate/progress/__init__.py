"""Progress of long work on standard error: a line that is rewritten on a terminal, a line now and then elsewhere.

Whoever runs the work in a thread of its own may listen to it: what is done, how far, of how many.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self

from annotate.terminal import rewrite

Listener = Callable[[str, int, int | None], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)

TERMINAL_SECONDS = 0.2
LOG_SECONDS = 30.0


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell the listener of all progress in this thread: the work, how much is done, and of how much where that is known."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


class ProgressCounter:
    """Counts what is done; `total` None when it is not known."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._start = self._last_report = time.monotonic()
        self._on_terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._on_terminal:
            rewrite()

    def advance(self, by: int) -> None:
        """Note that `by` more are done, and say so if it is time."""
        self._done += by
        if (listener := _LISTENER.get()) is not None:
            listener(self._what, self._done, self._total)
        now = time.monotonic()
        if now - self._last_report < (TERMINAL_SECONDS if self._on_terminal else LOG_SECONDS):
            return
        self._last_report = now
        of = f" of {self._total:,}" if self._total is not None else ""
        line = f"{self._what}: {self._done:,}{of} ({self._done / max(now - self._start, 1e-9):,.0f} a second)"
        if self._on_terminal:
            rewrite(line)
        else:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
