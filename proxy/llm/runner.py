"""Run LLM judges on items through one endpoint: bounded, resumable, and every request reported as it ends.

`keep` stores what it is given before it returns. A reply is kept before anything else is asked, and no request is
forgotten, whether it was answered, failed or was cut short.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import LlmJudge, Outcome, Steps, failed
from proxy.judges.llm.embedding import TextsToEmbed, Vector
from proxy.llm.attempt import Blame, RequestOutcome
from proxy.llm.budget import LIMIT, THINKING, Endpoint, Spending, longest
from proxy.llm.concurrency import RequestGate
from proxy.llm.embedding_batches import EmbeddingBatches, VectorKeeper
from proxy.llm.embeddings import EmbeddingEndpoint
from proxy.llm.requesting import EndpointState, GaveUp, PendingRequest, Requester, RunStopped
from proxy.records import FailureKind, Item

_IN_A_ROW = 50


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Embeddings:
    """The embedding model of a run, what is spent on it, and where its vectors are kept."""

    endpoint: EmbeddingEndpoint
    spending: Spending
    keeper: VectorKeeper


class _Run:
    """The state that the workers share."""

    def __init__(
        self,
        endpoint: Endpoint | None,
        settings: RequestSettings,
        spending: Spending,
        keep: Callable[[JobEvent], None],
        rng: random.Random,
    ) -> None:
        self.endpoint, self.settings, self.keep = endpoint, settings, keep
        self.requester = Requester(settings.attempts, rng)
        # How long a reply may be, and how large a form, are questions of the item as well.
        own = frozenset({*settings.parameters} - {LIMIT, THINKING})
        self.state = EndpointState(RequestGate(settings.concurrency), spending, own)
        self.batches: EmbeddingBatches | None = None
        self._states = [self.state]

    def embed_with(self, embeddings: Embeddings, group: asyncio.TaskGroup) -> None:
        """Ask this model for vectors, in tasks of the run's own."""
        state = EndpointState(RequestGate(self.settings.concurrency), embeddings.spending)
        self._states.append(state)
        self.batches = EmbeddingBatches(
            embeddings.endpoint, state, self.requester, embeddings.keeper, self.settings.deadline, group.create_task
        )

    async def work(self, jobs: Iterator[Job]) -> None:
        """Take jobs until there are none, or the run has been stopped; what is in flight then is waited for."""
        for job in jobs:
            try:
                await self._judge(job)
            except RunStopped:
                return
            await asyncio.sleep(0)  # jobs that need no request must not keep replies waiting

    def finish(self) -> None:
        """Keep what was held back: there was too little to doubt the endpoint."""
        for state in self._states:
            state.keep_doubtful()

    async def _judge(self, job: Job) -> None:
        """Lead one judge through its asks; each reply is kept with what it led to."""
        steps, paid = job.judge.steps(job.item), iter(job.replies)
        outcomes, ask = _next(job, steps, None)
        if outcomes is not None:
            self.keep(JobEvent(job=job, step=0, exchange=None, outcomes=outcomes))
        step = 0
        while ask is not None:
            exchange: RequestOutcome | None = None
            answer: Reply | tuple[Vector, ...] | None
            try:
                if isinstance(ask, TextsToEmbed):
                    answer = await self._vectors(job, ask)
                elif (answer := next(paid, None)) is None:
                    exchange = await self._answered(job, step, ask)
                    answer = exchange.reply
            except GaveUp as gave_up:
                self._give_up(job, step, gave_up)
                return
            is_reply = not isinstance(ask, TextsToEmbed)
            outcomes, ask = _next(job, steps, answer)
            if exchange is not None or outcomes is not None:
                self.keep(JobEvent(job=job, step=step, exchange=exchange, outcomes=outcomes))
            step += is_reply

    async def _vectors(self, job: Job, ask: TextsToEmbed) -> tuple[Vector, ...]:
        """Return a vector for each text."""
        if self.batches is None:
            raise RuntimeError("a judge that compares texts by their vectors runs beside an embedding model")
        return await self.batches.vectors(ask, job.key)

    def _give_up(self, job: Job, step: int, gave_up: GaveUp) -> None:
        """Keep the failure; too many in a row are taken to be the endpoint's fault.

        An item that was turned away may have been at fault itself: its failure is held back until another has been answered.
        """
        kinds = {Blame.ENDPOINT: FailureKind.UNANSWERED, Blame.REFUSED: FailureKind.REFUSED}
        kind, state = kinds.get(gave_up.fault.blame, FailureKind.ERROR), gave_up.state
        outcomes = tuple(
            failed(job.item, key, kind, gave_up.fault.reason, raw=gave_up.exchange.raw) for key in job.judge.judges
        )
        kept = JobEvent(job=job, step=step, exchange=None, outcomes=outcomes)
        stop = self.requester.stop
        if kind is not FailureKind.ERROR:
            self.keep(kept)
        elif (
            stop is None or not stop.is_fault
        ):  # what was in flight when the endpoint was found at fault is no item's failure
            state.doubtful.append(lambda: self.keep(kept))
        state.unanswered_in_a_row += kind is FailureKind.UNANSWERED
        in_a_row = state.unanswered_in_a_row + len(state.doubtful)
        if in_a_row >= max(_IN_A_ROW, 3 * self.settings.concurrency):
            state.doubtful.clear()
            raise self.requester.stopped(
                f"{in_a_row} items in a row had no answer, the last because {gave_up.fault.reason}"
            )

    async def _answered(self, job: Job, step: int, ask: Ask) -> RequestOutcome:
        """Return the exchange that brought a reply."""
        endpoint, settings = self.endpoint, self.settings
        if endpoint is None:
            raise RuntimeError("a judge that asks a model runs beside one")
        request = PendingRequest(
            ask=ask,
            most=longest(ask, settings.parameters),
            state=self.state,
            send=lambda: endpoint.send(ask, settings.parameters, settings.deadline),
            keep=lambda exchange: self.keep(JobEvent(job=job, step=step, exchange=exchange, outcomes=None)),
        )
        return await self.requester.answered(request)


