"""Check a system's answers against the gold set: match the questions, judge the answers against the references, and count.

A person's label of the new answer comes first, then the same words as an answer that is known, and only then a judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotate.domain import gate_limits
from annotate.domain.gate_limits import GoldCheckLimits
from annotate.domain.gold.matching import AskedKey, GoldQuestion, MatchedAnswers, asked_key, match, plain
from annotate.domain.gold.reference_choice import ReferenceJudgeChoice
from annotate.domain.gold.regression import (
    DEFAULT_THRESHOLD,
    Check,
    Comparison,
    JudgeAgainstAnnotators,
    Said,
    SaidBy,
    check,
    judged_by_annotators,
)
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.gold.checks import EVERY
from proxy.errors import UsageError
from proxy.judges.base import Judge
from proxy.records import Item, JudgeFailure, Label, Score
from proxy.scoring import score_batch
from proxy.stats.agreement.rogan_gladen import Count
from proxy.text.alternatives import alternatives

# Chosen: items with their texts in memory at a time; the result does not depend on it.
BATCH = 50

Judging = Callable[[Sequence[Item]], Sequence[Score | JudgeFailure]]
# What is judged: a new answer or an old one, by gold id, or a labelled answer that tells how the judge does, by question.
Ask = tuple[str, object]
NEW, OLD, KNOWN_RIGHT, KNOWN_WRONG = "new", "old", "known right", "known wrong"


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldCheckRequest:
    """The request for a check: the new system, against which entries, with which judge and threshold; None is the default.

    `silent` are the questions whose labels chose the judge: they say nothing of how it does. `answers` are new answers that are
    not in the store, by question; None takes those that the store has of the system.
    """

    system: str
    judging: Judging
    judge: str
    threshold: float | None
    role: str
    release: str | None = None
    silent: frozenset[AskedKey] = frozenset()
    answers: Mapping[AskedKey, str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """The check, how answers met questions, and who judged: a signature, or the name of a judge that was not asked.

    `is_fooled` tells that an answer talked the model into a good verdict, `choice` that labels chose another judge than usual.
    """

    system: str
    check: Check
    matched: MatchedAnswers
    without_role: int
    flagged: int
    judge: str
    threshold: float
    is_default_threshold: bool
    limits: GoldCheckLimits
    is_fooled: bool = False
    choice: ReferenceJudgeChoice | None = None


class _New(NamedTuple):
    """A new answer, its label, and its id where it is in the store."""

    item: Item
    label: Label | None = None
    id: str | None = None


class _Read(NamedTuple):
    """The content of the store: each comparison before anything is judged, and the items to judge with their references."""

    comparisons: list[Comparison]
    matched: MatchedAnswers
    asks: dict[Ask, Item]


def run(store: Store, request: GoldCheckRequest) -> Checked:
    """Check the new system's answers against the gold set; UsageError where there is no such system or release."""
    limits = gate_limits.of_gold_check()
    if request.answers is None:
        _require_system(store, request.system)
    with store.snapshot():
        matching = _read(store, request)
    outcomes = dict(
        zip(matching.asks, request.judging(list(matching.asks.values())) if matching.asks else [], strict=True)
    )
    threshold = DEFAULT_THRESHOLD if request.threshold is None else request.threshold
    verdicts = {ask: _verdict_of(outcome, threshold) for ask, outcome in outcomes.items()}
    comparisons = [_judged(comparison, verdicts) for comparison in matching.comparisons]
    entries = [comparison.entry for comparison in comparisons]
    return Checked(
        system=request.system,
        check=check(comparisons, _against_annotators(verdicts)),
        matched=matching.matched,
        without_role=sum(entry.role is None for entry in entries),
        flagged=sum(entry.flag is not None for entry in entries),
        judge=next((outcome.signature for outcome in outcomes.values()), request.judge),
        threshold=threshold,
        is_default_threshold=request.threshold is None,
        limits=limits,
    )


def _require_system(store: Store, system: str) -> None:
    systems = store.gold.checks.systems()
    if system not in [entry.system for entry in systems]:
        known = ", ".join(f"{entry.system} ({entry.items:,})" for entry in systems) or "none: items have a system field"
        raise UsageError(f"no item is of the system {system}: the systems are {known}")


def _read(store: Store, request: GoldCheckRequest) -> _Read:
    """Match the answers with the entries, and find what is left to a judge."""
    entries = store.gold.checks.entries(request.role, request.release)
    own = store.gold.checks.system_of([entry.item for entry in entries if entry.item is not None])
    matched = MatchedAnswers({}, {})
    if request.answers is None:
        matched = match(entries, store.gold.checks.offered(request.system), own, request.system)
    labels = store.labels.by_item()
    items = store.traffic.items.read(sorted({*own, *matched.answers.values()}))
    new_answers = (
        {name: _New(items[key], labels.get(key), items[key].id) for name, key in matched.answers.items()}
        if request.answers is None
        else _given(entries, request.answers)
    )
    comparisons: list[Comparison] = []
    asks: dict[Ask, Item] = {}
    for entry in entries:
        if entry.gold_id in matched.own:
            continue
        new = new_answers.get(entry.gold_id)
        comparison = _blank(entry, items, new, labels)
        comparisons.append(comparison)
        if new is not None and comparison.verdict is None and new.item.answer.strip():
            asks[NEW, entry.gold_id] = replace(new.item, reference=entry.reference)
            if entry.item is not None:
                asks[OLD, entry.gold_id] = replace(items[entry.item], reference=entry.reference)
    # References of every role tell how the judge does: nothing is chosen by them.
    known = {ask: item for ask, item in labelled_answers(store).items() if ask[1] not in request.silent}
    return _Read(comparisons, matched, asks | known)


