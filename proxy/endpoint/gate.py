"""How many requests are in flight: lets as many in as the pace allows, the others wait in order."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

from proxy.endpoint.pace import Pace


class Gate:
    """`async with gate:` is one request; `most` is how many there were at once."""

    def __init__(self, concurrency: int) -> None:
        self.pace = Pace(concurrency)
        self.active = 0
        self.most = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        await self.step_in()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.step_aside()

    async def step_in(self) -> None:
        """Wait for a place."""
        while self.active >= self.pace.limit:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self._wake()
                raise
        self.active += 1
        self.most = max(self.most, self.active)

    def step_aside(self) -> None:
        """Give the place up, and as many more to those who wait as the pace has grown by."""
        self.active -= 1
        self._wake()

    def _wake(self) -> None:
        free = self.pace.limit - self.active
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1