def _next(
    job: Job, steps: Steps, answer: Reply | tuple[Vector, ...] | None
) -> tuple[tuple[Outcome, ...] | None, Ask | TextsToEmbed | None]:
    """Return the outcomes that the answer led to, or the next ask."""
    try:
        return None, next(steps) if answer is None else steps.send(answer)
    except StopIteration as end:
        outcomes: tuple[Outcome, ...] = end.value
        return outcomes, None
    except Exception as error:  # noqa: BLE001 - one bad item must not stop a run
        words = f"{type(error).__name__}: {error}"[:500]
        return tuple(failed(job.item, key, FailureKind.ERROR, words) for key in job.judge.judges), None


async def call(
    jobs: Iterator[Job],
    endpoint: Endpoint | None,
    settings: RequestSettings,
    spending: Spending,
    keep: Callable[[JobEvent], None],
    rng: random.Random,
    stoppable: Callable[[Callable[[str], object]], None] | None = None,
    embeddings: Embeddings | None = None,
) -> Ended:
    """Run the jobs in their order, as many at once as pays.

    `stoppable` is given a function that ends the run for a reason: no request is begun after it is called. `endpoint` is None
    where no judge asks a model, `embeddings` where none compares vectors.
    """
    run = _Run(endpoint, settings, spending, keep, rng)
    if stoppable is not None:
        stoppable(lambda reason: run.requester.stopped(reason, is_fault=False))
    try:
        async with asyncio.TaskGroup() as group:
            if embeddings is not None:
                run.embed_with(embeddings, group)
            for _ in range(2 * settings.concurrency):  # who waits to ask again leaves the others room
                group.create_task(run.work(jobs))
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    run.finish()
    stop = run.requester.stop
    return Ended(str(stop), stop.is_fault) if stop else Ended(None, False)
