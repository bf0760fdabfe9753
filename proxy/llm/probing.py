"""Probe with a few tiny requests what an endpoint can do: how it can be held to a form, and which parameters it knows.

The capability is stored and not asked for again. The best mode that works wins; a parameter that is refused by name is
left out; an endpoint that answers nothing is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from proxy.errors import EndpointError
from proxy.judges.llm.asking import Ask
from proxy.judges.llm.base import REPLIES, system_text
from proxy.judges.llm.form import Mode, Question, QuestionForm
from proxy.judges.llm.prompts import ENGLISH, standard
from proxy.judges.llm.reading import Unreadable, read
from proxy.llm.attempt import Blame, Fault, RequestOutcome
from proxy.llm.budget import LIMIT, LONGEST_WAIT, THINKING, Endpoint, OutOfBudget, Spending, longest, within

_TRIES = 4
# Tokens for thinking, of a model that turns out to think: half a minute of it, then all that is usual.
_THINKING = (8_192, 32_768)
_TIMEOUTS = 2
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 8.0
# Whatever was asked for: that a form is not known makes no server unreachable.
_PASSING = ("unreachable", "http 408", "http 409", "http 425")
_LIMITS = ("max_tokens", "max_completion_tokens")
_FORM = QuestionForm((Question(key="answerable", choices=("no", "yes")),))
_TASK = (
    "The user message is a JSON object with a question and passages. Decide for the key `answerable`: can the passages answer "
    "the question? Give a short reason, then the verdict yes or no."
)
_USER = '{"question": "What colour is the sky in the text?", "passages": ["In the text the sky is green."]}'


@dataclass(frozen=True, kw_only=True, slots=True)
class Capability:
    """The way in which an endpoint can be held to a form, and the parameters that it takes."""

    mode: Mode
    parameters: Mapping[str, object]


async def probe(
    endpoint: Endpoint,
    parameters: Mapping[str, object],
    deadline: float,
    keep: Callable[[RequestOutcome], None],
    spending: Spending | None = None,
) -> Capability:
    """Probe the endpoint's capability; every exchange goes to `keep`. OutOfBudget where `spending` has no room for it."""
    run = _Probe(endpoint, deadline, keep, spending or Spending())
    run.parameters = dict(parameters)
    doubted: Mode | None = None
    for mode in Mode:
        capability = await run.tried(mode)
        if capability is not None and doubted is not None:
            # Only now can the form be told from a passing fault of the endpoint as the reason of its errors.
            return await run.tried(doubted, tries=1) or capability
        if capability is not None:
            return capability
        if run.last is not None and run.last.fault is not None and run.last.fault.blame is Blame.ENDPOINT:
            doubted = doubted or mode
    if run.last is not None and run.last.reply is None:
        reason = run.last.fault.reason if run.last.fault else run.last.outcome
        raise EndpointError(f"{endpoint.url} cannot be used: {reason}")
    return Capability(mode=Mode.LAST_LINE, parameters=_without(run.parameters, "logprobs", "top_logprobs"))


