"""Do the rounds of the live loop in a thread with a connection of its own: what arrives meanwhile is acknowledged."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from annotate.store import Store
from annotate.workflow.live_loop import LiveLoop, Round
from proxy.errors import AssayError

EVERY_SECONDS = 1.0


class Looping:
    """Does a round every so many seconds while the context lasts; what fails is tried again in the next one.

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
        self._thread = threading.Thread(target=self._run, name="looping", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with self._writing() as store:
                    while not self._over.wait(self._every):
                        done = self._loop.round(store)
                        self._on_round(done)
                        self._tell(done.trouble)
            except AssayError as error:
                self._tell(str(error))
                self._over.wait(self._every)

    def _tell(self, trouble: str | None) -> None:
        """Say a trouble that is not the last one."""
        if trouble and trouble != self._trouble:
            self._say(f"assay: {trouble}; tried again")
        self._trouble = trouble or self._trouble
