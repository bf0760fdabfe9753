"""Adapt how many requests may be in flight to what the endpoint and this machine can do, within the most allowed.

An overload halves the limit at once, calm lets it grow by one a round, and beyond `START` it grows only as long as more
in flight means more answers a second.

Limit how many requests are in flight: admit as many as the pace allows, the others wait in order. The rule: a place that is
given up goes to who has waited longest, so that nobody who comes later can take it first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

START = 64
_GAIN = 1.05
_STEP = 1.5


class RequestLimit:
    """The limit of requests in flight, and what it was learnt from."""

    def __init__(self, most: int) -> None:
        self.limit = min(most, START)
        self._ceiling = most
        self._answers = 0
        self._since: float | None = None
        self._best = 0.0
        self._before = self.limit
        self._calm_from = 0.0
        self._was_pushed = False

    def answered(self, now: float, seconds: float) -> None:
        """Note an answer that took `seconds`."""
        if self._since is None:
            self._since = now - seconds
        self._answers += 1
        if self.limit < self._ceiling and self._was_pushed and self._answers >= self.limit:
            self.limit += 1
            self._restart(now)
        elif not self._was_pushed and self._answers >= 4 * self.limit:
            self._climb(self._answers / max(1e-9, now - self._since))
            self._restart(now)

    def pushed_back(self, now: float, seconds: float) -> None:
        """Note that the endpoint is overloaded: halve the limit, once for all requests that were in flight together."""
        self._was_pushed = True
        if now < self._calm_from:
            return
        self.limit = max(1, self.limit // 2)
        self._calm_from = now + max(0.5, seconds)
        self._restart(now)

    def _climb(self, rate: float) -> None:
        """Raise the limit while that raises the rate of answers; step back once and stay when it does not."""
        if self.limit == self._ceiling:
            return
        if rate >= _GAIN * self._best:
            self._best, self._before = rate, self.limit
            self.limit = min(self._ceiling, int(self.limit * _STEP) + 1)
        else:
            self.limit = self._ceiling = self._before

    def _restart(self, now: float) -> None:
        """Restart the count."""
        self._answers, self._since = 0, now


class RequestGate:
    """A gate for requests: `async with gate:` is one request; `most` is how many there were at once."""

    def __init__(self, concurrency: int) -> None:
        self.pace = RequestLimit(concurrency)
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
