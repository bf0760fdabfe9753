"""Work in a thread of its own while a context lasts."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class OwnThread(ABC):
    """Runs from the beginning of the context to its end, which waits for what is under way."""

    _thread: threading.Thread

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Work until the end."""

    @abstractmethod
    def _end(self) -> None:
        """Have the work come to its end."""
