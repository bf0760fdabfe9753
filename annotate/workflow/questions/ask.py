"""Ask a model for questions: each reply is kept as it comes, and read again in place of a second request."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from annotate.domain.privacy.redaction import for_model
from annotate.domain.questions import QuestionRequest
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.scores.calls import Attempt
from annotate.workflow import masking_policy
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.setups import known_to, setup_of
from proxy.errors import EndpointError, UsageError
from proxy.judges.llm.form import Mode
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import OutOfBudget, Spending
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.probing import Capability, probe
from proxy.llm.runner import Ended, Job, JobEvent, RequestSettings, call
from proxy.questions.filtering import Kept, filtered
from proxy.questions.from_model import QuestionMaker, subject
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import BuiltQuestion, DropReason, Passage, QuestionKind
from proxy.text.tokens import words

# A passage of fewer words states no fact that a user would ask for.
FEWEST_WORDS = 6
NO_JSON = "this model cannot reply in JSON, which a question with its answer needs: name another one, or build without a model"


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedModel:
    """The questions that a model made, what was dropped, what the requests took, and why the run stopped early."""

    kept: Kept
    requests: int
    tokens: int
    cost: float | None
    stopped: str | None
    is_fault: bool = False


def ask_model(
    store: Store, index: PassageIndex, wanted: QuestionRequest, model: ModelRequest, clock: Callable[[], str]
) -> AskedModel:
    """Have a model make questions of passages that the seed chooses; what was replied before is not asked again."""
    masking_policy.hold(store, now=clock())
    endpoint = model.endpoint()
    if endpoint is None:
        raise UsageError("questions are asked of a model: name it with --model")
    endpoint.check_key()
    return asyncio.run(_Asking(store, index, wanted, model, clock, endpoint).run())


class _Asking:
    """One run against the endpoint."""

    def __init__(
        self,
        store: Store,
        index: PassageIndex,
        wanted: QuestionRequest,
        model: ModelRequest,
        clock: Callable[[], str],
        endpoint: OpenAIEndpoint,
    ) -> None:
        self._store, self._index, self._wanted, self._options = store, index, wanted, model.options
        self._clock, self._endpoint = clock, endpoint
        options = model.options
        self._spending = Spending(prices=options.prices, most_money=options.most_money, most_tokens=options.most_tokens)
        self._requests = self._run = 0

    async def run(self) -> AskedModel:
        """Ask about every passage and pair that is chosen."""
        with self._store.atomic():
            self._run = self._store.scores.calls.start(self._endpoint.url, self._endpoint.model, now=self._clock())
        makers: list[QuestionMaker] = []
        ended = Ended(None, False)
        try:
            capability = known_to(await self._capability(), self._options)
            makers = self._makers(capability)
            ended = await self._call(makers, capability)
        except (OutOfBudget, EndpointError) as error:
            ended = Ended(str(error), isinstance(error, EndpointError))
        finally:
            with self._store.atomic():
                self._store.scores.calls.end(self._run, ended.stopped, now=self._clock())
            await self._endpoint.close()
        money = self._spending.money if self._options.prices else None
        return AskedModel(
            kept=_kept(makers, self._index),
            requests=self._requests,
            tokens=self._spending.tokens,
            cost=money,
            stopped=ended.stopped,
            is_fault=ended.is_fault,
        )

    def _makers(self, capability: Capability) -> list[QuestionMaker]:
        if capability.mode is Mode.LAST_LINE:
            raise EndpointError(NO_JSON)
        setup = setup_of(self._endpoint, capability, self._options)
        chosen = chosen_sources(self._index, self._wanted)
        return [
            QuestionMaker(setup, kind, self._index, {subject(sources).id: sources for sources in chosen[kind]})
            for kind in QuestionKind
        ]

    async def _call(self, makers: Sequence[QuestionMaker], capability: Capability) -> Ended:
        limits = self._options
        settings = RequestSettings(
            parameters=capability.parameters,
            concurrency=limits.concurrency,
            deadline=limits.deadline,
            attempts=limits.attempts,
        )
        rng = random.Random(self._run)  # noqa: S311
        self._progress = ProgressCounter("asking the model", sum(len(maker.sources) for maker in makers))
        with self._progress:
            return await call(self._jobs(makers), self._endpoint, settings, self._spending, self._keep, rng)

    def _jobs(self, makers: Sequence[QuestionMaker]) -> Iterator[Job]:
        for maker in makers:
            for place, (name, sources) in enumerate(maker.sources.items()):
                replies = self._store.questions.replies(name, maker.signature)
                yield Job(key=place, item=for_model(subject(sources)), judge=maker, replies=replies)

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


def _kept(makers: Sequence[QuestionMaker], index: PassageIndex) -> Kept:
    """Return the questions that came of the subjects, in their order; of some the endpoint gave no reply."""
    made: list[BuiltQuestion] = []
    dropped: Counter[DropReason] = Counter()
    for maker in makers:
        for name in maker.sources:
            outcome = maker.outcomes.get(name, DropReason.UNANSWERED)
            if isinstance(outcome, BuiltQuestion):
                made.append(outcome)
            else:
                dropped[outcome] += 1
    kept = filtered(made, index)
    return Kept(questions=kept.questions, dropped=kept.dropped + dropped)


def chosen_sources(index: PassageIndex, wanted: QuestionRequest) -> dict[QuestionKind, list[tuple[Passage, ...]]]:
    """Choose passages by lot, and pairs of a passage with the nearest one that is in no other pair."""
    lots = sorted(
        (passage for passage in index.passages if len(words(passage.text)) >= FEWEST_WORDS),
        key=lambda passage: sha256(f"{wanted.seed}|{passage.text}".encode("utf-8", "surrogatepass")).digest(),
    )
    return {
        QuestionKind.SINGLE: [(passage,) for passage in lots[: wanted.single]],
        QuestionKind.MULTI: list(islice(_pairs(index, lots), wanted.multi)),
    }


def _pairs(index: PassageIndex, lots: Sequence[Passage]) -> Iterator[tuple[Passage, ...]]:
    free = {passage.id for passage in lots}
    for passage in lots:
        if passage.id not in free:
            continue
        free.discard(passage.id)
        partner = next((other for other in index.ranked(passage.text) if other.id in free), None)
        if partner is not None:
            free.discard(partner.id)
            yield (passage, partner)
