"""Judge answers against references with a model, for a check against the gold set.

Every request is kept with its cost. A score is not, because it belongs to a reference and not to an item alone: each check asks
the model again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from annotate.domain.privacy.redaction import for_model
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.scores.calls import Attempt
from annotate.workflow.judging.model import signatures
from annotate.workflow.judging.runs import Options
from annotate.workflow.judging.setups import known_to, setup_of
from proxy.errors import EndpointError
from proxy.judges.llm.base import LlmJudge
from proxy.judges.llm.canaries import MOST, canary
from proxy.judges.menu import MenuChoice, build
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import Endpoint, OutOfBudget, Spending
from proxy.llm.probing import Capability, probe
from proxy.llm.runner import Job, JobEvent, RequestSettings, call
from proxy.records import FailureKind, Item, JudgeFailure, Score

JUDGE = "correctness_vs_reference"


@dataclass
class ModelJudging:
    """Ask one endpoint; `usual` are the parameters to begin a first probe with. Afterwards `is_fooled` tells of the canary."""

    store: Store
    endpoint: Endpoint
    options: Options
    usual: Mapping[str, object]
    clock: Callable[[], str]
    is_fooled: bool = False

    def __call__(self, items: Sequence[Item]) -> list[Score | JudgeFailure]:
        """Return what the model says of each answer; EndpointError where it cannot be used."""
        return asyncio.run(self._ask(items))

    async def _ask(self, items: Sequence[Item]) -> list[Score | JudgeFailure]:
        with self.store.atomic():
            number = self.store.scores.calls.start(self.endpoint.url, self.endpoint.model, now=self.clock())
        asking, stopped = _Asking(self, number, ProgressCounter("asking the model", len(items))), None
        try:
            stopped = await asking.ask(items)
        except (OutOfBudget, EndpointError) as error:
            stopped = str(error)
            raise EndpointError(f"stopped: {stopped}") from error
        finally:
            with self.store.atomic():
                self.store.scores.calls.end(number, stopped, now=self.clock())
            await self.endpoint.close()
        return asking.outcomes(items, stopped)


class _Asking:
    """A run against the endpoint."""

    def __init__(self, judging: ModelJudging, number: int, progress: ProgressCounter) -> None:
        self._judging, self._number, self._progress = judging, number, progress
        options = judging.options
        self._spending = Spending(prices=options.prices, most_money=options.most_money, most_tokens=options.most_tokens)
        self._outcomes: dict[int, Score | JudgeFailure] = {}
        self._judge: LlmJudge | None = None

    async def ask(self, items: Sequence[Item]) -> str | None:
        """Ask the canary first, then everything; why it stopped early, None where it did not."""
        judging, options = self._judging, self._judging.options
        capability = known_to(await self._capability(), options)
        setup = setup_of(judging.endpoint, capability, options)
        judge = self._judge = build(setup, MenuChoice(names=(JUDGE,), right_from=options.choice.right_from))[0]
        settings = RequestSettings(
            parameters=capability.parameters,
            concurrency=options.concurrency,
            deadline=options.deadline,
            attempts=options.attempts,
        )
        rng = random.Random(self._number)  # noqa: S311
        with self._progress:
            ended = await call(self._jobs(items, judge), judging.endpoint, settings, self._spending, self._keep, rng)
        if ended.is_fault:
            raise EndpointError(str(ended.stopped))
        return ended.stopped

    def outcomes(self, items: Sequence[Item], stopped: str | None) -> list[Score | JudgeFailure]:
        """Return the outcome of each item; what was not asked any more is a failure that says why."""
        signature = signatures(self._judge) if self._judge else JUDGE
        reason = stopped or "the endpoint did not answer"
        return [
            self._outcomes.get(n)
            or JudgeFailure(
                item_id=item.id, judge=JUDGE, signature=signature, kind=FailureKind.UNANSWERED, reason=reason
            )
            for n, item in enumerate(items)
        ]

    def _jobs(self, items: Sequence[Item], judge: LlmJudge) -> Iterator[Job]:
        first = canary(judge, self._number)
        jobs = (Job(key=n, item=for_model(replace(item, contexts=())), judge=judge) for n, item in enumerate(items))
        return chain([Job(key=None, item=first, judge=judge)] if first else [], jobs)

    async def _capability(self) -> Capability:
        """Return what is known of the endpoint, or what a probe finds."""
        judging, endpoint = self._judging, self._judging.endpoint
        known = judging.store.scores.calls.capability(endpoint.url, endpoint.model)
        if known is None:
            known = await probe(
                endpoint, dict(judging.usual), judging.options.deadline, self._keep_probe, self._spending
            )
            with judging.store.atomic():
                judging.store.scores.calls.remember(endpoint.url, endpoint.model, known, now=judging.clock())
        return known

    def _keep_probe(self, exchange: RequestOutcome) -> None:
        self._write(Attempt("probe", "", None, 0, is_open=False), exchange)

    def _keep(self, kept: JobEvent) -> None:
        """Keep the request and its outcome; not the item, since the answer was compared with a gold reference."""
        job = kept.job
        if kept.exchange is not None:
            purpose = "canary" if job.key is None else "item"
            self._write(Attempt(purpose, signatures(job.judge), None, kept.step, is_open=False), kept.exchange)
        for outcome in kept.outcomes or ():
            if job.key is not None:
                self._outcomes[job.key] = outcome
                self._progress.advance(1)
            elif isinstance(outcome, Score) and outcome.value > MOST:
                self._judging.is_fooled = True

    def _write(self, attempt: Attempt, exchange: RequestOutcome) -> None:
        judging, prices = self._judging, self._judging.options.prices
        cost = prices.cost(exchange.usage) if prices and exchange.usage else None
        with judging.store.atomic():
            judging.store.scores.calls.keep(self._number, attempt, exchange, cost, now=judging.clock())
