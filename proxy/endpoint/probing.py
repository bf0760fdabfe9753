"""What an endpoint can do, found out with a few tiny requests: how it can be held to a form, and which parameters it knows.

In comes an endpoint, out comes a capability that is stored and not asked for again. The rule: the best mode that works
wins; a parameter that is refused by name is left out; an endpoint that answers nothing is an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from proxy.endpoint.calling import LONGEST_WAIT, Endpoint
from proxy.endpoint.exchange import Blame, Exchange
from proxy.errors import EndpointError
from proxy.judges.llm.asking import Ask
from proxy.judges.llm.base import REPLIES, system_text
from proxy.judges.llm.form import Form, Mode, Question
from proxy.judges.llm.prompts import ENGLISH, standard
from proxy.judges.llm.reading import Unreadable, read

_TRIES = 4
_FORM = Form((Question(key="answerable", choices=("no", "yes")),))
_TASK = (
    "The user message is a JSON object with a question and passages. Decide for the key `answerable`: can the passages answer "
    "the question? Give a short reason, then the verdict yes or no."
)
_USER = '{"question": "What colour is the sky in the text?", "passages": ["In the text the sky is green."]}'


@dataclass(frozen=True, kw_only=True, slots=True)
class Capability:
    """How an endpoint can be held to a form, and the parameters that it takes."""

    mode: Mode
    parameters: Mapping[str, object]


async def probe(
    endpoint: Endpoint, parameters: Mapping[str, object], deadline: float, keep: Callable[[Exchange], None]
) -> Capability:
    """The endpoint's capability; every exchange goes to `keep`."""
    last: Exchange | None = None
    for mode in Mode:
        found, last = await _try(endpoint, mode, dict(parameters), deadline, keep)
        if found is not None:
            return found
    if last is not None and last.reply is None:
        reason = last.fault.reason if last.fault else last.outcome
        raise EndpointError(f"{endpoint.url} did not answer: {reason}")
    return Capability(mode=Mode.LAST_LINE, parameters=_without(parameters, "logprobs", "top_logprobs"))


async def _try(
    endpoint: Endpoint, mode: Mode, parameters: dict[str, object], deadline: float, keep: Callable[[Exchange], None]
) -> tuple[Capability | None, Exchange | None]:
    """The capability if this mode works, and the last exchange."""
    exchange: Exchange | None = None
    faults = 0
    while faults < _TRIES:
        exchange = await endpoint.send(_ask(mode), parameters, deadline)
        keep(exchange)
        if exchange.reply is not None:
            try:
                reading = read(exchange.reply, _FORM, mode)["answerable"]
            except Unreadable:
                faults += 2  # a capable model may slip once
                continue
            if not reading.chances:
                parameters = _without(parameters, "logprobs", "top_logprobs")
            return Capability(mode=mode, parameters=parameters), exchange
        fault = exchange.fault
        if fault is None or fault.blame is Blame.RUN or (fault.wait or 0) > LONGEST_WAIT:
            raise EndpointError(fault.reason if fault else exchange.outcome)
        if fault.blame is Blame.ENDPOINT:
            faults += 1
            if faults < _TRIES:
                await asyncio.sleep(0.2 * faults if fault.wait is None else fault.wait)
            continue
        left_out = _refused(fault.parameter, fault.reason, parameters)
        if left_out is None:
            return None, exchange
        parameters = left_out
    return None, exchange


def _ask(mode: Mode) -> Ask:
    """The tiny task in this mode."""
    system = system_text(_TASK, standard().text(REPLIES[mode], ENGLISH), mode, _FORM)
    return Ask(system=system, user=_USER, form=_FORM, mode=mode)


def _refused(named: str | None, reason: str, parameters: Mapping[str, object]) -> dict[str, object] | None:
    """The parameters without the one that the endpoint refuses; None where that is none of ours."""
    words = f"{named or ''} {reason}"
    if "response_format" in words or "json_schema" in words or "json_object" in words:
        return None
    if parameters.get("limit") in ("max_tokens", "max_completion_tokens") and str(parameters["limit"]) in words:
        other = "max_completion_tokens" if parameters["limit"] == "max_tokens" else "max_tokens"
        return {**_without(parameters, "limit"), "limit": other}
    for name in parameters:
        if name in words:
            both = ("logprobs", "top_logprobs") if "logprobs" in name else (name,)
            return _without(parameters, *both)
    return None


def _without(parameters: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in parameters.items() if name not in names}
