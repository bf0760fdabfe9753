"""Ask a model about passages: each reply is kept by its passages as it comes, and read again in place of a second request."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.scores.calls import Attempt
from annotate.workflow import masking_policy
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.setups import known_to, setup_of
from proxy.errors import EndpointError, UsageError
from proxy.judges.llm.asking import Reply
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import OutOfBudget, Spending
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.probing import Capability, probe
from proxy.llm.runner import Ended, Job, JobEvent, RequestSettings, call
from proxy.records import Item


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageJob:
    """What a judge is to be asked of some passages; the item's id holds a hash of the text of each."""

    item: Item
    judge: LlmJudge


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestsMade:
    """What the requests of a run took, and why it stopped early; `cost` None without prices."""

    requests: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    stopped: str | None = None
    is_fault: bool = False

    def plus(self, other: RequestsMade) -> RequestsMade:
        """Add those of a run that came after."""
        return RequestsMade(
            requests=self.requests + other.requests,
            tokens=self.tokens + other.tokens,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
            stopped=self.stopped or other.stopped,
            is_fault=self.is_fault or other.is_fault,
        )


def endpoint_of(model: ModelRequest) -> OpenAIEndpoint:
    """Return a connection to the model; UsageError where none is named, or an address is known to need a key that lacks."""
    endpoint = model.endpoint()
    if endpoint is None:
        raise UsageError("questions are asked of a model: name it with --model")
    endpoint.check_key()
    return endpoint


class PassageRequests:
    """One run against the endpoint of a model."""

    def __init__(self, store: Store, model: ModelRequest, clock: Callable[[], str]) -> None:
        masking_policy.hold(store, now=clock())
        self._store, self._options, self._clock = store, model.options, clock
        self._endpoint = endpoint_of(model)
        options = model.options
        self._spending = Spending(prices=options.prices, most_money=options.most_money, most_tokens=options.most_tokens)
        self._requests = self._run = 0

    async def run(self, jobs: Callable[[Setup], Sequence[PassageJob]]) -> RequestsMade:
        """Lead the jobs that are made for the endpoint's setup; an EndpointError that they raise stops the run."""
        with self._store.atomic():
            self._run = self._store.scores.calls.start(self._endpoint.url, self._endpoint.model, now=self._clock())
        ended = Ended(None, False)
        try:
            capability = known_to(await self._capability(), self._options)
            ended = await self._call(jobs(setup_of(self._endpoint, capability, self._options)), capability)
        except (OutOfBudget, EndpointError) as error:
            ended = Ended(str(error), isinstance(error, EndpointError))
        finally:
            with self._store.atomic():
                self._store.scores.calls.end(self._run, ended.stopped, now=self._clock())
            await self._endpoint.close()
        return RequestsMade(
            requests=self._requests,
            tokens=self._spending.tokens,
            cost=self._spending.money if self._options.prices else None,
            stopped=ended.stopped,
            is_fault=ended.is_fault,
        )

    async def _call(self, jobs: Sequence[PassageJob], capability: Capability) -> Ended:
        limits = self._options
        settings = RequestSettings(
            parameters=capability.parameters,
            concurrency=limits.concurrency,
            deadline=limits.deadline,
            attempts=limits.attempts,
        )
        rng = random.Random(self._run)  # noqa: S311
        self._progress = ProgressCounter("asking the model", len(jobs))
        with self._progress:
            return await call(
                iter(kept_jobs(self._store, jobs)), self._endpoint, settings, self._spending, self._keep, rng
            )

    async def _capability(self) -> Capability:
        calls, endpoint = self._store.scores.calls, self._endpoint
        known = None if self._options.probes_again else calls.capability(endpoint.url, endpoint.model)
        if known is None:
            usual = usual_parameters(endpoint.url)
            known = await probe(endpoint, usual, self._options.deadline, self._keep_probe, self._spending)
            with self._store.atomic():
                calls.remember(endpoint.url, endpoint.model, known, now=self._clock())
        return known

    def _keep_probe(self, exchange: RequestOutcome) -> None:
        with self._store.atomic():
            self._keep_attempt(Attempt("probe", "", None, 0, is_open=False), exchange)

    def _keep(self, event: JobEvent) -> None:
        """Keep a request and its reply in one transaction."""
        (signature,) = (signature for _, signature in event.job.judge.judges)
        if event.exchange is not None:
            self._requests += 1
            with self._store.atomic():
                if event.exchange.reply is not None:
                    place = (event.job.item.id, signature, event.step)
                    self._store.questions.keep_reply(*place, event.exchange.reply, now=self._clock())
                # The reply is kept by its passages above, where forgetting finds it.
                bare = replace(event.exchange, reply=None, raw=None)
                self._keep_attempt(Attempt("item", signature, None, event.step, is_open=False), bare)
        if event.outcomes is not None:
            self._progress.advance(1)

    def _keep_attempt(self, attempt: Attempt, exchange: RequestOutcome) -> None:
        prices = self._options.prices
        cost = prices.cost(exchange.usage) if prices and exchange.usage else None
        self._store.scores.calls.keep(self._run, attempt, exchange, cost, now=self._clock())


def kept_jobs(store: Store, jobs: Sequence[PassageJob]) -> list[Job]:
    """Return the jobs with the replies that an earlier run has paid for; those come first, so that no budget leaves them out."""
    made = [
        Job(key=place, item=job.item, judge=job.judge, replies=_replies(store, job)) for place, job in enumerate(jobs)
    ]
    return sorted(made, key=lambda job: not job.replies)


def _replies(store: Store, job: PassageJob) -> tuple[Reply, ...]:
    ((_, signature),) = job.judge.judges
    return store.questions.replies(job.item.id, signature)
