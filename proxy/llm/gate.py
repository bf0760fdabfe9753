"""Limit how many requests are in flight: admit as many as the pace allows, the others wait in order.

The rule: a place that is given up goes to who has waited longest, so that nobody who comes later can take it first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

from proxy.llm.concurrency import Pace


class Gate:
    """A gate for requests: `async with gate:` is one request; `most` is how many there were at once."""

    def __init__(self, concurrency: int) -> None:
        self.pace = Pace(concurrency)
        self.active = 0
        self.most = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        if self._waiting or self.active >= self.pace.limit:
            await self._turn()
        else:
            self.active += 1
        self.most = max(self.most, self.active)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    async def _turn(self) -> None:
        """Wait for a place, which whoever hands it over counts as taken."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place in self._waiting:
                self._waiting.remove(place)
            if not place.cancelled():  # it was handed over in the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        """Give the place up, and as many more to those who wait as the pace has grown by."""
        self.active -= 1
        while self._waiting and self.active < self.pace.limit:
            place = self._waiting.popleft()
            if not place.cancelled():
                self.active += 1
                place.set_result(None)
