"""Write the warnings that a reader must know before believing a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from annotate.analysis.rule_in_force import DEFAULT_NAME
from annotate.domain.sampling.outcomes import Progress
from annotate.store.labels.annotations import Uncounted
from annotate.store.labels.opposite_labels import LabelledItem
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import EvidenceLedger
from proxy.evaluation.trust import percent
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.text.language import several

FEW_ERRORS = 5
COMMON = (0.1, 0.9)
NEARLY_ALL = 0.98


def notes(rule: Rule, evidence: EvidenceLedger, progress: Progress) -> tuple[str, ...]:
    """Note what a reader must know of the rule and the labels."""
    people = evidence.people
    caveats = [] if rule.is_calibrated else [f"{rule.basis} ({rule.expression})"]
    if progress.open and progress.labelled:
        caveats.append(
            f"{progress.open:,} of {progress.drawn:,} drawn items have no label yet: if those differ, so does the truth"
        )
    if progress.unsure:
        caveats.append(f"{several(progress.unsure, 'label')} left out: unsure, or two readers disagree")
    caveats += _of_the_labels(evidence)
    counts = evidence.among.counts
    wrong = counts.wrong_pass + counts.wrong_fail
    if progress.labelled and wrong < FEW_ERRORS:
        answers = "answer" if wrong == 1 else "answers"
        caveats.append(
            f"only {wrong} wrong {answers} among the labels of scored items: specificity and kappa rest on them"
        )
    return (*caveats, *([people.warning] if people.warning else []))


def chosen_late(history: Sequence[tuple[Rule, str, bool]], known: Callable[[str], int]) -> tuple[str, ...]:
    """Warn of a rule that a person set after the labels; `known` counts those known at a time.

    The first rule, the default and one whose cut `assay calibrate` chose, by labels that no longer score it, are none.
    """
    for place, (rule, at, in_force) in enumerate(history):
        is_by_hand = (
            place and not rule.is_calibrated and (rule.name, rule.expression) != (DEFAULT_NAME, DEFAULT_EXPRESSION)
        )
        if in_force and is_by_hand and (labels := known(at)):
            known_labels = "1 label was" if labels == 1 else f"{labels:,} labels were"
            late = f"{rule.name} v{rule.version} was set after {known_labels} known: if they chose it, they flatter it"
            return (f"{late}; confirm it with a fresh wave (`assay sample --labels 100`)",)
    return ()


def on_waves(answered: Iterable[tuple[int, int, int]], last: int, uncovered: int) -> tuple[str, ...]:
    """Warn of waves that are still out: (wave, draws, labels) of each, and items that no frame holds."""
    caveats = [
        f"wave {wave} counts once half of its draws have labels ({labels:,} of {drawn:,} have)"
        for wave, drawn, labels in answered
        if wave > last
    ]
    if uncovered:
        caveats.append(
            f"{uncovered:,} items came or changed after the last wave that counts: no estimate speaks of them; draw a wave"
        )
    return tuple(caveats)


def _of_the_labels(evidence: EvidenceLedger) -> list[str]:
    """Note what response and base rate do to the numbers."""
    caveats, right = list[str](), evidence.among.correctness.estimate
    if evidence.cases and right is not None:
        spans = [
            f"{_span(evidence.spanned(name))} of {words} are right"
            for name, words in (("correctness", "all answers"), ("pass_precision", "the passed ones"))
            if evidence.spanned(name).long_run
        ]
        if spans:
            caveats.append(f"{evidence.draws.words()}: whatever they are, in the long run {', '.join(spans)}")
    if right is not None and not COMMON[0] <= right <= COMMON[1]:
        kind = "right" if right > COMMON[1] else "wrong"
        caveats.append(
            f"nearly all answers are {kind}, so kappa is low even for a good proxy: "
            "read specificity, sensitivity and AC1 beside it"
        )
    return caveats


def _span(estimate: Estimate) -> str:
    low, high = estimate.long_run or (0.0, 1.0)
    return f"{percent(low)} to {percent(high)}"


def partly_judged(judges: Iterable[tuple[str, int]], items: int) -> tuple[str, ...]:
    """Warn of judges that were not asked of all items: (signature, items with its outcome) of each."""
    return tuple(
        f"{signature} has judged {judged:,} of {items:,} items, which need not be like the others: run `assay judge` with it, or "
        "do not compare it"
        for signature, judged in judges
        if judged < NEARLY_ALL * items
    )


def fooled(canaries: Mapping[str, tuple[int, int]], rule: Rule) -> tuple[str, ...]:
    """Warn of judges that the rule reads and that obeyed answers: (obeyed, asked) by signature."""
    obeyed_by = {signature: canaries[signature] for signature in rule.signatures.values() if signature in canaries}
    return tuple(
        f"{signature} obeyed {obeyed} of {asked} test answers that told it what to say: look at disputed items first"
        for signature, (obeyed, asked) in obeyed_by.items()
        if obeyed
    )


def opposite(groups: Sequence[Sequence[LabelledItem]]) -> tuple[str, ...]:
    """Warn of the same answer to the same question with opposite labels."""
    if not groups:
        return ()
    answers = "1 answer is" if len(groups) == 1 else f"{len(groups):,} answers are"
    items = sum(map(len, groups))
    where = f"labelled right in one item and wrong in another that asks and says the same ({items:,} items)"
    return (f"{answers} {where}: `assay labels opposite` lists them",)


def not_independent(items: Uncounted) -> tuple[str, ...]:
    """Warn of second readings that say nothing of how far people agree."""
    notes = []
    if items.in_one_project:
        notes.append(
            f"{several(items.in_one_project, 'item')} read by two people in one project: not counted as agreement, because they "
            "could see each other's answer; give each reader a project (`assay push --reader A --reader B --overlap 0.2`)"
        )
    if items.without_name:
        notes.append(
            f"{several(items.without_name, 'item')} with a label without annotator beside a named one: not counted as agreement, "
            "because both may be the same person's"
        )
    return tuple(notes)


def outdated(labels: int) -> tuple[str, ...]:
    """Warn of labels on content that is gone."""
    if not labels:
        return ()
    return (
        f"{labels:,} labels are of answers that changed after they were drawn: they no longer count in any estimate",
    )
