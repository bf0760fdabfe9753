"""Run the live loop in a thread with a store connection of its own, so that intake never waits for judging."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from annotate.server.own_thread import OwnThread
from annotate.store import Store
from annotate.workflow.live_loop import LiveLoop, Round
from proxy.errors import AssayError

EVERY_SECONDS = 1.0


class Looping(OwnThread):
    """Runs a round every `every` seconds until the context ends; whatever fails is reported, and the next round tries again.

    `on_round` gets what each round did, and `say` each trouble once.
    """

    def __init__(
        self,
        writing: Callable[[], AbstractContextManager[Store]],
        loop: LiveLoop,
        *,
        on_round: Callable[[Round], None] = lambda done: None,
        say: Callable[[str], None] = lambda line: None,
        every: float = EVERY_SECONDS,
    ) -> None:
        self._writing, self._loop = writing, loop
        self._on_round, self._say, self._every = on_round, say, every
        self._trouble: str | None = None
        self._over = threading.Event()

    def _end(self) -> None:
        self._over.set()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with self._writing() as store:
                    while not self._over.wait(self._every):
                        done = self._loop.round(store)
                        self._on_round(done)
                        self._report(done.trouble)
            except Exception as error:  # noqa: BLE001 (the thread must outlive it: what is acknowledged is to be joined)
                self._report(str(error) if isinstance(error, AssayError) else f"{type(error).__name__}: {error}")
                self._over.wait(self._every)

    def _report(self, trouble: str | None) -> None:
        """Report a trouble once, until a round goes well again."""
        if trouble and trouble != self._trouble:
            self._say(f"assay: {trouble}; tried again")
        self._trouble = trouble