def _given(entries: Sequence[GoldQuestion], answers: Mapping[AskedKey, str]) -> dict[str, _New]:
    """Return the answers that are not in the store, by gold id."""
    return {
        entry.gold_id: _New(
            Item(id=entry.gold_id, question=entry.question, history=entry.history, answer=answers[entry.key])
        )
        for entry in entries
        if entry.key in answers
    }


def _blank(entry: GoldQuestion, items: Mapping[int, Item], new: _New | None, labels: Mapping[int, Label]) -> Comparison:
    """Build the comparison before anything is judged."""
    own = items[entry.item] if entry.item is not None else None
    comparison = Comparison(
        entry=entry,
        label=labels.get(entry.item) if entry.item is not None else None,
        old_answer=own.answer if own else None,
        new_id=new.id if new else None,
        new_answer=new.item.answer if new else None,
        new_label=new.label if new else None,
    )
    return replace(comparison, verdict=_known(comparison))


def _known(comparison: Comparison) -> Said | None:
    """Return what is known of the new answer without a judge."""
    if comparison.new_label is not None:
        return Said(judged_by_annotators(comparison.new_label), SaidBy.ANNOTATOR, comparison.new_label.rationale or "")
    if comparison.new_answer is None or not comparison.new_answer.strip():
        return None
    new = plain(comparison.new_answer)
    if comparison.old_answer is not None and comparison.was_right is not None and new == plain(comparison.old_answer):
        return Said(comparison.was_right, SaidBy.SAME, "the same words as the old answer")
    if new in map(plain, alternatives(comparison.entry.reference)):
        return Said(True, SaidBy.SAME, "the same words as the reference")
    return None


def _judged(comparison: Comparison, verdicts: Mapping[Ask, Said]) -> Comparison:
    """Return the comparison with what the judge says of both answers."""
    new, old = verdicts.get((NEW, comparison.entry.gold_id)), verdicts.get((OLD, comparison.entry.gold_id))
    return replace(comparison, verdict=comparison.verdict or new, old_passes=old.is_right if old else None)


def _verdict_of(outcome: Score | JudgeFailure, threshold: float) -> Said:
    if isinstance(outcome, JudgeFailure):
        return Said(None, SaidBy.JUDGE, outcome.reason)
    return Said(outcome.value > threshold, SaidBy.JUDGE, outcome.reason, outcome.value)


def labelled_answers(store: Store) -> dict[Ask, Item]:
    """Find answers with a label and a reference in other words: of each question one right and one wrong, the newest."""
    entries, labels = store.gold.checks.entries(EVERY, None), store.labels.by_item()
    references = defaultdict[AskedKey, list[str]](list)
    for entry in entries:
        references[entry.key].append(entry.reference)
    asks: dict[Ask, Item] = {}
    for row, item in store.traffic.items.read(sorted(labels)).items():
        key, label = asked_key(item.question, item.history), labels[row]
        options = [*references[key], label.reference, item.reference]
        other_words = [
            option for option in options if option and option.strip() and plain(option) != plain(item.answer)
        ]
        is_right = judged_by_annotators(label)
        if other_words and item.answer.strip() and is_right is not None:
            asks[KNOWN_RIGHT if is_right else KNOWN_WRONG, key] = replace(item, reference=other_words[0])
    return asks


def _against_annotators(verdicts: Mapping[Ask, Said]) -> JudgeAgainstAnnotators:
    """Count how the judge did on the labelled answers that it could judge."""
    right = [
        verdict.is_right
        for (kind, _), verdict in verdicts.items()
        if kind == KNOWN_RIGHT and verdict.is_right is not None
    ]
    wrong = [
        verdict.is_right
        for (kind, _), verdict in verdicts.items()
        if kind == KNOWN_WRONG and verdict.is_right is not None
    ]
    return JudgeAgainstAnnotators(Count(x=sum(right), n=len(right)), Count(x=wrong.count(False), n=len(wrong)))


def offline(judge: Judge) -> Judging:
    """Judging by a judge that needs no model."""

    def judging(items: Sequence[Item]) -> list[Score | JudgeFailure]:
        outcomes: list[Score | JudgeFailure] = []
        with ProgressCounter("judging", len(items)) as progress:
            for start in range(0, len(items), BATCH):
                batch = items[start : start + BATCH]
                outcomes += [row[0] for row in score_batch(batch, [judge])]
                progress.advance(len(batch))
        return outcomes

    return judging
