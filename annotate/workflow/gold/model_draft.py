"""Have a model draft the reference of a wrong answer: on request, after the label, where assay.toml switches it on.

Every request is kept with its usage as it ends. A reply that was paid for stays open, and is read again in place of a second
request: after a crash, a reload, and by colleagues. One that cannot be read is closed, so that it can be asked for anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from annotate import settings
from annotate.analysis.gold.model_draft import setup_of
from annotate.domain.privacy.redaction import for_model
from annotate.settings import DRAFT, SETTINGS, DraftSettings
from annotate.store import Store
from annotate.store.scores.calls import Attempt, Taken
from annotate.workflow import masking_policy
from annotate.workflow.gold.review import Actor
from proxy.errors import EndpointError, UsageError
from proxy.judges.llm import reference_draft
from proxy.judges.llm.asking import Ask, Reply, Unreadable
from proxy.judges.llm.reference_draft import ModelDraft
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import OutOfBudget, Prices, Spending, longest, within
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.probing import Capability, probe
from proxy.records import Judgement

DEADLINE = 60.0
EVENT = "model draft"


def draft(store: Store, row: int, *, who: str, clock: Callable[[], str]) -> ModelDraft:
    """Ask the model of assay.toml for a draft of the reference of a wrong answer.

    Parameters
    ----------
    store : Store
        Where requests are kept.
    row : int
        The row of the item.
    who : str
        Who asks: texts of the item leave, so their name stands in the log.
    clock : callable
        Gives the time, ISO 8601 in UTC.

    Returns
    -------
    ModelDraft
        The text with its quotes.

    Raises
    ------
    UsageError
        Where no model is switched on, nobody has called the answer wrong, or nobody signs the request.
    EndpointError
        Where there is no draft, in a plain sentence.
    """
    asked = settings.draft()
    if asked is None:
        raise UsageError(f"no model drafts references here: name one in the table [{DRAFT}] of {SETTINGS}")
    label = store.labels.of_item(row)
    if label is None or label.judgement is not Judgement.WRONG:
        raise UsageError("a model drafts a reference only after somebody has called the answer wrong")
    Actor(who, clock()).checked()
    masking_policy.hold(store, now=clock())
    endpoint = OpenAIEndpoint(asked.model, url=asked.url, concurrency=1)
    endpoint.check_key()
    spending = _left(asked, store.scores.calls.taken_since(reference_draft.NAME, clock()[:10]))
    return asyncio.run(_Drafting(store, row, endpoint, spending, clock, asked, who).draft())


def _left(asked: DraftSettings, taken: Taken) -> Spending:
    """Return what the drafts of today may still take; UsageError where money is limited and no price is known."""
    prices = _prices(asked.model)
    if asked.budget is None:
        return Spending(prices=prices, most_tokens=max(0, asked.tokens - taken.tokens))
    if prices is None:
        raise UsageError(
            f'budget in [{DRAFT}] needs prices per million tokens: put [prices."{asked.model}"] with input and output into '
            f"{SETTINGS}"
        )
    money = taken.money + prices.cost(taken.unpriced)
    return Spending(
        prices=prices,
        most_money=max(0.0, asked.budget - money),
        most_tokens=max(0, asked.tokens - taken.tokens),
    )


def _prices(model: str) -> Prices | None:
    known = settings.prices(model)
    return None if known is None else Prices(**asdict(known))


@dataclass
class _Drafting:
    """A run of one request, or of two where the first reply cannot be read."""

    store: Store
    row: int
    endpoint: OpenAIEndpoint
    spending: Spending
    clock: Callable[[], str]
    asked: DraftSettings
    who: str
    run: int = field(default=0, init=False)

    async def draft(self) -> ModelDraft:
        """Ask, and say in a sentence why there is no draft."""
        with self.store.atomic():
            self.run = self.store.scores.calls.start(self.endpoint.url, self.endpoint.model, now=self.clock())
        stopped = None
        try:
            return await self._draft()
        except Unreadable as fault:
            stopped = "the reply holds no draft"  # what the model said of the item must not outlive it
            raise EndpointError(f"no draft: {fault}") from fault
        except OutOfBudget:
            stopped = self._out_of_budget()
        except EndpointError as error:
            stopped = str(error)
        finally:
            with self.store.atomic():
                self.store.scores.calls.end(self.run, stopped, now=self.clock())
                detail = {"url": self.endpoint.url, "model": self.endpoint.model}
                self.store.audit.events.append(EVENT, detail, who=self.who, now=self.clock())
            await self.endpoint.close()
        raise EndpointError(f"no draft: {stopped}")

    def _out_of_budget(self) -> str:
        limits, keys = f"the {self.asked.tokens:,} tokens", "tokens"
        if self.asked.budget is not None:
            limits, keys = f"{limits} or the {self.asked.budget:g} of money", "tokens or budget"
        return (
            f"the drafts of today have taken {limits} that [{DRAFT}] of {SETTINGS} allows a day: write the reference "
            f"yourself, or raise {keys} there"
        )

    async def _draft(self) -> ModelDraft:
        capability = await self._capability()
        setup = setup_of(self.endpoint.url, self.endpoint.model, capability)
        signature = reference_draft.signature(setup)
        steps = reference_draft.steps(setup, for_model(self.store.traffic.items.get(self.row)))
        paid = iter(self.store.scores.calls.open_replies([self.row]).get((self.row, signature), ()))
        ask, step = next(steps), 0
        try:
            while True:
                reply = next(paid, None) or await self._answered(ask, capability, signature, step)
                ask, step = steps.send(reply), step + 1
        except StopIteration as end:
            made: ModelDraft = end.value
            return made
        except Unreadable:
            with self.store.atomic():
                self.store.scores.calls.close(self.row, signature)
            raise

    async def _capability(self) -> Capability:
        """Return what is known of the endpoint, or what a probe finds."""
        calls, url, model = self.store.scores.calls, self.endpoint.url, self.endpoint.model
        known = calls.capability(url, model)
        if known is None:
            known = await probe(self.endpoint, usual_parameters(url), DEADLINE, self._keep_probe, self.spending)
            with self.store.atomic():
                calls.remember(url, model, known, now=self.clock())
        return known

    async def _answered(self, ask: Ask, capability: Capability, signature: str, step: int) -> Reply:
        """Send one request within the budget, and keep it however it ends."""

        def keep(exchange: RequestOutcome) -> None:
            self._keep(Attempt("item", signature, self.row, step, is_open=exchange.reply is not None), exchange)

        parameters = capability.parameters
        exchange = await within(
            self.spending,
            ask,
            longest(ask, parameters),
            lambda: self.endpoint.send(ask, parameters, DEADLINE),
            keep,
        )
        if exchange is None:
            raise OutOfBudget
        keep(exchange)
        if exchange.reply is None:
            raise EndpointError(exchange.fault.reason if exchange.fault else "the endpoint gave no reply")
        return exchange.reply

    def _keep_probe(self, exchange: RequestOutcome) -> None:
        self._keep(Attempt("probe", "", None, 0, is_open=False), exchange)

    def _keep(self, attempt: Attempt, exchange: RequestOutcome) -> None:
        prices = _prices(self.endpoint.model)
        cost = prices.cost(exchange.usage) if prices is not None and exchange.usage is not None else None
        with self.store.atomic():
            self.store.scores.calls.keep(self.run, attempt, exchange, cost, now=self.clock())
