"""Run LLM judges on items through one endpoint: bounded, resumable, and every request reported as it ends.

`keep` stores what it is given before it returns. A reply is kept before anything else is asked, and no request is
forgotten, whether it was answered, failed or was cut short.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import LlmJudge, Outcome, Steps, failed
from proxy.llm.attempt import Blame, Fault, RequestOutcome
from proxy.llm.budget import LIMIT, LONGEST_WAIT, THINKING, Endpoint, OutOfBudget, Spending, longest, within
from proxy.llm.concurrency import RequestGate
from proxy.records import FailureKind, Item

_FIRST_WAIT, _MOST_WAIT = 0.5, 8.0
_IN_A_ROW = 50
_BUDGET_WAIT = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A judge to run on an item. `key` identifies it; `replies` are those that an earlier run has paid for, in order."""

    key: int | None
    item: Item
    judge: LlmJudge
    replies: tuple[Reply, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class JobEvent:
    """An event of a job: a request ended, its outcomes are there, or both at once. `step` counts its replies."""

    job: Job
    step: int
    exchange: RequestOutcome | None
    outcomes: tuple[Outcome, ...] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestSettings:
    """The parameters that the endpoint knows, and the run's limits."""

    parameters: Mapping[str, object]
    concurrency: int = 16
    deadline: float = 60.0
    attempts: int = 8


class Ended(NamedTuple):
    """The end of a run: `stopped` is None when every job has its outcome, else a line that says why and what to do."""

    stopped: str | None
    is_fault: bool


class _Stop(Exception):
    """The run cannot go on; the message says why."""

    def __init__(self, reason: str, *, is_fault: bool = True) -> None:
        super().__init__(reason)
        self.is_fault = is_fault


class _GaveUp(Exception):
    """A job whose request was never answered."""

    def __init__(self, fault: Fault, raw: str | None) -> None:
        super().__init__(fault.reason)
        self.fault, self.raw = fault, raw


class _Run:
    """The state that the workers share."""

    def __init__(
        self,
        endpoint: Endpoint,
        settings: RequestSettings,
        spending: Spending,
        keep: Callable[[JobEvent], None],
        rng: random.Random,
    ) -> None:
        self.endpoint, self.settings, self.spending, self.keep, self.rng = endpoint, settings, spending, keep, rng
        self.gate = RequestGate(settings.concurrency)
        self.stop: _Stop | None = None
        self._halted = asyncio.Event()
        self._unanswered_in_a_row = 0
        self._doubtful: list[JobEvent] = []
        # How long a reply may be, and how large a form, are questions of the item as well.
        self._own_parameters = {*settings.parameters} - {LIMIT, THINKING}

    async def work(self, jobs: Iterator[Job]) -> None:
        """Take jobs until there are none, or the run has been stopped; what is in flight then is waited for."""
        for job in jobs:
            try:
                await self._judge(job)
            except _Stop:
                return
            await asyncio.sleep(0)  # jobs that need no request must not keep replies waiting

    def finish(self) -> None:
        """Keep what was held back: the endpoint went on to answer, or there was too little to doubt it."""
        for kept in self._doubtful:
            self.keep(kept)
        self._doubtful = []

    async def _judge(self, job: Job) -> None:
        """Lead one judge through its asks; each reply is kept with what it led to."""
        steps, paid = job.judge.steps(job.item), iter(job.replies)
        outcomes, ask = _next(job, steps, None)
        if outcomes is not None:
            self.keep(JobEvent(job=job, step=0, exchange=None, outcomes=outcomes))
        step = 0
        while ask is not None:
            exchange, reply = None, next(paid, None)
            if reply is None:
                try:
                    exchange = await self._answered(job, step, ask)
                except _GaveUp as gave_up:
                    self._give_up(job, step, gave_up)
                    return
                reply = exchange.reply
            outcomes, ask = _next(job, steps, reply)
            if exchange is not None or outcomes is not None:
                self.keep(JobEvent(job=job, step=step, exchange=exchange, outcomes=outcomes))
            step += 1

    def _give_up(self, job: Job, step: int, gave_up: _GaveUp) -> None:
        """Keep the failure; too many in a row are taken to be the endpoint's fault.

        An item that was turned away may have been at fault itself: its failure is held back until another has been answered.
        """
        kinds = {Blame.ENDPOINT: FailureKind.UNANSWERED, Blame.REFUSED: FailureKind.REFUSED}
        kind = kinds.get(gave_up.fault.blame, FailureKind.ERROR)
        outcomes = tuple(failed(job.item, key, kind, gave_up.fault.reason, raw=gave_up.raw) for key in job.judge.judges)
        kept = JobEvent(job=job, step=step, exchange=None, outcomes=outcomes)
        if kind is FailureKind.ERROR:
            self._doubtful.append(kept)
        else:
            self.keep(kept)
        self._unanswered_in_a_row += kind is FailureKind.UNANSWERED
        in_a_row = self._unanswered_in_a_row + len(self._doubtful)
        if in_a_row >= max(_IN_A_ROW, 3 * self.settings.concurrency):
            self._doubtful = []
            raise self.stopped(f"{in_a_row} items in a row had no answer, the last because {gave_up.fault.reason}")

    async def _answered(self, job: Job, step: int, ask: Ask) -> RequestOutcome:
        """Return the exchange that brought a reply; every other is kept, waited for and asked again while that makes sense."""
        for attempt in range(1, self.settings.attempts + 1):
            exchange = await self._exchange(job, step, ask)
            fault = exchange.fault
            if fault is None:
                self._unanswered_in_a_row = 0
                self.finish()
                return exchange
            self.keep(JobEvent(job=job, step=step, exchange=exchange, outcomes=None))
            if fault.blame is Blame.RUN:
                raise self.stopped(fault.reason)
            if fault.parameter is not None and fault.parameter in self._own_parameters:
                raise self.stopped(
                    f"{fault.reason}: leave the --parameter out, or find out again what it takes with --probe"
                )
            if fault.wait is not None and fault.wait > LONGEST_WAIT:
                raise self.stopped(
                    f"{fault.reason}; it asks to wait {fault.wait:,.0f} seconds: run the same command again then"
                )
            # A call that ran into the deadline would do so again, and may have been paid: the next run asks it again.
            if fault.blame is not Blame.ENDPOINT or exchange.outcome == "timeout" or attempt == self.settings.attempts:
                raise _GaveUp(fault, exchange.raw)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._halted.wait(), self._pause(fault, attempt))
        raise AssertionError("a run makes at least one attempt")

    def _pause(self, fault: Fault, attempt: int) -> float:
        """Return what the endpoint asks for, else twice as long each time, spread so that callers do not come back together."""
        if fault.wait is not None:
            return fault.wait + self.rng.random() * 0.1
        return min(_MOST_WAIT, _FIRST_WAIT * 2.0 ** (attempt - 1)) * (0.5 + self.rng.random() / 2)

    async def _exchange(self, job: Job, step: int, ask: Ask) -> RequestOutcome:
        """Send one request, in its turn and within the budget; while others may free some of the budget, wait."""
        while True:
            async with self.gate:
                if self.stop is not None:
                    raise self.stop
                exchange = await within(
                    self.spending,
                    ask,
                    longest(ask, self.settings.parameters),
                    lambda: self.endpoint.send(ask, self.settings.parameters, self.settings.deadline),
                    lambda cut: self.keep(JobEvent(job=job, step=step, exchange=cut, outcomes=None)),
                )
                if exchange is not None:
                    self._learn(exchange)
                    return exchange
                if self.spending.is_idle:
                    raise self.stopped(str(OutOfBudget()), is_fault=False)
            await asyncio.sleep(_BUDGET_WAIT)

    def stopped(self, reason: str, *, is_fault: bool = True) -> _Stop:
        """Stop the run, after which no request is begun."""
        self.stop = self.stop or _Stop(reason, is_fault=is_fault)
        self._halted.set()
        return self.stop

    def _learn(self, exchange: RequestOutcome) -> None:
        """Tell the gate how the endpoint fares."""
        now = time.perf_counter()
        if exchange.fault is not None and exchange.fault.is_pushback:
            self.gate.pace.pushed_back(now, exchange.seconds)
        elif exchange.reply is not None:
            self.gate.pace.answered(now, exchange.seconds)


