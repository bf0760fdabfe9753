"""Bring one request to its answer: in its turn and within the budget, asked again while that makes sense, or given up.

No request is forgotten: each that brought no answer goes to `keep` before it is asked again, also where it was cut short.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from proxy.judges.llm.asking import Ask
from proxy.judges.llm.embedding import TextsToEmbed
from proxy.llm.attempt import Blame, Fault, RequestOutcome
from proxy.llm.budget import LONGEST_WAIT, OutOfBudget, Spending, within
from proxy.llm.concurrency import RequestGate
from proxy.llm.embeddings import NO_VECTORS

_FIRST_WAIT, _MOST_WAIT = 0.5, 8.0
_BUDGET_WAIT = 0.02
# What a server answers to something that it cannot take.
OF_A_PART = frozenset({"http 400", "http 413", "http 422", "http 500", NO_VECTORS, "error", "reply too long"})


class RunStopped(Exception):
    """The run cannot go on; the message says why."""

    def __init__(self, reason: str, *, is_fault: bool = True) -> None:
        super().__init__(reason)
        self.is_fault = is_fault


@dataclass
class EndpointState:
    """What the requests to one model share: their places, their budget, and how many of them went unanswered in a row.

    `doubtful` keep the failures of items that were turned away, until another item has been answered: the model may be at fault.
    """

    gate: RequestGate
    spending: Spending
    own_parameters: frozenset[str] = frozenset()
    unanswered_in_a_row: int = field(default=0, init=False)
    doubtful: list[Callable[[], None]] = field(default_factory=list, init=False)

    def answered(self) -> None:
        """Note that a request was answered, which ends the doubt."""
        self.unanswered_in_a_row = 0
        self.keep_doubtful()

    def keep_doubtful(self) -> None:
        """Keep what was held back."""
        doubtful, self.doubtful = self.doubtful, []
        for keep in doubtful:
            keep()


class GaveUp(Exception):
    """A request that was never answered."""

    def __init__(self, fault: Fault, exchange: RequestOutcome, state: EndpointState) -> None:
        super().__init__(fault.reason)
        self.fault, self.exchange, self.state = fault, exchange, state


class BatchTooLarge(Exception):
    """A request that does not fit into the budget as a whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingRequest:
    """A request: what it asks, the most tokens of its reply, how it is sent, and where it is kept if it fails.

    One that `is_divisible` is not asked again as a whole where a part of it may be at fault.
    """

    ask: Ask | TextsToEmbed
    most: int
    state: EndpointState
    send: Callable[[], Awaitable[RequestOutcome]]
    keep: Callable[[RequestOutcome], None]
    is_divisible: bool = False


class Requester:
    """The requests of a run, until something stops it."""

    def __init__(self, attempts: int, rng: random.Random) -> None:
        self.stop: RunStopped | None = None
        self._attempts, self._rng = attempts, rng
        self._halted = asyncio.Event()

    async def answered(self, request: PendingRequest) -> RequestOutcome:
        """Return the exchange that brought an answer; every other is kept, waited for and asked again while that makes sense.

        Raises
        ------
        GaveUp
            Where this request has no answer.
        BatchTooLarge
            Where it is divisible, and does not fit into the budget.
        RunStopped
            Where no other would have an answer either.
        """
        for attempt in range(1, self._attempts + 1):
            exchange = await self._exchange(request)
            fault = exchange.fault
            if fault is None:
                request.state.answered()
                return exchange
            request.keep(exchange)
            if fault.blame is Blame.RUN:
                raise self.stopped(fault.reason)
            if fault.parameter is not None and fault.parameter in request.state.own_parameters:
                raise self.stopped(
                    f"{fault.reason}: leave the --parameter out, or find out again what it takes with --probe"
                )
            if fault.wait is not None and fault.wait > LONGEST_WAIT:
                raise self.stopped(
                    f"{fault.reason}; it asks to wait {fault.wait:,.0f} seconds: run the same command again then"
                )
            # A call that ran into the deadline would do so again, and may have been paid: the next run asks it again.
            is_over = exchange.outcome == "timeout" or attempt == self._attempts
            is_over |= request.is_divisible and exchange.outcome in OF_A_PART
            if fault.blame is not Blame.ENDPOINT or is_over:
                raise GaveUp(fault, exchange, request.state)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._halted.wait(), self._pause(fault, attempt))
        raise AssertionError("a run makes at least one attempt")

    def _pause(self, fault: Fault, attempt: int) -> float:
        """Return what the endpoint asks for, else twice as long each time, spread so that callers do not come back together."""
        if fault.wait is not None:
            return fault.wait + self._rng.random() * 0.1
        return min(_MOST_WAIT, _FIRST_WAIT * 2.0 ** (attempt - 1)) * (0.5 + self._rng.random() / 2)

    async def _exchange(self, request: PendingRequest) -> RequestOutcome:
        """Send one request, in its turn and within the budget; while others may free some of the budget, wait."""
        state = request.state
        while True:
            async with state.gate:
                if self.stop is not None:
                    raise self.stop
                exchange = await within(state.spending, request.ask, request.most, request.send, request.keep)
                if exchange is not None:
                    _learn(state.gate, exchange)
                    return exchange
                if state.spending.is_idle and request.is_divisible:
                    raise BatchTooLarge
                if state.spending.is_idle:
                    raise self.stopped(str(OutOfBudget()), is_fault=False)
            await asyncio.sleep(_BUDGET_WAIT)

    def stopped(self, reason: str, *, is_fault: bool = True) -> RunStopped:
        """Stop the run, after which no request is begun."""
        self.stop = self.stop or RunStopped(reason, is_fault=is_fault)
        self._halted.set()
        return self.stop


def _learn(gate: RequestGate, exchange: RequestOutcome) -> None:
    """Tell the gate how the endpoint fares."""
    now = time.perf_counter()
    if exchange.fault is not None and exchange.fault.is_pushback:
        gate.pace.pushed_back(now, exchange.seconds)
    elif exchange.fault is None:
        gate.pace.answered(now, exchange.seconds)
