"""Estimate what aligning a judge would take: calls, tokens and money, from its real prompts. Nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotate.analysis.aligned_judges.alignment import (
    FOLDS,
    AlignmentLabels,
    DecidedDraw,
    alignment_labels,
    decided_share,
    guidance_in_force,
    library_of,
)
from annotate.analysis.aligned_judges.alignment_plan import AlignmentOutlook, outlook
from annotate.analysis.aligned_judges.guideline_cases import likely_cases
from annotate.domain.privacy.redaction import for_model
from annotate.store import Store
from annotate.workflow.judging.alignment import AlignmentRequest, check_judge
from annotate.workflow.judging.cost_estimate import asks_of, reply_size
from annotate.workflow.judging.guided import in_force
from annotate.workflow.judging.model_request import check_budget
from annotate.workflow.judging.setups import known_to, place_of, setup_of
from proxy.evaluation.candidates import JudgeKey
from proxy.judges.llm.asking import Ask
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.judges.llm.form import Mode
from proxy.judges.llm.guidance import Guidance, GuidedJudge
from proxy.judges.llm.guideline_writer import GUIDELINE_CHARACTERS, MOST_GUIDELINES, writer_for
from proxy.judges.menu import build
from proxy.llm.attempt import Usage
from proxy.llm.budget import prompt_size
from proxy.llm.openai_client import usual_parameters
from proxy.llm.probing import Capability
from proxy.llm.runner import Job
from proxy.records import Item

# Chosen: answers whose prompts are measured.
SAMPLED = 50
# Rounds in which a tuning label is judged by a version: half of them by three, all by the two best, who saw that half before.
VERSIONS_OF_A_TUNING_LABEL = 2.5


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentEstimate:
    """What the labels allow, and about how many calls and tokens it takes; `cost` None without prices."""

    outlook: AlignmentOutlook
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class _Requests:
    """A number of requests, and the tokens of their prompts and their replies."""

    calls: float
    prompt: float
    completion: float

    def __add__(self, other: _Requests) -> _Requests:
        return _Requests(self.calls + other.calls, self.prompt + other.prompt, self.completion + other.completion)

    def __mul__(self, times: float) -> _Requests:
        return _Requests(self.calls * times, self.prompt * times, self.completion * times)


_NOTHING = _Requests(0, 0, 0)


def estimate(store: Store, asked: AlignmentRequest) -> AlignmentEstimate:
    """Work out what `align` would take where every reply can be read."""
    check_judge(asked)
    check_budget(asked.request)
    options, endpoint = asked.request.options, asked.request.endpoint()
    place, share = place_of(endpoint, options), decided_share(store, asked.judge, asked.share)
    capability = store.scores.calls.capability(place.url, place.model) or Capability(
        mode=Mode.JSON_SCHEMA, parameters=usual_parameters(place.url)
    )
    setup = setup_of(place, known_to(capability, options), options)
    (judge,) = build(setup, options.choice)
    current, labels = in_force(store, setup, judge), alignment_labels(store, share)
    lines = ("-" * (GUIDELINE_CHARACTERS // 2),) * MOST_GUIDELINES
    guided = GuidedJudge(
        judge=judge, setup=setup, guidance=Guidance(guidelines=lines, library=library_of(store, labels.tuning))
    )
    tuning, measuring = len(labels.tuning), len(labels.measuring)
    is_own = asked.guidelines is not None
    unscored = _unscored(store, current, [*labels.tuning, *labels.measuring])
    times_guided = measuring + (0 if is_own else VERSIONS_OF_A_TUNING_LABEL * tuning)
    usage = (
        _size(store, current, labels.measuring) * unscored
        + _size(store, guided, labels.measuring) * times_guided
        + (_NOTHING if is_own else _writing(store, judge, setup, current, labels))
    )
    prompt, completion, prices = round(usage.prompt), round(usage.completion), options.prices
    return AlignmentEstimate(
        outlook=outlook(store, asked.judge, current.judges[0][1], share),
        calls=round(usage.calls),
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=prices.cost(Usage(prompt=prompt, completion=completion)) if prices else None,
    )


def _unscored(store: Store, judge: LlmJudge, draws: Sequence[DecidedDraw]) -> int:
    keys = store.scores.known_keys(judge.judges)
    items = [draw.item for draw in draws]
    done = store.scores.done(items, list(keys.values()))
    return len(items) - len({item for _, item in done})


def _size(store: Store, judge: LlmJudge, draws: Sequence[DecidedDraw]) -> _Requests:
    """Measure the requests for the first answers, and return their mean."""
    items = store.traffic.items.read([draw.item for draw in draws[:SAMPLED]])
    sizes = [_of_item(judge, row, item) for row, item in items.items()]
    return sum(sizes, _NOTHING) * (1 / (len(sizes) or 1))


def _writing(store: Store, judge: LlmJudge, setup: Setup, current: LlmJudge, labels: AlignmentLabels) -> _Requests:
    """Measure the requests for guidelines: from each half of the questions that tune, and from all of them."""
    name, signature = current.judges[0]
    base = JudgeKey(judge=name, signature=signature)
    given, total = guidance_in_force(store, base).guidelines, _NOTHING
    for fold in (*FOLDS, None):
        cases = likely_cases(store, base, labels, fold)
        for row, item in store.traffic.items.read(list(cases)[:1]).items():
            total += _of_item(writer_for(judge, setup, list(cases.values()), given), row, item)
    return total


def _of_item(judge: LlmJudge, row: int, item: Item) -> _Requests:
    """Measure the requests of a judge on an item, with replies of the usual length."""
    job = Job(key=row, item=replace(for_model(item), group=item.group), judge=judge)
    asks = [ask for ask in asks_of(job) if isinstance(ask, Ask)]
    return _Requests(len(asks), sum(map(prompt_size, asks)), sum(map(reply_size, asks)))
