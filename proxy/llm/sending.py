"""Send one request: limit its reply, check that it fits into the budget, and report it even when it is cut short."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from proxy.judges.llm.asking import Ask, room
from proxy.llm.attempt import Blame, Exchange, Fault
from proxy.llm.budget import Spending, prompt_size

# Among the parameters, and sent in words of the endpoint's: the name by which it knows the most tokens of a reply, and how many
# of them a model that thinks before it answers takes beside the form's.
LIMIT, THINKING = "limit", "thinking"


class Endpoint(Protocol):
    """A model behind an address, to which requests are sent."""

    url: str
    model: str

    async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> Exchange:
        """Send one request and return its exchange; raises nothing but cancellation."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


def without_secrets(url: str) -> str:
    """Return the address without what may be a key: user and password, query, fragment."""
    before_path, slashes, rest = url.rpartition("://") if "://" in url else ("", "", url)
    host, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{before_path}{slashes}{host.rpartition('@')[2]}{slash}{path}"


def longest(ask: Ask, parameters: Mapping[str, object]) -> int:
    """Return the most tokens that the reply may take: what the user asks for, else the form's room and that for thinking."""
    own = parameters.get(str(parameters.get(LIMIT)))
    if isinstance(own, int):
        return own
    thinking = parameters.get(THINKING, 0)
    return room(ask) + (thinking if isinstance(thinking, int) else 0)


async def within(
    spending: Spending,
    ask: Ask,
    most: int,
    send: Callable[[], Awaitable[Exchange]],
    keep_cut: Callable[[Exchange], None],
) -> Exchange | None:
    """Send one request within the budget and return its exchange; None, and nothing sent, where it does not fit.

    A request that is cancelled while it is under way has been made: it is told of before the cancellation goes on.
    """
    prompt = prompt_size(ask) if spending.is_limited else 0
    reservation = spending.reserve(prompt, most)
    if reservation is None:
        return None
    start = time.perf_counter()
    exchange: Exchange | None = None
    try:
        exchange = await send()
    except asyncio.CancelledError:
        cut = Fault(blame=Blame.ENDPOINT, reason="the run was stopped")
        keep_cut(Exchange(outcome="cut short", seconds=time.perf_counter() - start, fault=cut))
        raise
    finally:
        spending.settle(reservation, prompt, exchange)
    return exchange
