"""Handle SIGTERM and SIGHUP like Ctrl+C, and report by the exit status which signal it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Ctrl+C is Python's own: asyncio takes it over while it runs.
LIKE_CTRL_C = (signal.SIGTERM, signal.SIGHUP)
STOPS = (signal.SIGINT, *LIKE_CTRL_C)


class Stopped(KeyboardInterrupt):
    """Stopped by this signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def stopped_by(stop: KeyboardInterrupt) -> int:
    """The number of the signal."""
    return stop.number if isinstance(stop, Stopped) else int(signal.SIGINT)


@contextmanager
def stops_like_ctrl_c() -> Iterator[None]:
    """SIGTERM and SIGHUP raise what Ctrl+C raises, while the context lasts; what whoever started us ignores stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(received: int, frame: FrameType | None) -> None:
        raise Stopped(received)

    with handlers_kept():
        for number in LIKE_CTRL_C:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, stop)
        yield


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Put back who is told of a stop; an event loop that listens to signals leaves nobody.

    What `ignore_stops` silenced stays silent: a second Ctrl+C may come as late as the interpreter's own end.
    """
    before = {number: signal.getsignal(number) for number in STOPS}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, handler)


@contextmanager
def stops_wait() -> Iterator[None]:
    """A stop is heard at the end of the context: what is begun in it, such as a process, is then held by whoever can end it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    with handlers_kept():
        for number in STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda stop, frame: received.append(stop))
        yield
    if received:
        signal.raise_signal(signal.Signals(received[0]))


@contextmanager
def stops_end_at_once() -> Iterator[None]:
    """A stop ends the process as the system does, while the context lasts: where a thread waits that nothing interrupts."""
    with handlers_kept():
        for number in STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        yield


def ignore_stops() -> None:
    """Let no further signal cut short what ends us, to the end of the process."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
