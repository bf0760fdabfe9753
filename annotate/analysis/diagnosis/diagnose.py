"""Diagnose each system that has labels: the stage that is named, if any, with counts, shares and causes beside it.

Counts are of all labels at hand; shares of the traffic come from the drawn ones alone. Labels that chose the threshold
count too: a diagnosis does not score it. Causes and remedies are given for a named stage only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis.diagnosis.inputs import LabelledAnswer, StageJudges, Thresholds, answers, stage_judges
from annotate.analysis.diagnosis.naming import name_stages
from annotate.analysis.diagnosis.weights import Scales, scales, scales_as_drawn
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.annotation import SERIOUS
from annotate.domain.sampling.outcomes import ToLabel
from annotate.store import Store
from annotate.store.scores.scores import Failed
from annotate.store.scores.stage_scores import FAITHFULNESS, RELEVANCE
from proxy.diagnosis import Cause, Naming, Sight, Stage, StageEvidence, causes_of, disagreements
from proxy.errors import UsageError
from proxy.evaluation.estimate import Estimate
from proxy.records import Item, Judgement, Label

NOT_NAMED = "none named"
# The rows of the table: relevant or not, faithful or not, None where there is no such score.
CORNERS: Mapping[str, Callable[[StageEvidence], bool]] = {
    "relevant, faithful": lambda place: place == StageEvidence(True, True),
    "relevant, not faithful": lambda place: place == StageEvidence(True, False),
    "not relevant, faithful": lambda place: place == StageEvidence(False, True),
    "not relevant, not faithful": lambda place: place == StageEvidence(False, False),
    "relevant, no score of faithfulness": lambda place: place == StageEvidence(True, None),
    "not relevant, no score of faithfulness": lambda place: place == StageEvidence(False, None),
    "no passages": lambda place: place.is_empty,
    "no score of relevance": lambda place: place.is_relevant is None and not place.is_empty,
}
# The first corners, the four with both scores, are shown also where no answer lies in them.
ALWAYS = 4
# Where the wrong answers of a stage lie.
AREAS: Mapping[Stage, Callable[[StageEvidence], bool]] = {
    stage: lambda place, stage=stage: place.stage is (Stage.RETRIEVAL if stage is Stage.RERANK else stage)  # type: ignore[misc]
    for stage in Stage
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Corner:
    """A row of the table: framed answers and labels there, and the wrong ones there as a share of all the system's answers."""

    name: str
    answers: int
    right: int
    wrong: int
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class StageFinding:
    """The labels where a stage is in question: wrong and right ones, and the wrong ones as a share of all answers.

    `also_unfaithful` of the wrong ones leave the passages as well. `causes` are given where the stage is named.
    """

    stage: Stage
    wrong: int
    right: int
    also_unfaithful: int
    share: Estimate
    causes: Sequence[Cause]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedCause:
    """A cause that annotators name: for how many of the labelled wrong answers, and P(named | wrong) from the drawn ones."""

    cause: str
    wrong: int
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """An answer that annotators call wrong or harmful, with what the judges said of it."""

    item: Item
    label: Label
    reasons: Sequence[tuple[str, float | None, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """The diagnosis of one system.

    `framed` are its answers that a counted wave could have drawn: the shares are shares of these. `naming` is the stage that is
    named, or why none is. `failed` is why judges gave none of the scores that are missing; `named` counts the causes that
    annotators name by stage, `causes` estimates how often they do.
    """

    system: str | None
    answers: int
    framed: int
    right: int
    wrong: int
    unsure: int
    hand_picked: int
    corners: Sequence[Corner]
    findings: Sequence[StageFinding]
    naming: Naming
    misses: Sequence[Miss]
    named: Mapping[tuple[str, Stage], int]
    causes: Sequence[NamedCause]
    disagreements: Sequence[str]
    failed: Failed | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnoses:
    """The diagnosis of every system with labels, and `whole`, the naming of all of them together.

    `missing` are the judges without a score, `others` those that have some.

    `malformed` wrong answers have a list before reranking that cannot be read. `left` is what can still be labelled.
    """

    thresholds: Thresholds
    signatures: Mapping[str, str]
    missing: Sequence[str]
    others: Sequence[str]
    each: Sequence[Diagnosis]
    whole: Naming
    unlabelled: Sequence[str | None]
    malformed: int
    left: ToLabel


def build(store: Store, *, thresholds: Thresholds, system: str | None = None) -> Diagnoses:
    """Diagnose one system or all, as the store is at one moment; UsageError for a system that there is not."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        sizes = store.traffic.partitions.sizes("system")
        if system is not None and system not in sizes:
            known = ", ".join(sorted(filter(None, sizes))) or "none: no answer names its system"
            raise UsageError(f"no answer comes from the system {system!r}; the systems are: {known}")
        chosen = stage_judges(store, rule, thresholds)
        labelled_answers, field = answers(store, chosen), chosen.field(store)
        weights = scales(store, key, rule, field)
        wanted = [name for name in sizes if system in (None, name)]
        labelled = {answer.standing.system for answer in labelled_answers}
        namings = name_stages(
            chosen,
            {answer.row: answer.label for answer in labelled_answers},
            {answer.row: answer.standing for answer in labelled_answers},
            weights,
            scales_as_drawn(store, key, rule, field, weights),
            evidence_ledger(store, key, rule).against(),
            scores=lambda: store.scores.stage_scores.relevance(field),
            same_passages=store.scores.stage_scores.same_passages([answer.row for answer in labelled_answers]),
        )
        diagnoses = [
            _diagnosis(
                store,
                chosen,
                weights.only(name),
                namings.each[name],
                sizes[name],
                [answer for answer in labelled_answers if answer.standing.system == name],
            )
            for name in wanted
            if name in labelled
        ]
        progress = store.sampling.waves.progress()
        return Diagnoses(
            thresholds=thresholds,
            signatures={
                name: chosen.signatures[name] for name in (RELEVANCE, FAITHFULNESS) if name in chosen.signatures
            },
            missing=[name for name in (RELEVANCE, FAITHFULNESS) if name not in chosen.signatures],
            others=sorted(set(chosen.signatures) - {RELEVANCE, FAITHFULNESS}),
            each=diagnoses,
            whole=namings.whole,
            unlabelled=[name for name in wanted if name not in labelled],
            malformed=sum(answer.is_malformed for answer in labelled_answers if answer.standing.system in wanted),
            left=ToLabel(undrawn=store.traffic.items.count() - progress.drawn, waiting=progress.open),
        )


def _diagnosis(
    store: Store,
    chosen: StageJudges,
    weights: Scales,
    naming: Naming,
    size: int,
    labelled_answers: Sequence[LabelledAnswer],
) -> Diagnosis:
    """Diagnose one system from its labels."""
    wrong = [answer for answer in labelled_answers if answer.is_wrong]
    untold = [answer.row for answer in wrong if answer.stage is Stage.UNTOLD]
    return Diagnosis(
        system=naming.system,
        answers=size,
        framed=weights.size(),
        right=naming.right,
        wrong=naming.wrong,
        unsure=naming.unsure,
        hand_picked=sum(answer.label.wave is None for answer in labelled_answers),
        corners=[_corner(weights, labelled_answers, name) for name in CORNERS],
        findings=[_finding(chosen, weights, naming, labelled_answers, stage) for stage in Stage],
        naming=naming,
        misses=_misses(store, chosen, wrong),
        named=Counter((name, answer.stage) for answer in wrong for name in answer.label.causes or (NOT_NAMED,)),
        causes=_causes(weights, wrong),
        disagreements=disagreements([(answer.stage, frozenset(answer.label.causes)) for answer in wrong]),
        failed=store.scores.commonest_failure((RELEVANCE, FAITHFULNESS), untold),
    )


def _corner(weights: Scales, labelled_answers: Sequence[LabelledAnswer], name: str) -> Corner:
    holds = CORNERS[name]
    words = Counter(answer.label.judgement for answer in labelled_answers if holds(answer.place))
    return Corner(
        name=name,
        answers=weights.size(holds),
        right=words[Judgement.RIGHT],
        wrong=words[Judgement.WRONG],
        share=weights.share(holds),
    )


def _finding(
    chosen: StageJudges, weights: Scales, naming: Naming, labelled_answers: Sequence[LabelledAnswer], stage: Stage
) -> StageFinding:
    """Describe the labels where this stage is in question."""
    all_wrong = [answer for answer in labelled_answers if answer.is_wrong]
    wrong = [answer for answer in all_wrong if answer.stage is stage]
    right = [answer for answer in labelled_answers if answer.label.judgement is Judgement.RIGHT]
    # What reranking lost is a part of what the passages are blamed for.
    is_named = naming.stage is (Stage.RETRIEVAL if stage is Stage.RERANK else stage)
    sight = Sight(
        [answer.clue for answer in wrong],
        [answer.clue for answer in all_wrong],
        [answer.clue for answer in right],
        chosen.thresholds.relevance,
    )
    return StageFinding(
        stage=stage,
        wrong=len(wrong),
        right=sum(answer.stage is stage for answer in right),
        also_unfaithful=sum(answer.place.is_faithful is False for answer in wrong),
        share=weights.share(AREAS[stage], {answer.row for answer in wrong}),
        causes=causes_of(stage, sight) if wrong and is_named else (),
    )


def _causes(weights: Scales, wrong: Sequence[LabelledAnswer]) -> list[NamedCause]:
    """Return the causes that annotators name, the most frequent first."""
    counts = Counter(name for answer in wrong for name in answer.label.causes)
    return [
        NamedCause(
            cause=cause,
            wrong=count,
            share=weights.named({answer.row for answer in wrong if cause in answer.label.causes}),
        )
        for cause, count in counts.most_common()
    ]


def _misses(store: Store, chosen: StageJudges, wrong: Sequence[LabelledAnswer]) -> list[Miss]:
    """Read the proxy's own misses with their texts: seriously harmful first, then the highest scores."""
    own = [answer for answer in wrong if answer.stage is Stage.PROXY]
    own.sort(key=lambda answer: (answer.label.harm != SERIOUS, -(answer.clue.margin or 0.0), answer.row))
    return read_misses(store, {answer.row: answer.label for answer in own}, chosen.signatures.values())


def read_misses(store: Store, labels: Mapping[int, Label], signatures: Iterable[str]) -> list[Miss]:
    """Read the answers in these rows with their texts, and what these signatures said of them."""
    items, names = store.traffic.items.read(list(labels)), set(signatures)
    return [
        Miss(item=items[row], label=label, reasons=store.scores.of_item(row, names)) for row, label in labels.items()
    ]
