"""Judge a single answer before it is given, for an app that wants to reconsider answers that would not pass.

`judge_one` needs no network and takes a few milliseconds; a `Reflector` asks a model, once for both scores of the
default rule. Both return a Reflection.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from proxy.errors import EndpointError, RuleError
from proxy.judges import Judge, offline
from proxy.judges.base import checked
from proxy.judges.llm.base import Outcome, Setup
from proxy.judges.llm.one_call import LlmContextRelevanceAndFaithfulness
from proxy.judges.llm.prompts import Prompts, standard
from proxy.judges.menu import DEFAULT
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import Spending
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.probing import Capability, probe
from proxy.llm.runner import Job, JobEvent, RequestSettings, call
from proxy.records import Context, Item, JudgeFailure, Score, SentenceVerdict, Support, Verdict
from proxy.rule import DEFAULT_EXPRESSION, Rule, judges_of
from proxy.scoring import score_batch
from proxy.text.controls import displayable


@dataclass(frozen=True, kw_only=True, slots=True)
class Reflection:
    """The judges' outcomes on one answer, and the rule's verdict; `value` is None where the answer is unscored."""

    outcomes: Mapping[str, Outcome]
    verdict: Verdict
    value: float | None

    @property
    def unsupported(self) -> tuple[SentenceVerdict, ...]:
        """The sentences of the answer that the passages do not support: what to leave out, or to look up again."""
        sentences = [
            sentence
            for outcome in self.outcomes.values()
            if isinstance(outcome, Score)
            for sentence in outcome.sentences
        ]
        return tuple(
            sentence for sentence in sentences if sentence.support not in (Support.SUPPORTED, Support.NO_CLAIM)
        )

    @property
    def reasons(self) -> Mapping[str, str]:
        """The reason of each judge."""
        return {judge: outcome.reason for judge, outcome in self.outcomes.items()}


def judge_one(
    question: str,
    contexts: Sequence[str],
    answer: str,
    *,
    rule: str = DEFAULT_EXPRESSION,
    judges: Sequence[Judge] | None = None,
) -> Reflection:
    """Judge one answer with the offline judges, or those given.

    Parameters
    ----------
    question : str
        What was asked.
    contexts : sequence of str
        The retrieved passages, in rank order.
    answer : str
        The answer to judge.
    rule : str
        An expression above a threshold; percentiles need traffic and are refused.
    judges : sequence of Judge, optional
        The judges to run; None: the offline judges.

    Returns
    -------
    Reflection
        The outcome of each judge, the verdict (pass, fail or unscored), and the rule's value.

    Raises
    ------
    RuleError
        Where the rule does not parse, or reads percentiles or another judge.
    TypeError
        Where `contexts` is one text.
    UsageError
        For `judges` that are no list of judges of different names.
    """
    item = _item(question, contexts, answer)
    return _reflection(score_batch([item], offline() if judges is None else checked(judges))[0], rule)


class Reflector:
    """A model as judge of single answers: `async with Reflector("model", url=...) as reflector`, one for the app's life.

    `redact` is applied to every text that is sent; `parameters` are those of each request, like reasoning_effort. The endpoint's
    capability is found out once, with the first answer. EndpointError where it cannot be used, RuleError for another rule than
    one over context relevance and faithfulness.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        key: str | None = None,
        rule: str = DEFAULT_EXPRESSION,
        deadline: float = 60.0,
        concurrency: int = 16,
        prompts: Prompts | None = None,
        parameters: Mapping[str, object] | None = None,
        redact: Callable[[str], str] = displayable,
    ) -> None:
        _check(rule, DEFAULT)
        self._endpoint = OpenAIEndpoint(model, url=url, key=key, concurrency=concurrency)
        self._endpoint.check_key()
        self._rule, self._deadline, self._prompts = rule, deadline, prompts or standard()
        self._parameters, self._redact = parameters or {}, redact
        self._places, self._probing = asyncio.Semaphore(concurrency), asyncio.Lock()
        self._found: Capability | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._endpoint.close()

    async def judge_one(self, question: str, contexts: Sequence[str], answer: str) -> Reflection:
        """Judge one answer with the model, in one call for context relevance and faithfulness."""
        capability = await self._capability()
        judge = LlmContextRelevanceAndFaithfulness(setup=self._setup(capability))
        outcomes: list[Outcome] = []

        def keep(kept: JobEvent) -> None:
            outcomes.extend(kept.outcomes or ())

        item = _item(self._redact(question), [self._redact(text) for text in contexts], self._redact(answer))
        job = Job(key=None, item=item, judge=judge)
        settings = RequestSettings(parameters=capability.parameters, concurrency=1, deadline=self._deadline, attempts=3)
        async with self._places:
            ended = await call(iter([job]), self._endpoint, settings, Spending(), keep, random.Random(0))  # noqa: S311
        if ended.stopped:
            raise EndpointError(ended.stopped)
        return _reflection(outcomes, self._rule)

    async def _capability(self) -> Capability:
        """Probe what the endpoint can do, once."""
        async with self._probing:
            if self._found is None:
                usual = {**usual_parameters(self._endpoint.url), **self._parameters}
                self._found = await probe(self._endpoint, usual, self._deadline, _forget)
        return self._found

    def _setup(self, capability: Capability) -> Setup:
        return Setup(
            url=self._endpoint.url,
            model=self._endpoint.model,
            mode=capability.mode,
            prompts=self._prompts,
            parameters=capability.parameters,
        )


def _forget(exchange: RequestOutcome) -> None:
    """Discard an exchange: a single answer keeps no ledger of requests."""


def _item(question: str, contexts: Sequence[str], answer: str) -> Item:
    if isinstance(contexts, str):
        raise TypeError("contexts is a list of passages, not one text")
    return Item(id="", question=question, answer=answer, contexts=tuple(Context(text=text) for text in contexts))


def _check(expression: str, judges: Collection[str]) -> tuple[str, ...]:
    """Return the judges that the rule reads; RuleError where one answer cannot meet it."""
    names, ranked = judges_of(expression)
    if ranked:
        raise RuleError(f"{expression!r} speaks of percentiles, which one answer has not: write it with raw scores")
    if unknown := [name for name in names if name not in judges]:
        raise RuleError(f"nobody judges {unknown[0]} here: the judges are {', '.join(judges)}")
    return names


def _reflection(outcomes: Sequence[Outcome], expression: str) -> Reflection:
    """Collect the outcomes by judge, and apply the rule to them."""
    by_judge = {outcome.judge: outcome for outcome in outcomes}
    names = _check(expression, by_judge)
    needed = {name: by_judge[name] for name in names}
    scores = {name: outcome.value for name, outcome in needed.items() if not isinstance(outcome, JudgeFailure)}
    if len(scores) < len(names):
        return Reflection(outcomes=by_judge, verdict=Verdict.UNSCORED, value=None)
    rule = Rule(name="one", version=0, expression=expression, signatures={})
    values = rule.values({name: np.array([value]) for name, value in scores.items()})
    verdict = Verdict.PASS if rule.passes(values)[0] else Verdict.FAIL
    return Reflection(outcomes=by_judge, verdict=verdict, value=float(values[0]))