class _Probe:
    """The requests of one probe; `last` is how the last one ended, `parameters` are those that have not been refused."""

    def __init__(
        self, endpoint: Endpoint, deadline: float, keep: Callable[[RequestOutcome], None], spending: Spending
    ) -> None:
        self.endpoint, self.deadline, self.keep, self.spending = endpoint, deadline, keep, spending
        self.last: RequestOutcome | None = None
        self.parameters: dict[str, object] = {}
        self._limits: set[object] = set()
        self._timeouts = 0

    async def tried(self, mode: Mode, *, tries: int = _TRIES) -> Capability | None:
        """Try this mode and return the capability if it works; EndpointError where the endpoint cannot be reached at all."""
        faults = passing = 0
        self._limits.add(self.parameters.get(LIMIT))
        while faults < tries:
            exchange = await self._sent(_ask(mode), self.parameters)
            fault = exchange.fault
            if fault is None:
                needs_room = self._makes_room(exchange)
                capability = _shown_capability(exchange, mode, self.parameters)
                if capability is not None:
                    return capability
                faults += 0 if needs_room else _TRIES // 2  # a capable model may slip once
            elif fault.blame is Blame.RUN or (fault.wait or 0) > LONGEST_WAIT:
                raise EndpointError(fault.reason)
            elif fault.blame is not Blame.ENDPOINT:
                left_out = _refused(fault, self.parameters, self._limits)
                if left_out is None:
                    return None
                self.parameters = left_out
            else:
                self._timeouts += exchange.outcome == "timeout"
                if self._timeouts >= _TIMEOUTS:
                    raise EndpointError(f"{self.endpoint.url} cannot be used: {fault.reason}")
                weight = _weight(exchange)
                faults, passing = faults + weight, passing + (not weight)
                if passing >= (2 * _TRIES if fault.is_pushback else _TRIES):
                    raise EndpointError(f"{self.endpoint.url} cannot be used: {fault.reason}")
                import asyncio  # loaded on use: the store reads capabilities without sending anything

                pause = _FIRST_PAUSE * (faults + passing) ** (2 if fault.is_pushback else 1)
                await asyncio.sleep(min(_LONGEST_PAUSE, pause) if fault.wait is None else fault.wait)
        return None

    def _makes_room(self, exchange: RequestOutcome) -> bool:
        """Give more room to a model that turns out to think before it answers, at most twice; return whether it did."""
        reply, usage = exchange.reply, exchange.usage
        thinks = usage is not None and usage.thinks
        if reply is None or not (thinks or reply.finish == "length" or reply.text.lstrip().startswith("<think>")):
            return False
        now = self.parameters.get(THINKING, 0)
        more = next((room for room in _THINKING if isinstance(now, int) and room > now), None)
        if more is None or (now and reply.finish != "length"):
            return False
        self.parameters[THINKING] = more
        return True

    async def _sent(self, ask: Ask, parameters: Mapping[str, object]) -> RequestOutcome:
        """Send one request, within the budget."""
        exchange = await within(
            self.spending,
            ask,
            longest(ask, parameters),
            lambda: self.endpoint.send(ask, parameters, self.deadline),
            self.keep,
        )
        if exchange is None:
            raise OutOfBudget
        self.keep(exchange)
        self.last = exchange
        return exchange


def _weight(exchange: RequestOutcome) -> int:
    """Weigh how much a fault of the endpoint counts against the form; 0 where it is of no request in particular."""
    if exchange.outcome == "timeout":
        return _TRIES // 2
    is_pushback = exchange.fault is not None and exchange.fault.is_pushback
    return 0 if is_pushback or exchange.outcome in _PASSING else 1


def _shown_capability(exchange: RequestOutcome, mode: Mode, parameters: Mapping[str, object]) -> Capability | None:
    """Return the capability that a reply shows; None where it cannot be read."""
    if exchange.reply is None:
        return None
    try:
        reading = read(exchange.reply, _FORM, mode)["answerable"]
    except Unreadable:
        return None
    kept = parameters if reading.chances else _without(parameters, "logprobs", "top_logprobs")
    return Capability(mode=mode, parameters=kept)


def _ask(mode: Mode) -> Ask:
    """Build the tiny task in this mode."""
    system = system_text(_TASK, standard().text(REPLIES[mode], ENGLISH), mode, _FORM)
    return Ask(system=system, user=_USER, form=_FORM, mode=mode)


def _refused(fault: Fault, parameters: Mapping[str, object], limits: set[object]) -> dict[str, object] | None:
    """Return the parameters without the one that the endpoint refuses; None where that is none of ours.

    `limits` are the names for the longest reply that were tried: an endpoint that refuses both is sent neither.
    """
    words = f"{fault.parameter or ''} {fault.reason}"
    if "response_format" in words or "json_schema" in words or "json_object" in words:
        return None
    limit = parameters.get(LIMIT)
    if limit is not None and str(limit) in words:
        other = next((name for name in _LIMITS if name not in limits), None)
        limits.add(other)
        return _without(parameters, LIMIT) | ({} if other is None else {LIMIT: other})
    named = [name for name in parameters if name not in (LIMIT, THINKING) and name in words]
    if not named:
        return None
    first = fault.parameter if fault.parameter in named else named[0]
    return _without(parameters, *(("logprobs", "top_logprobs") if "logprobs" in first else (first,)))


def _without(parameters: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in parameters.items() if name not in names}
