"""Account for what calls cost, and whether another still fits: tokens, and money by prices that the user gives.

Prices are per million tokens. A call is reserved at its largest before it is sent, so a run never exceeds its budget
where the endpoint keeps to the longest reply it was allowed. How the endpoint counts prompts is learnt from its first
usage, before which there is one call at a time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from proxy.judges.llm.asking import Ask, room
from proxy.judges.llm.embedding import TextsToEmbed
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage

MILLION = 1_000_000
LONGEST_WAIT = 120.0
# Characters outside ASCII are mostly a token each, four ASCII characters make one.
_PER_ASCII = 0.25
_PER_OTHER = 1.0
_FIRST_RATIO = 1.2
_MARGIN = 1.1
_PERHAPS_PAID = ("timeout", "cut short", "broken connection", "no completion", "no vectors")
# Among the parameters, and sent in words of the endpoint's: the name by which it knows the most tokens of a reply, and how many
# of them a model that thinks before it answers takes beside the form's.
LIMIT, THINKING = "limit", "thinking"


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """Money per million tokens: of the prompt, of the part of it that was cached, and of the reply."""

    input: float
    output: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        """Compute what a call with this usage costs."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.prompt - usage.cached
        return (fresh * self.input + usage.cached * cached + usage.completion * self.output) / MILLION


def estimated(text: str) -> int:
    """Estimate the number of tokens of a text."""
    size = len(text)
    ascii_size = size if text.isascii() else sum(map(str.isascii, text))
    return int(ascii_size * _PER_ASCII + (size - ascii_size) * _PER_OTHER) + 8


def prompt_size(ask: Ask | TextsToEmbed) -> int:
    """Estimate the number of tokens of all that is sent."""
    if isinstance(ask, TextsToEmbed):
        return sum(map(estimated, ask.texts))
    return estimated(ask.system) + estimated(ask.user) + sum(estimated(text) for _, text in ask.turns)


class OutOfBudget(Exception):
    """Another call does not fit into what is left."""

    def __init__(self) -> None:
        super().__init__("the budget, of money or tokens, is used up: run the same command with a new one to go on")


class Spending:
    """The tokens and money that a run has spent and reserved on one model; `beside` is another model of the same budget."""

    def __init__(
        self,
        *,
        prices: Prices | None = None,
        most_money: float | None = None,
        most_tokens: int | None = None,
        beside: Spending | None = None,
    ) -> None:
        self._prices = prices
        self.budget: RunBudget = RunBudget(most_money, most_tokens) if beside is None else beside.budget
        self._ratio = _FIRST_RATIO
        self.has_learnt = False

    @property
    def tokens(self) -> int:
        """The tokens that were spent out of the budget."""
        return self.budget.tokens

    @property
    def money(self) -> float:
        """The money that was spent out of the budget."""
        return self.budget.money

    def reserve(self, prompt: int, longest: int) -> int | None:
        """Reserve a call with its estimated prompt and longest reply; None where it does not fit beside the others."""
        call = Usage(prompt=math.ceil(prompt * self._ratio), completion=longest)
        return self.budget.reserve(call, self)

    def settle(self, reservation: int, prompt: int, exchange: RequestOutcome | None) -> None:
        """Replace a reservation by what was used; prompts longer than estimated are remembered.

        What may have been paid without a word of usage counts as it was reserved; a call that was turned away costs nothing.
        """
        reserved = self.budget.release(reservation)
        if exchange is not None and exchange.usage is not None:
            self.budget.add(exchange.usage, self)
            ratio = _MARGIN * exchange.usage.prompt / max(1, prompt)
            self._ratio = max(1.0, ratio, self._ratio if self.has_learnt else 0.0)
            self.has_learnt = True
        elif exchange is None or exchange.fault is None or exchange.outcome in _PERHAPS_PAID:
            self.budget.add(reserved, self)
            # An endpoint that never tells its usage has nothing to teach.
            self.has_learnt |= exchange is not None and exchange.fault is None

    @property
    def is_limited(self) -> bool:
        """Whether there is a budget at all."""
        return self.budget.is_limited

    @property
    def is_idle(self) -> bool:
        """Whether nothing is reserved, so that waiting would free nothing."""
        return not self.budget.reserved

    def cost(self, usage: Usage) -> float:
        """Compute the money that a usage costs, 0 where prices are not known."""
        return self._prices.cost(usage) if self._prices else 0.0


class RunBudget:
    """The budget that all models of a run are paid from: what was spent, and the calls that are reserved."""

    def __init__(self, most_money: float | None, most_tokens: int | None) -> None:
        self._most_money, self._most_tokens = most_money, most_tokens
        self.is_limited = most_money is not None or most_tokens is not None
        self.reserved: dict[int, tuple[Usage, Spending]] = {}
        self._next = 0
        self.tokens = 0
        self.money = 0.0

    def reserve(self, call: Usage, model: Spending) -> int | None:
        """Reserve a call; None where it does not fit."""
        if self.is_limited and not self._fits([*self.reserved.values(), (call, model)]):
            return None
        self._next += 1
        self.reserved[self._next] = (call, model)
        return self._next

    def release(self, reservation: int) -> Usage:
        """Give a reservation up, and return what was reserved."""
        return self.reserved.pop(reservation)[0]

    def add(self, usage: Usage, model: Spending) -> None:
        """Count what was used."""
        self.tokens += usage.prompt + usage.completion
        self.money += model.cost(usage)

    def _fits(self, waiting: Sequence[tuple[Usage, Spending]]) -> bool:
        """Return whether these calls fit into what is left."""
        if len(waiting) > 1 and not all(model.has_learnt for _, model in waiting):
            return False
        tokens = self.tokens + sum(usage.prompt + usage.completion for usage, _ in waiting)
        if self._most_tokens is not None and tokens > self._most_tokens:
            return False
        return (
            self._most_money is None
            or self.money + sum(model.cost(usage) for usage, model in waiting) <= self._most_money
        )


class Endpoint(Protocol):
    """A model behind an address, to which requests are sent."""

    url: str
    model: str

    async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
        """Send one request and return its exchange; raises nothing but cancellation."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


def longest(ask: Ask, parameters: Mapping[str, object]) -> int:
    """Return the most tokens that the reply may take: what the user asks for, else the form's room and that for thinking."""
    own = parameters.get(str(parameters.get(LIMIT)))
    if isinstance(own, int):
        return own
    thinking = parameters.get(THINKING, 0)
    return room(ask) + (thinking if isinstance(thinking, int) else 0)


async def within(
    spending: Spending,
    ask: Ask | TextsToEmbed,
    most: int,
    send: Callable[[], Awaitable[RequestOutcome]],
    keep_cut: Callable[[RequestOutcome], None],
) -> RequestOutcome | None:
    """Send one request within the budget and return its exchange; None, and nothing sent, where it does not fit.

    A request that is cancelled while it is under way has been made: it is told of before the cancellation goes on.
    """
    import asyncio  # loaded on use: the store reads capabilities and addresses by this module's names

    prompt = prompt_size(ask) if spending.is_limited else 0
    reservation = spending.reserve(prompt, most)
    if reservation is None:
        return None
    start = time.perf_counter()
    exchange: RequestOutcome | None = None
    try:
        exchange = await send()
    except asyncio.CancelledError:
        cut = Fault(blame=Blame.ENDPOINT, reason="the run was stopped")
        keep_cut(RequestOutcome(outcome="cut short", seconds=time.perf_counter() - start, fault=cut))
        raise
    finally:
        spending.settle(reservation, prompt, exchange)
    return exchange
