"""What calls cost, and whether one more still fits: tokens, and money by prices that the user gives.

In come usages and prices a million tokens, out come sums. The rule: a call is reserved at its largest before it is sent, so a
run never goes beyond its budget where the endpoint keeps to the longest reply it was allowed.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.endpoint.exchange import Usage

MILLION = 1_000_000
# Characters outside ASCII are mostly a token each, four ASCII characters make one.
_PER_ASCII = 0.25
_PER_OTHER = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """Money a million tokens: of the prompt, of the part of it that was cached, and of the reply."""

    input: float
    output: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        """What a call with this usage costs."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.prompt - usage.cached
        return (fresh * self.input + usage.cached * cached + usage.completion * self.output) / MILLION


def estimated(text: str) -> int:
    """About how many tokens a text has."""
    size = len(text)
    ascii_size = size if text.isascii() else sum(map(str.isascii, text))
    return int(ascii_size * _PER_ASCII + (size - ascii_size) * _PER_OTHER) + 8


class Spending:
    """What a run has spent and reserved, in tokens and money."""

    def __init__(
        self, *, prices: Prices | None = None, most_money: float | None = None, most_tokens: int | None = None
    ) -> None:
        self._prices = prices
        self._most_money = most_money
        self._most_tokens = most_tokens
        self._reserved: dict[int, Usage] = {}
        self._next = 0
        self._ratio = 1.2
        self.tokens = 0
        self.money = 0.0

    def reserve(self, prompt: int, longest: int) -> int | None:
        """Put a call aside with its estimated prompt and longest reply; None where it does not fit beside the others."""
        call = Usage(prompt=int(prompt * self._ratio), completion=longest)
        waiting = [*self._reserved.values(), call]
        tokens = self.tokens + sum(one.prompt + one.completion for one in waiting)
        if self._most_tokens is not None and tokens > self._most_tokens:
            return None
        if self._most_money is not None and self.money + sum(map(self.cost, waiting)) > self._most_money:
            return None
        self._next += 1
        self._reserved[self._next] = call
        return self._next

    def settle(self, reservation: int, prompt: int, usage: Usage | None) -> None:
        """Put what was used in the place of what was reserved; prompts longer than estimated are remembered."""
        del self._reserved[reservation]
        if usage is None:
            return
        self.tokens += usage.prompt + usage.completion
        self.money += self.cost(usage)
        self._ratio = max(self._ratio, 1.1 * usage.prompt / max(1, prompt))

    @property
    def is_limited(self) -> bool:
        """Whether there is a budget at all."""
        return self._most_money is not None or self._most_tokens is not None

    def cost(self, usage: Usage) -> float:
        """The money that a usage costs, 0 where prices are not known."""
        return self._prices.cost(usage) if self._prices else 0.0