def _next(job: Job, steps: Steps, reply: Reply | None) -> tuple[tuple[Outcome, ...] | None, Ask | None]:
    """Return the outcomes that the reply led to, or the next ask."""
    try:
        return None, next(steps) if reply is None else steps.send(reply)
    except StopIteration as end:
        outcomes: tuple[Outcome, ...] = end.value
        return outcomes, None
    except Exception as error:  # noqa: BLE001 - one bad item must not stop a run
        words = f"{type(error).__name__}: {error}"[:500]
        return tuple(failed(job.item, key, FailureKind.ERROR, words) for key in job.judge.judges), None


async def call(
    jobs: Iterator[Job],
    endpoint: Endpoint,
    settings: RequestSettings,
    spending: Spending,
    keep: Callable[[JobEvent], None],
    rng: random.Random,
    stoppable: Callable[[Callable[[str], object]], None] | None = None,
) -> Ended:
    """Run the jobs in their order, as many at once as pays.

    `stoppable` is given a function that ends the run for a reason: no request is begun after it is called.
    """
    run = _Run(endpoint, settings, spending, keep, rng)
    if stoppable is not None:
        stoppable(lambda reason: run.stopped(reason, is_fault=False))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(2 * settings.concurrency):  # who waits to ask again leaves the others room
                group.create_task(run.work(jobs))
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    run.finish()
    return Ended(str(run.stop), run.stop.is_fault) if run.stop else Ended(None, False)
