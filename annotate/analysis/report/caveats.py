"""Write the warnings to know before believing a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from annotate.analysis.report.partial_judges import is_partial
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.store.labels.annotations import Uncounted
from annotate.store.labels.opposite_labels import LabelledItem
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import EvidenceLedger
from proxy.evaluation.trust import percent
from proxy.reason import Reason
from proxy.rule import Rule

# The textbooks' least count for a share's interval, n p >= 5.
FEW_ERRORS = 5
# With nine tenths alike, two raters agree on .82 by chance (.9^2 + .1^2), and kappa falls whatever the proxy is worth:
# Feinstein and Cicchetti (1990).
COMMON = (0.1, 0.9)
OPEN = "{open} of {drawn} drawn items have no label yet: if those differ from the labelled ones, the estimates are off"
LATE = (
    "{rule} v{version} was set after {count} labels were known: if they chose it, they flatter it; confirm it with a fresh wave "
    "(`assay sample --labels N`)"
)
UNCOVERED = "{count} items are in no wave that counts: no estimate speaks of them; draw a wave"
SPANNED = {
    "correctness": "{missing}: whatever they are, in the long run {span} of all answers are right",
    "pass_precision": "{missing}: whatever they are, in the long run {span} of the passed answers are right",
}
NEARLY_ALL_RIGHT = (
    "nearly all answers are right: kappa is low even for a good proxy; read specificity, sensitivity and AC1"
)
NEARLY_ALL_WRONG = (
    "nearly all answers are wrong: kappa is low even for a good proxy; read specificity, sensitivity and AC1"
)
PARTLY = (
    "{signature} has judged {judged} of {items} items, which need not be like the others: run `assay judge` with it, or do not "
    "compare it"
)
FOOLED = "{signature} obeyed {obeyed} of {asked} test answers that told it what to say: look at disputed items first"
OPPOSITE = (
    "answers labelled right in one item and wrong in another that asks and says the same: {count} ({items} items); `assay labels "
    "opposite` lists them"
)
ONE_PROJECT = (
    "items read by two annotators in one project: {count}; not counted as agreement, because they could see each other's answer; "
    "give each annotator a project"
)
OUTDATED = "labels of answers that changed after they were drawn: {count}; they count in no estimate"
WITHOUT_NAME = (
    "items with a label without annotator beside a named one: {count}; not counted as agreement, because both may be of one "
    "person"
)


def notes(rule: Rule, evidence: EvidenceLedger, progress: DrawProgress) -> tuple[str, ...]:
    """Note what to know of the rule and the labels."""
    annotator_agreement = evidence.annotators
    caveats = list[str]()
    if not rule.is_calibrated:
        caveats.append(Reason("{basis} ({expression})", basis=rule.basis, expression=rule.expression))
    if progress.open and progress.labelled:
        caveats.append(Reason(OPEN, open=progress.open, drawn=progress.drawn))
    if progress.unsure:
        caveats.append(Reason("labels left out (unsure, or annotators disagree): {count}", count=progress.unsure))
    caveats += _of_the_labels(evidence)
    counts = evidence.among.counts
    wrong = counts.wrong_pass + counts.wrong_fail
    if progress.labelled and wrong < FEW_ERRORS:
        caveats.append(
            Reason(
                "wrong answers among the labels of scored items: {count}; specificity and kappa rest on them",
                count=wrong,
            )
        )
    return (*caveats, *([annotator_agreement.warning] if annotator_agreement.warning else []))


def chosen_late(history: Sequence[tuple[Rule, str, bool]], known: Callable[[str], int]) -> tuple[str, ...]:
    """Warn of a rule that a person set after the labels; `known` counts those known at a time.

    The first rule, the default and one whose threshold `assay calibrate` chose, by labels that no longer score it, are none.
    """
    for place, (rule, at, in_force) in enumerate(history):
        is_by_hand = place and not rule.is_calibrated and not rule.is_default
        if in_force and is_by_hand and (labels := known(at)):
            return (Reason(LATE, rule=rule.name, version=rule.version, count=labels),)
    return ()


def on_waves(answered: Iterable[tuple[int, int, int]], last: int, uncovered: int) -> tuple[str, ...]:
    """Warn of waves that are still out: (wave, draws, labels) of each, and items that no frame holds."""
    caveats: list[str] = [
        Reason(
            "wave {wave} counts once half of its draws have labels ({labels} of {drawn} have)",
            wave=wave,
            labels=labels,
            drawn=drawn,
        )
        for wave, drawn, labels in answered
        if wave > last
    ]
    if uncovered:
        caveats.append(Reason(UNCOVERED, count=uncovered))
    return tuple(caveats)


def _of_the_labels(evidence: EvidenceLedger) -> list[str]:
    """Note what response and base rate do to the numbers."""
    caveats, right = list[str](), evidence.among.correctness.estimate
    if evidence.cases and right is not None:
        caveats += [
            Reason(template, missing=evidence.draws.words(), span=_span(evidence.spanned(name)))
            for name, template in SPANNED.items()
            if evidence.spanned(name).long_run
        ]
    if right is not None and not COMMON[0] <= right <= COMMON[1]:
        caveats.append(NEARLY_ALL_RIGHT if right > COMMON[1] else NEARLY_ALL_WRONG)
    return caveats


def _span(estimate: Estimate) -> str:
    low, high = estimate.long_run or (0.0, 1.0)
    return f"{percent(low)} to {percent(high)}"


def partly_judged(judges: Iterable[JudgeTotals], items: int) -> tuple[str, ...]:
    """Warn of judges that were not asked of all items."""
    return tuple(
        Reason(PARTLY, signature=judge.signature, judged=judge.tried, items=items)
        for judge in judges
        if is_partial(judge, items)
    )


def fooled(canaries: Mapping[str, tuple[int, int]], rule: Rule) -> tuple[str, ...]:
    """Warn of judges that the rule reads and that obeyed answers: (obeyed, asked) by signature."""
    obeyed_by = {signature: canaries[signature] for signature in rule.signatures.values() if signature in canaries}
    return tuple(
        Reason(FOOLED, signature=signature, obeyed=obeyed, asked=asked)
        for signature, (obeyed, asked) in obeyed_by.items()
        if obeyed
    )


def opposite(groups: Sequence[Sequence[LabelledItem]]) -> tuple[str, ...]:
    """Warn of the same answer to the same question with opposite labels."""
    return (Reason(OPPOSITE, count=len(groups), items=sum(map(len, groups))),) if groups else ()


def not_independent(items: Uncounted) -> tuple[str, ...]:
    """Warn of second readings that say nothing of how far annotators agree."""
    caveats = [(items.in_one_project, ONE_PROJECT), (items.without_name, WITHOUT_NAME)]
    return tuple(Reason(template, count=count) for count, template in caveats if count)


def outdated(labels: int) -> tuple[str, ...]:
    """Warn of labels on content that is gone."""
    return (Reason(OUTDATED, count=labels),) if labels else ()
