"""Build test questions from passages: by patterns of sentences, or by a model. Building again adds what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from annotate.domain.questions import QuestionRequest, QuestionsBuilt
from annotate.store import Store
from annotate.workflow.judging.model_request import ModelRequest, check_budget
from annotate.workflow.questions.ask import ask_model
from annotate.workflow.questions.passage_requests import RequestsMade
from annotate.workflow.questions.passages import read_passages
from proxy.errors import EndpointError
from proxy.questions.conditions import ConditionSettings, conditions
from proxy.questions.filtering import Kept
from proxy.questions.from_templates import from_templates
from proxy.questions.nearest import PassageIndex

EVENT = "questions build"


@dataclass(frozen=True, kw_only=True, slots=True)
class Building:
    """What to build, of the passages of which file (None: of the traffic), by which model (None: by patterns)."""

    wanted: QuestionRequest
    file: str | None = None
    model: ModelRequest | None = None


def build(store: Store, building: Building, *, who: str, clock: Callable[[], str]) -> QuestionsBuilt:
    """Build questions and their items, keep what is new, and log it.

    Parameters
    ----------
    store : Store
        Where they are kept: each question as a gold candidate of role synthetic.
    building : Building
        What to build, and of what.
    who : str
        In whose name.
    clock : callable
        Gives the time, ISO 8601 in UTC.

    Returns
    -------
    QuestionsBuilt
        What is new, and what was dropped and why. Where a model stopped on the way, what came of it so far is kept.

    Raises
    ------
    UsageError
        Where there are no passages, or a budget of money without prices.
    EndpointError
        Where the endpoint's fault stopped the run; what came of it so far is kept.
    """
    if building.model is not None:
        check_budget(building.model)
    read = read_passages(store, building.file)
    with store.only_one("questions"):
        asked = (
            None if building.model is None else ask_model(store, read.passages, building.wanted, building.model, clock)
        )
        kept = _by_patterns(read.passages, building.wanted) if asked is None else asked.kept
        built = _keep(store, kept, read.passages, building.wanted, who=who, now=clock())
    if asked is not None and asked.made.is_fault:
        raise EndpointError(f"stopped: {asked.made.stopped}; what came back before is kept")
    built = replace(built, unread=read.unread, refused=read.refused)
    return built if asked is None else _with_costs(built, asked.made)


def _by_patterns(index: PassageIndex, wanted: QuestionRequest) -> Kept:
    return from_templates(index, single=wanted.single, multi=wanted.multi, seed=wanted.seed)


def _keep(
    store: Store, kept: Kept, index: PassageIndex, wanted: QuestionRequest, *, who: str, now: str
) -> QuestionsBuilt:
    settings = ConditionSettings(noise_rates=wanted.noise_rates, passages=wanted.passages, seed=wanted.seed)
    made = conditions(kept.questions, index, settings)
    with store.atomic(durable=True):
        added = store.questions.add(kept.questions, made.items, now=now)
        new = {question.id for question in added.questions}
        built = QuestionsBuilt(
            passages=len(index.passages),
            added=Counter(question.kind for question in added.questions),
            unchanged=len(kept.questions) - len(added.questions),
            items=Counter(item.ability for item in added.items),
            items_of_known=sum(item.question_id not in new for item in added.items),
            missing=made.missing,
            dropped=kept.dropped,
            without_fact=kept.without_fact,
        )
        if added.questions or added.items:
            detail = {"questions": len(added.questions), "items": len(added.items), "seed": wanted.seed}
            store.audit.events.append(EVENT, detail, who=who, now=now)
    return built


def _with_costs(built: QuestionsBuilt, made: RequestsMade) -> QuestionsBuilt:
    return replace(built, requests=made.requests, tokens=made.tokens, cost=made.cost, stopped=made.stopped)
