"""Ask a model the questions of a probe: what is kept is not asked again, and the run stays within its budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from annotate.analysis.diagnosis.failed_synthesis import failed_synthesis
from annotate.analysis.diagnosis.inputs import Thresholds
from annotate.domain.gold import GoldStatus
from annotate.domain.privacy.redaction import for_model
from annotate.domain.probe import Probed, ProbedQuestion, ProbeEstimate
from annotate.domain.questions import QuestionRequest
from annotate.store import Store
from annotate.workflow.judging.cost_estimate import asks_of, reply_size
from annotate.workflow.judging.model_request import ModelRequest, check_budget
from annotate.workflow.judging.setups import known_to, setup_of
from annotate.workflow.questions.ask import ask_model, making_jobs, question_makers
from annotate.workflow.questions.passage_requests import (
    PassageJob,
    PassageRequests,
    RequestsMade,
    endpoint_of,
    kept_jobs,
)
from proxy.errors import EndpointError, UsageError
from proxy.judges.llm.asking import Ask
from proxy.judges.llm.base import Setup
from proxy.judges.llm.form import Mode
from proxy.llm.attempt import Usage
from proxy.llm.budget import prompt_size
from proxy.llm.openai_client import usual_parameters
from proxy.llm.probing import Capability
from proxy.questions.nearest import PassageIndex
from proxy.questions.probe import (
    FailedAnswer,
    Probe,
    ProbeAsker,
    ProbeOutcome,
    Probes,
    ProbeVerdict,
    probe_scores,
    probes_of,
    reading_ability,
)
from proxy.questions.records import BuiltQuestion, distinct

EVENT = "diagnose probe"
NO_JSON = "this model cannot reply in JSON, which an answer that is to be marked needs: name another one"


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeRequest:
    """What to probe.

    Attributes
    ----------
    model
        The model that is asked, and what the run may cost.
    questions
        The most questions about the passage of an answer.
    maker
        Another model that makes questions too; None: only patterns of plain sentences, and questions that are in the store.
    thresholds, system
        Which wrong answers point to synthesis, as a diagnosis has them.
    """

    model: ModelRequest
    questions: int = 3
    maker: ModelRequest | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    system: str | None = None

    def __post_init__(self) -> None:
        """Refuse a model that would be asked what it made up itself."""
        if self.maker is not None and self.maker.model == self.model.model:
            raise UsageError(
                "--question-model is the model that is asked: its questions are kept only where it answers them, so that "
                "they would show nothing; name another one, or leave it out"
            )


def estimate(store: Store, request: ProbeRequest) -> ProbeEstimate:
    """Work out what a probe would take; nothing is sent."""
    _check(request)
    failed = failed_synthesis(store, request.thresholds, request.system)
    probes = _probes(request, failed, _stored(store)).probes
    setup = _setup(store, request.model)
    asks = _unpaid(store, _jobs(_one_for_each(setup, probes)))
    making = [] if request.maker is None else _unpaid(store, _making(_setup(store, request.maker), failed))
    # What a model has yet to make is asked of it, answered by it, and then asked like any other question.
    costs = [(request.model.options.prices, [*asks, *making])]
    if request.maker is not None:
        costs.append((request.maker.options.prices, [*making, *making]))
    usages = [(prices, _usage(several)) for prices, several in costs]
    is_priced = all(prices for prices, _ in usages)
    return ProbeEstimate(
        model=request.model.model or "",
        answers=len(failed),
        passages=len(_sources(failed).passages),
        questions=len(probes) + len(making),
        calls=len(asks) + len(making),
        making=2 * len(making),
        prompt_tokens=sum(usage.prompt for _, usage in usages),
        completion_tokens=sum(usage.completion for _, usage in usages),
        cost=sum(prices.cost(usage) for prices, usage in usages if prices) if is_priced else None,
    )


def run(store: Store, request: ProbeRequest, *, who: str, clock: Callable[[], str]) -> Probed:
    """Ask every question whose answer is not kept, and log the run.

    Parameters
    ----------
    store : Store
        Its labels and scores say which answers failed; replies are kept in it.
    request : ProbeRequest
        What to ask, of whom, and what it may cost.
    who : str
        In whose name.
    clock : callable
        Gives the time, ISO 8601 in UTC.

    Returns
    -------
    Probed
        The share of right answers with its interval. Where a budget ended the run, what came back so far.

    Raises
    ------
    UsageError
        Where no model is named, a system is unknown, or a budget of money has no prices.
    EndpointError
        Where the endpoint's fault stopped the run; what came of it so far is kept.
    """
    _check(request)
    with store.only_one("questions"):
        failed = failed_synthesis(store, request.thresholds, request.system)
        questions, costs = _made(store, request, failed, clock)
        probes = _probes(request, failed, [*_stored(store), *questions])
        askers: list[ProbeAsker] = []
        if probes.probes and not costs.is_fault:
            requests = PassageRequests(store, _left(request, costs), clock)
            costs = costs.plus(asyncio.run(requests.run(_askers(probes.probes, askers))))
        result = _probed(request, failed, probes, askers, costs)
        detail = {"model": request.model.model, "questions": len(result.questions), "requests": result.requests}
        with store.atomic():
            store.audit.events.append(EVENT, {**detail, "stopped": result.stopped}, who=who, now=clock())
    if costs.is_fault:
        raise EndpointError(f"stopped: {costs.stopped}; what came back before is kept")
    return result


def _check(request: ProbeRequest) -> None:
    """Refuse a run without a model, and a budget of money without prices."""
    for model in filter(None, (request.model, request.maker)):
        endpoint_of(model)
        check_budget(model)


def _stored(store: Store) -> list[BuiltQuestion]:
    """Return the questions in the store that nobody has retired, those that a person has accepted first."""
    every = [stored for stored in store.questions.all() if stored.status is not GoldStatus.RETIRED]
    every.sort(key=lambda stored: stored.status is not GoldStatus.ACCEPTED)
    return [stored.question for stored in every]


def _probes(request: ProbeRequest, failed: Sequence[FailedAnswer], made: Sequence[BuiltQuestion]) -> Probes:
    limit = request.model.options.context_limit
    return probes_of(failed, made, model=request.model.model or "", most=request.questions, limit=limit)


def _made(
    store: Store, request: ProbeRequest, failed: Sequence[FailedAnswer], clock: Callable[[], str]
) -> tuple[Sequence[BuiltQuestion], RequestsMade]:
    """Have another model make a question of each passage, where one is named; return them, and what that took."""
    index = _sources(failed)
    if request.maker is None or not index.passages:
        return (), RequestsMade()
    asked = ask_model(store, index, _wanted(index), request.maker, clock)
    return asked.kept.questions, asked.made


def _left(request: ProbeRequest, made: RequestsMade) -> ModelRequest:
    """Return the model that is probed, with what making questions has left of the budget."""
    options = request.model.options
    tokens = None if options.most_tokens is None else max(0, options.most_tokens - made.tokens)
    money = None if options.most_money is None else max(0.0, options.most_money - (made.cost or 0.0))
    return replace(request.model, options=replace(options, most_tokens=tokens, most_money=money))


def _sources(failed: Sequence[FailedAnswer]) -> PassageIndex:
    return PassageIndex(distinct(answer.kept_source for answer in failed))


def _wanted(index: PassageIndex) -> QuestionRequest:
    return QuestionRequest(single=len(index.passages), multi=0)


def _making(setup: Setup, failed: Sequence[FailedAnswer]) -> list[PassageJob]:
    """Return the jobs of making a question of each passage."""
    index = _sources(failed)
    return making_jobs(question_makers(setup, index, _wanted(index)))


def _setup(store: Store, model: ModelRequest) -> Setup:
    """Return the setup as far as it is known before anything is sent."""
    endpoint = endpoint_of(model)
    known = store.scores.calls.capability(endpoint.url, endpoint.model)
    capability = known or Capability(mode=Mode.JSON_SCHEMA, parameters=usual_parameters(endpoint.url))
    return setup_of(endpoint, known_to(capability, model.options), model.options)


def _askers(probes: Sequence[Probe], askers: list[ProbeAsker]) -> Callable[[Setup], list[PassageJob]]:
    """Return what makes the jobs once the endpoint is known; the askers are noted."""

    def jobs(setup: Setup) -> list[PassageJob]:
        if setup.mode is Mode.LAST_LINE:
            raise EndpointError(NO_JSON)
        askers.extend(_one_for_each(setup, probes))
        return _jobs(askers)

    return jobs


def _one_for_each(setup: Setup, probes: Sequence[Probe]) -> list[ProbeAsker]:
    """Return an asker for each request: what is the same in both conditions is sent once."""
    return list({(probe.subject, probe.question.question): ProbeAsker(setup, probe) for probe in probes}.values())


def _jobs(askers: Sequence[ProbeAsker]) -> list[PassageJob]:
    return [PassageJob(item=for_model(asker.probe.item), judge=asker) for asker in askers]


def _unpaid(store: Store, jobs: Sequence[PassageJob]) -> list[Ask]:
    """Return the first ask of each job of which no reply is kept."""
    first = [next(iter(asks_of(job)), None) for job in kept_jobs(store, jobs) if not job.replies]
    return [ask for ask in first if isinstance(ask, Ask)]


def _usage(asks: Iterable[Ask]) -> Usage:
    several = list(asks)
    return Usage(prompt=sum(map(prompt_size, several)), completion=sum(map(reply_size, several)))


def _probed(
    request: ProbeRequest,
    failed: Sequence[FailedAnswer],
    probes: Probes,
    askers: Sequence[ProbeAsker],
    costs: RequestsMade,
) -> Probed:
    outcomes = {(asker.probe.subject, asker.probe.question.question): asker.outcome for asker in askers}
    unanswered = ProbeOutcome(ProbeVerdict.UNANSWERED)
    answered = [
        (probe, outcomes.get((probe.subject, probe.question.question)) or unanswered) for probe in probes.probes
    ]
    scores = probe_scores([(probe, outcome.verdict) for probe, outcome in answered])
    return Probed(
        model=request.model.model or "",
        ability=reading_ability(scores[0].right),
        answers=len(failed),
        without=probes.without,
        scores=scores,
        questions=[_question(probe, outcome) for probe, outcome in answered],
        dropped=probes.dropped,
        own=probes.own,
        cut=probes.cut,
        requests=costs.requests,
        tokens=costs.tokens,
        cost=costs.cost if request.model.options.prices else None,
        stopped=costs.stopped,
    )


def _question(probe: Probe, outcome: ProbeOutcome) -> ProbedQuestion:
    return ProbedQuestion(
        answers=probe.answers,
        question=probe.question.question,
        expected=probe.question.reference,
        condition=probe.condition,
        verdict=outcome.verdict,
        text=outcome.text,
    )
