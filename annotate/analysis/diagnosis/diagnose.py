"""Diagnose each system that has labels: the stage that is named, if any, with counts, shares and causes beside it.

Counts are of all labels at hand; shares of the traffic come from the drawn ones alone. Labels that chose the cut of the rule
count too: a diagnosis does not score that cut. Causes and remedies are given for a named stage only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis.diagnosis.inputs import Answer, Cuts, Readers, answers, readers
from annotate.analysis.diagnosis.naming import name_stages
from annotate.analysis.diagnosis.weights import Scales, scales, scales_as_drawn
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.annotation import SERIOUS
from annotate.store import Store
from annotate.store.scores.scores import Failed
from annotate.store.scores.stage_scores import FAITHFULNESS, RELEVANCE
from proxy.diagnosis import Cause, Naming, Place, Sight, Stage, causes_of, disagreements
from proxy.errors import UsageError
from proxy.evaluation.estimate import Estimate
from proxy.records import Item, Judgement, Label

NOT_NAMED = "none named"
# The rows of the table: relevant or not, faithful or not, None where there is no such score.
CORNERS: Mapping[str, Callable[[Place], bool]] = {
    "relevant, faithful": lambda one: one == Place(True, True),
    "relevant, not faithful": lambda one: one == Place(True, False),
    "not relevant, faithful": lambda one: one == Place(False, True),
    "not relevant, not faithful": lambda one: one == Place(False, False),
    "relevant, no score of faithfulness": lambda one: one == Place(True, None),
    "not relevant, no score of faithfulness": lambda one: one == Place(False, None),
    "no passages": lambda one: one.is_empty,
    "no score of relevance": lambda one: one.is_relevant is None and not one.is_empty,
}
ALWAYS = 4
# Where the wrong answers of a stage lie.
AREAS: Mapping[Stage, Callable[[Place], bool]] = {
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
class Finding:
    """Labels where a stage is in question: how many are wrong and right, and the wrong ones as a share of all answers.

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
    """A cause that people name: for how many of the labelled wrong answers, and P(named | wrong) from the drawn ones."""

    cause: str
    wrong: int
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """An answer that is relevant and faithful and wrong all the same, with what the judges said of it."""

    item: Item
    label: Label
    reasons: Sequence[tuple[str, float | None, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """What is known of one system.

    `framed` are its answers that a counted wave could have drawn: the shares are shares of these. `naming` is the stage that is
    named, or why none is. `failed` is why judges gave none of the scores that are missing; `named` counts the causes that people
    name by stage, `causes` estimates how often they do.
    """

    system: str | None
    answers: int
    framed: int
    right: int
    wrong: int
    unsure: int
    hand_picked: int
    corners: Sequence[Corner]
    findings: Sequence[Finding]
    naming: Naming
    misses: Sequence[Miss]
    named: Mapping[tuple[str, Stage], int]
    causes: Sequence[NamedCause]
    disagreements: Sequence[str]
    failed: Failed | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnoses:
    """Every system with labels, and `whole`, the naming of all of them together.

    `missing` are the judges without a score, `others` those that have some.

    `malformed` wrong answers have a list before reranking that cannot be read. `has_undrawn`: a wave could still draw, and `open`
    draws wait for a label.
    """

    cuts: Cuts
    signatures: Mapping[str, str]
    missing: Sequence[str]
    others: Sequence[str]
    each: Sequence[Diagnosis]
    whole: Naming
    unlabelled: Sequence[str | None]
    malformed: int
    has_undrawn: bool
    open: int


def build(store: Store, *, cuts: Cuts, system: str | None = None) -> Diagnoses:
    """Diagnose one system or all, as the store is at one moment; UsageError for a system that there is not."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        sizes = store.parts.sizes("system")
        if system is not None and system not in sizes:
            known = ", ".join(sorted(filter(None, sizes))) or "none: no answer names its system"
            raise UsageError(f"no answer comes from the system {system!r}; the systems are: {known}")
        chosen = readers(store, rule, cuts)
        found, field = answers(store, chosen), chosen.field(store)
        weights = scales(store, key, rule, field)
        wanted = [one for one in sizes if system in (None, one)]
        labelled = {one.standing.system for one in found}
        namings = name_stages(
            chosen,
            {one.row: one.label for one in found},
            {one.row: one.standing for one in found},
            weights,
            scales_as_drawn(store, key, rule, field, weights),
            evidence_ledger(store, key, rule).against(),
            scores=lambda: store.stages.relevance(field),
        )
        each = [
            _diagnosis(
                store,
                chosen,
                weights.only(name),
                namings.each[name],
                sizes[name],
                [one for one in found if one.standing.system == name],
            )
            for name in wanted
            if name in labelled
        ]
        return Diagnoses(
            cuts=cuts,
            signatures={
                name: chosen.signatures[name] for name in (RELEVANCE, FAITHFULNESS) if name in chosen.signatures
            },
            missing=[name for name in (RELEVANCE, FAITHFULNESS) if name not in chosen.signatures],
            others=sorted(set(chosen.signatures) - {RELEVANCE, FAITHFULNESS}),
            each=each,
            whole=namings.whole,
            unlabelled=[name for name in wanted if name not in labelled],
            malformed=sum(one.is_malformed for one in found if one.standing.system in wanted),
            has_undrawn=store.waves.has_undrawn(),
            open=store.waves.progress().open,
        )


def _diagnosis(
    store: Store, chosen: Readers, weights: Scales, naming: Naming, size: int, found: Sequence[Answer]
) -> Diagnosis:
    """What the labels of one system say."""
    wrong = [one for one in found if one.is_wrong]
    untold = [one.row for one in wrong if one.stage is Stage.UNTOLD]
    return Diagnosis(
        system=naming.system,
        answers=size,
        framed=weights.size(),
        right=naming.right,
        wrong=naming.wrong,
        unsure=naming.unsure,
        hand_picked=sum(one.label.wave is None for one in found),
        corners=[_corner(weights, found, name) for name in CORNERS],
        findings=[_finding(chosen, weights, naming, found, stage) for stage in Stage],
        naming=naming,
        misses=_misses(store, chosen, wrong),
        named=Counter((name, one.stage) for one in wrong for name in one.label.causes or (NOT_NAMED,)),
        causes=_causes(weights, wrong),
        disagreements=disagreements([(one.stage, frozenset(one.label.causes)) for one in wrong]),
        failed=store.scores.commonest_failure((RELEVANCE, FAITHFULNESS), untold),
    )


def _corner(weights: Scales, found: Sequence[Answer], name: str) -> Corner:
    holds = CORNERS[name]
    words = Counter(one.label.judgement for one in found if holds(one.place))
    return Corner(
        name=name,
        answers=weights.size(holds),
        right=words[Judgement.RIGHT],
        wrong=words[Judgement.WRONG],
        share=weights.share(holds),
    )


def _finding(chosen: Readers, weights: Scales, naming: Naming, found: Sequence[Answer], stage: Stage) -> Finding:
    """What is known where this stage is in question."""
    all_wrong = [one for one in found if one.is_wrong]
    wrong = [one for one in all_wrong if one.stage is stage]
    right = [one for one in found if one.label.judgement is Judgement.RIGHT]
    # What reranking lost is a part of what the passages are blamed for.
    is_named = naming.stage is (Stage.RETRIEVAL if stage is Stage.RERANK else stage)
    sight = Sight(
        [one.clue for one in wrong],
        [one.clue for one in all_wrong],
        [one.clue for one in right],
        chosen.cuts.relevance,
    )
    return Finding(
        stage=stage,
        wrong=len(wrong),
        right=sum(one.stage is stage for one in right),
        also_unfaithful=sum(one.place.is_faithful is False for one in wrong),
        share=weights.share(AREAS[stage], {one.row for one in wrong}),
        causes=causes_of(stage, sight) if wrong and is_named else (),
    )


def _causes(weights: Scales, wrong: Sequence[Answer]) -> list[NamedCause]:
    """The causes that people name, the most frequent first."""
    counts = Counter(name for one in wrong for name in one.label.causes)
    return [
        NamedCause(
            cause=cause, wrong=count, share=weights.named({one.row for one in wrong if cause in one.label.causes})
        )
        for cause, count in counts.most_common()
    ]


def _misses(store: Store, chosen: Readers, wrong: Sequence[Answer]) -> list[Miss]:
    """The proxy's own misses with their texts: seriously harmful first, then the highest scores."""
    own = [one for one in wrong if one.stage is Stage.PROXY]
    own.sort(key=lambda one: (one.label.harm != SERIOUS, -(one.clue.margin or 0.0), one.row))
    items, names = store.items.read([one.row for one in own]), set(chosen.signatures.values())
    return [Miss(item=items[one.row], label=one.label, reasons=store.scores.of_item(one.row, names)) for one in own]
