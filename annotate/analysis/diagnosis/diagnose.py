"""Find out why answers are wrong: which stage fails (retrieval or synthesis), how often, and for which causes.

Reads the store and returns `Diagnoses`, with one `Diagnosis` for each system that has labels.

- Counts are of all labels, also hand-picked ones and those that chose the threshold.
- Shares of the traffic are estimated from drawn labels only.
- Causes and remedies are listed only for a stage that is named (see `naming`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis import evidence_ledger
from annotate.analysis.diagnosis import retrieval_metrics
from annotate.analysis.diagnosis.inputs import (
    LabelledAnswer,
    StageJudges,
    Thresholds,
    answers,
    check_system,
    stage_judges,
)
from annotate.analysis.diagnosis.naming import name_stages
from annotate.analysis.diagnosis.weights import Scales, scales, scales_as_drawn
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.annotation import SERIOUS
from annotate.domain.sampling.outcomes import ToLabel
from annotate.store import Store
from annotate.store.scores.scores import Failed
from annotate.store.scores.stage_scores import FAITHFULNESS, RELEVANCE
from proxy.diagnosis import Cause, Naming, Sight, Stage, StageEvidence, causes_of, disagreements
from proxy.diagnosis.retrieval_metrics import RetrievalMetrics
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
    """A row of the table of scores, such as "relevant, not faithful".

    `answers` counts the framed answers with these scores, `right` and `wrong` the labels among them. `share` estimates how many
    of all the system's answers are here and wrong.
    """

    name: str
    answers: int
    right: int
    wrong: int
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class StageFinding:
    """What the labels say of one stage.

    `wrong` and `right` count the labelled answers whose scores point to this stage; `share` estimates the wrong ones among all
    answers. `also_unfaithful` counts those of the wrong ones that also have a low faithfulness. `causes` is empty unless the
    stage is named.
    """

    stage: Stage
    wrong: int
    right: int
    also_unfaithful: int
    share: Estimate
    causes: Sequence[Cause]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedCause:
    """A cause that annotators chose, such as `retrieval_missed`.

    `wrong` counts the labelled wrong answers with it. `share` estimates P(cause | wrong) from the drawn ones.
    """

    cause: str
    wrong: int
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """A wrong or harmful answer, with its label and each judge's name, score and reason."""

    item: Item
    label: Label
    reasons: Sequence[tuple[str, float | None, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """The diagnosis of one system.

    Attributes
    ----------
    answers, framed : int
        Its answers, and those that a wave which counts could have drawn. All shares are shares of `framed`.
    right, wrong, unsure, hand_picked : int
        Its labels; `hand_picked` of them were not drawn.
    corners, findings : sequence
        The table of scores, and what is known of each stage.
    naming : Naming
        The stage that is named, or why none is.
    misses : sequence of Miss
        Wrong answers whose relevance and faithfulness are both high.
    named, causes
        The causes that annotators chose: counted by stage, and estimated.
    disagreements : sequence of str
        Where annotators' causes and the judges' scores contradict each other.
    failed : Failed or None
        Why scores are missing.
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
    """The result: a diagnosis for each system with labels (`each`), and the naming of all together (`whole`).

    Attributes
    ----------
    thresholds, signatures
        The thresholds of the stage judges, and the versions whose scores were read.
    missing, others : sequence of str
        The stage judges without scores, and the other judges that have some.
    unlabelled : sequence of str or None
        The systems without a label.
    malformed : int
        Wrong answers whose list before reranking cannot be read.
    left : ToLabel
        What can still be labelled.
    retrieval : RetrievalMetrics or None
        What context recall and precision tell; None where they are not known.
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
    retrieval: RetrievalMetrics | None


def build(store: Store, *, thresholds: Thresholds, system: str | None = None) -> Diagnoses:
    """Diagnose one system, or all of them.

    Parameters
    ----------
    store : Store
        Read at one moment.
    thresholds : Thresholds
        Above which score passages are relevant and an answer is faithful.
    system : str or None
        The system, "" for the answers that name none; None for all.

    Raises
    ------
    UsageError
        Where no answer comes from this system.
    """
    key, rule = rule_in_force(store)
    with store.snapshot():
        check_system(store, system)
        sizes = store.traffic.partitions.sizes("system")
        chosen = stage_judges(store, rule, thresholds)
        labelled_answers, field = answers(store, chosen), chosen.field(store)
        weights = scales(store, key, rule, field)
        wanted = [name for name in sizes if system is None or name == (system or None)]
        labelled = {answer.standing.system for answer in labelled_answers}
        objections = evidence_ledger.objections(store)
        namings = name_stages(
            chosen,
            {answer.row: answer.label for answer in labelled_answers},
            {answer.row: answer.standing for answer in labelled_answers},
            weights,
            scales_as_drawn(store, key, rule, field, weights),
            objections,
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
            retrieval=retrieval_metrics.build(
                store, key, rule, chosen.signatures, [objection.reason for objection in objections], system
            ),
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
    """Read the wrong answers with both scores high: seriously harmful first, then by score, highest first."""
    own = [answer for answer in wrong if answer.stage is Stage.PROXY]
    own.sort(key=lambda answer: (answer.label.harm != SERIOUS, -(answer.clue.margin or 0.0), answer.row))
    return read_misses(store, {answer.row: answer.label for answer in own}, chosen.signatures.values())


def read_misses(store: Store, labels: Mapping[int, Label], signatures: Iterable[str]) -> list[Miss]:
    """Read the answers in these rows with their texts, and what these signatures said of them."""
    items, names = store.traffic.items.read(list(labels)), set(signatures)
    return [
        Miss(item=items[row], label=label, reasons=store.scores.of_item(row, names)) for row, label in labels.items()
    ]
