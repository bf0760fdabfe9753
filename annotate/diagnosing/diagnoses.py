"""The store in, one Diagnosis for each system that has labels out.

Counts are of all labels at hand; shares of the traffic come from the drawn ones alone. Labels that chose the cut of the rule
count too: a diagnosis does not score that cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.diagnosing.reading import Answer, Cuts, Readers, answers, readers
from annotate.diagnosing.weighing import Scales, scales
from annotate.judging import rule_in_force
from annotate.labels import SERIOUS
from annotate.store import Store
from annotate.store.scores import Failed
from annotate.store.stages import FAITHFULNESS, RELEVANCE
from proxy.diagnosis import Cause, Place, Sight, Stage, causes_of, disagreements, is_too_few, most, rival
from proxy.errors import UsageError
from proxy.estimate import Estimate
from proxy.records import Item, Judgement, Label

NOT_NAMED = "none named"
# The rows of the table: relevant or not, faithful or not, None where there is no such score.
CORNERS: Mapping[str, Callable[[Place], bool]] = {
    "relevant, faithful": lambda one: one.is_relevant is True and one.is_faithful is True,
    "relevant, not faithful": lambda one: one.is_relevant is True and one.is_faithful is False,
    "not relevant, faithful": lambda one: one.is_relevant is False and one.is_faithful is True,
    "not relevant, not faithful": lambda one: one.is_relevant is False and one.is_faithful is False,
    "relevant, no score of faithfulness": lambda one: one.is_relevant is True and one.is_faithful is None,
    "not relevant, no score of faithfulness": lambda one: one.is_relevant is False and one.is_faithful is None,
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
    """What points to a stage: `wrong` of the labelled wrong answers, their share of all the system's answers, and its causes.

    `also_unfaithful` of them leave the passages as well, `empty` have no passage at all.
    """

    stage: Stage
    wrong: int
    also_unfaithful: int
    empty: int
    share: Estimate
    causes: Sequence[Cause]


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """An answer that is relevant and faithful and wrong all the same, with what the judges said of it."""

    item: Item
    label: Label
    reasons: Sequence[tuple[str, float | None, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """What is known of one system.

    `framed` are its answers that a counted wave could have drawn: the shares are shares of these. `first` is the stage to mend
    first, by the shares where they can all be estimated (`is_weighted`), else by counts; `rival` the stage that may be as large.
    Neither is named from too few wrong answers, or where no labelled one `has_passages`. `failed` is why judges gave none of the
    scores that are missing; `named` counts the causes that people name by stage.
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
    first: Stage | None
    rival: Stage | None
    is_weighted: bool
    misses: Sequence[Miss]
    named: Mapping[tuple[str, Stage], int]
    disagreements: Sequence[str]
    has_passages: bool
    failed: Failed | None

    @property
    def counts(self) -> dict[Stage, int]:
        """How many labelled wrong answers point to each stage."""
        return {one.stage: one.wrong for one in self.findings}

    def finding(self, stage: Stage) -> Finding:
        """The finding on this stage."""
        return next(one for one in self.findings if one.stage is stage)


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnoses:
    """Every system with labels; `missing` are the judges without a score, `others` those that have some.

    `malformed` wrong answers have a list before reranking that cannot be read.
    """

    cuts: Cuts
    signatures: Mapping[str, str]
    missing: Sequence[str]
    others: Sequence[str]
    each: Sequence[Diagnosis]
    unlabelled: Sequence[str | None]
    malformed: int


def build(store: Store, *, now: str, cuts: Cuts, system: str | None = None) -> Diagnoses:
    """Diagnose one system or all, as the store is at one moment; UsageError for a system that there is not."""
    key, rule = rule_in_force(store, now=now)
    with store.snapshot():
        sizes = store.parts.sizes("system")
        if system is not None and system not in sizes:
            known = ", ".join(sorted(filter(None, sizes))) or "none: no answer names its system"
            raise UsageError(f"no answer comes from the system {system!r}; the systems are: {known}")
        chosen = readers(store, rule, cuts)
        found = answers(store, chosen)
        weights = scales(store, key, rule, chosen.field(store))
        wanted = [one for one in sizes if system in (None, one)]
        labelled = {one.standing.system for one in found}
        each = [
            _diagnosis(store, chosen, weights, name, sizes[name], [one for one in found if one.standing.system == name])
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
            unlabelled=[name for name in wanted if name not in labelled],
            malformed=sum(one.is_malformed for one in found if one.standing.system in wanted),
        )


