"""Keep what comes in over HTTP before it is acknowledged: one thread writes all that waits in one durable transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from http import HTTPStatus
from queue import Empty, Full, Queue
from typing import Any, NamedTuple, TypeVar

from starlette.exceptions import HTTPException

from annotate.server.callers import RETRY
from annotate.server.own_thread import OwnThread
from annotate.store import Store
from proxy.errors import AssayError, StoreError
from proxy.text import times

T = TypeVar("T")
# What waits to be written is in memory; beyond this many requests the caller is asked to come back.
MOST_WAITING = 256
MOST_TOGETHER = 64
# Less than a connection lives (connection.py), so that the answer is still heard.
SECONDS = 4.0


class Busy(AssayError):
    """More is waiting to be written than is held in memory."""


class _Letter(NamedTuple):
    """Something to write, and who waits for it."""

    write: Callable[[Store, str], Any]
    done: Future[Any]


class Inbox(OwnThread):
    """Writes what its callers hand in, while the context lasts; at the end it writes what still waits.

    A caller's future is done once its work is on the disk, with what it returned or raised. Work that its caller has given up
    by then (`kept` does after SECONDS) is not begun.
    """

    def __init__(self, writing: Callable[[], AbstractContextManager[Store]], most_waiting: int = MOST_WAITING) -> None:
        self._writing = writing
        self._waiting: Queue[_Letter | None] = Queue(most_waiting)
        self._is_over = False

    def _end(self) -> None:
        self._waiting.put(None)

    def put(self, write: Callable[[Store, str], T]) -> Future[T]:
        """Have this done with the store and the time; Busy where too much waits already."""
        letter = _Letter(write, Future())
        try:
            self._waiting.put_nowait(letter)
        except Full as error:
            raise Busy("too many requests wait to be written") from error
        return letter.done

    async def kept(self, write: Callable[[Store, str], T]) -> T:
        """Have this done, and wait until it is on the disk.

        HTTPException 429 where too much waits, and 503 where the store cannot be written within SECONDS; both say when to come
        back, and what is sent again adds nothing twice.
        """
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self.put(write)), SECONDS)
        except Busy as error:
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, headers=RETRY) from error
        except (StoreError, TimeoutError) as error:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, headers=RETRY) from error

    def _run(self) -> None:
        letters = self._next()
        while letters:
            try:
                with self._writing() as store:
                    while letters:
                        _write(store, letters)
                        letters = self._next()
            except Exception as error:  # noqa: BLE001 (handed to whoever waits: the store could not be opened)
                for letter in letters:
                    if letter.done.running() or letter.done.set_running_or_notify_cancel():
                        letter.done.set_exception(error)
                letters = self._next()

    def _next(self) -> list[_Letter]:
        """Wait for something to write, and take what has come beside it; nothing at the end."""
        letters: list[_Letter] = []
        while not self._is_over and len(letters) < MOST_TOGETHER:
            try:
                letter = self._waiting.get(block=not letters)
            except Empty:
                break
            if letter is None:
                self._is_over = True
            else:
                letters.append(letter)
        return letters


def _write(store: Store, letters: Sequence[_Letter]) -> None:
    """Do what nobody has given up, all in one transaction; where one of them fails, each in its own: it costs no other."""
    _write_together(store, [letter for letter in letters if letter.done.set_running_or_notify_cancel()])


def _write_together(store: Store, letters: Sequence[_Letter]) -> None:
    now = times.now()
    try:
        with store.atomic(durable=True):
            results = [letter.write(store, now) for letter in letters]
    except Exception as error:  # noqa: BLE001 (handed to whoever waits)
        if len(letters) == 1:
            letters[0].done.set_exception(error)
            return
        for letter in letters:
            _write_together(store, [letter])
    else:
        for letter, result in zip(letters, results, strict=True):
            letter.done.set_result(result)
