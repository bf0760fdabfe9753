"""Have the traces that have become quiet joined, every so often, by the thread that writes."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Self

from annotate.server.inbox import Busy, Inbox
from annotate.store import Store
from annotate.store.traffic.items import Added
from annotate.workflow.ingest.live import join_quiet
from proxy.errors import AssayError

EVERY_SECONDS = 1.0


class Joining:
    """Joins traces that were `idle` for so many seconds, while the context lasts; what fails once is tried again."""

    def __init__(self, inbox: Inbox, idle: float, every: float = EVERY_SECONDS) -> None:
        self._inbox, self._idle, self._every = inbox, idle, every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="joining", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        def join(store: Store, now: str) -> Added:
            return join_quiet(store, seconds=self._idle, now=now)

        while not self._over.wait(self._every):
            try:
                self._inbox.put(join).result()
            except (Busy, AssayError, CancelledError):
                continue