def _diagnosis(
    store: Store, chosen: Readers, weights: Scales, system: str | None, size: int, found: Sequence[Answer]
) -> Diagnosis:
    """What the labels of one system say."""
    words = Counter(one.label.judgement for one in found)
    wrong = [one for one in found if one.is_wrong]
    findings = [_finding(chosen, weights, system, found, stage) for stage in Stage]
    has_passages = any(one.place.has_passages for one in found)
    first, other, is_weighted = _first(findings)
    if not has_passages or is_too_few({one.stage: one.wrong for one in findings}):
        first, other = None, None
    untold = [one.row for one in wrong if one.stage is Stage.UNTOLD]
    return Diagnosis(
        system=system,
        answers=size,
        framed=weights.size(system),
        right=words[Judgement.RIGHT],
        wrong=words[Judgement.WRONG],
        unsure=words[Judgement.UNSURE],
        hand_picked=sum(one.label.wave is None for one in found),
        corners=[_corner(weights, system, found, name) for name in CORNERS],
        findings=findings,
        first=first,
        rival=other,
        is_weighted=is_weighted,
        misses=_misses(store, chosen, wrong),
        named=Counter((name, one.stage) for one in wrong for name in one.label.causes or (NOT_NAMED,)),
        disagreements=disagreements([(one.stage, frozenset(one.label.causes)) for one in wrong]),
        has_passages=has_passages,
        failed=store.scores.commonest_failure((RELEVANCE, FAITHFULNESS), untold),
    )


def _corner(weights: Scales, system: str | None, found: Sequence[Answer], name: str) -> Corner:
    holds = CORNERS[name]
    words = Counter(one.label.judgement for one in found if holds(one.place))
    return Corner(
        name=name,
        answers=weights.size(system, holds),
        right=words[Judgement.RIGHT],
        wrong=words[Judgement.WRONG],
        share=weights.share(system, holds),
    )


def _finding(chosen: Readers, weights: Scales, system: str | None, found: Sequence[Answer], stage: Stage) -> Finding:
    """What points to this stage."""
    all_wrong = [one for one in found if one.is_wrong]
    wrong = [one for one in all_wrong if one.stage is stage]
    right = [one.clue for one in found if one.label.judgement is Judgement.RIGHT]
    sight = Sight([one.clue for one in wrong], [one.clue for one in all_wrong], right, chosen.cuts.relevance)
    return Finding(
        stage=stage,
        wrong=len(wrong),
        also_unfaithful=sum(one.place.is_faithful is False for one in wrong),
        empty=sum(one.place.is_empty for one in wrong),
        share=weights.share(system, AREAS[stage], {one.row for one in wrong}),
        causes=causes_of(stage, sight) if wrong else (),
    )


def _first(findings: Sequence[Finding]) -> tuple[Stage | None, Stage | None, bool]:
    """The stage to mend first, the one that may be as large, and whether shares of the traffic said so."""
    told = [one for one in findings if one.stage is not Stage.UNTOLD]
    first = most({one.stage: one.share.estimate or 0.0 for one in told})
    low = next((one.share.low or 0.0 for one in told if one.stage is first), 0.0)
    # What is not measurable does not matter where all of it would be less.
    open_to = [1.0 if one.share.high is None else one.share.high for one in told if one.share.estimate is None]
    is_weighted = all(high < low for high in open_to)
    if not is_weighted:
        counts = {one.stage: one.wrong for one in told}
        by_count = most(counts)
        return by_count, None if by_count is None else rival(counts, by_count), False
    if first is None:
        return None, None, True
    rivals = {one.stage: one.share.estimate or 0.0 for one in told if one.stage is not first and one.wrong}
    near = {one.stage for one in told if one.stage in rivals and (one.share.high or 0.0) >= low}
    return first, most({stage: share for stage, share in rivals.items() if stage in near}), True


def _misses(store: Store, chosen: Readers, wrong: Sequence[Answer]) -> list[Miss]:
    """The proxy's own misses with their texts: seriously harmful first, then the highest scores."""
    own = [one for one in wrong if one.stage is Stage.PROXY]
    own.sort(key=lambda one: (one.label.harm != SERIOUS, -(one.clue.margin or 0.0), one.row))
    items, names = store.items.read([one.row for one in own]), set(chosen.signatures.values())
    return [Miss(item=items[one.row], label=one.label, reasons=store.scores.of_item(one.row, names)) for one in own]
