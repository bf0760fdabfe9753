"""The gold set and a system's items of the store to a Check: matched, judged against the references, and counted.

A person's label of the new answer comes first, then the same words as an answer that is known, and only then a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotate.gold_check import SaidBy, Check, Comparison, JudgeAgainstPeople, Said, check, judged_by_people
from annotate.gold_matching import Asked, Matched, match, plain, question_key
from annotate.progress import Progress
from annotate.store import Store
from proxy.errors import UsageError
from proxy.records import Item, JudgeFailure, Label, Score
from proxy.references import alternatives
from proxy.stats.rogan_gladen import Count

BATCH = 50

Judging = Callable[[Sequence[Item]], Sequence[Score | JudgeFailure]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What to check: the new system, against which entries, with which judge and cut (passes are scores above it)."""

    system: str
    judging: Judging
    cut: float
    role: str
    release: str | None = None


class Checked(NamedTuple):
    """The check, and how answers met questions."""

    check: Check
    matched: Matched
    without_role: int


def run(store: Store, request: Request) -> Checked:
    """Hold the new system's answers against the gold set; UsageError where there is no such system or release."""
    systems = store.gold_checks.systems()
    if request.system not in [one.system for one in systems]:
        known = ", ".join(f"{one.system} ({one.items:,})" for one in systems) or "none: items have a system field"
        raise UsageError(f"no item is of the system {request.system}: the systems are {known}")
    with store.snapshot():
        return _run(store, request)


def _run(store: Store, request: Request) -> Checked:
    entries = store.gold_checks.entries(request.role, request.release)
    own = store.gold_checks.system_of([one.item for one in entries if one.item is not None])
    matched = match(entries, store.gold_checks.offered(request.system), own, request.system)
    labels = store.labels.by_item()
    # References of every role tell how the judge does: nothing is chosen by them.
    known = _against_people(store, store.gold_checks.entries("all", None), labels, request)
    found: list[Comparison] = []
    with Progress("checking", len(entries)) as progress:
        for start in range(0, len(entries), BATCH):
            batch = entries[start : start + BATCH]
            found += _compare(store, batch, matched, labels, request)
            progress.advance(len(batch))
    return Checked(check(found, known), matched, sum(one.role is None for one in entries))


def _compare(
    store: Store, entries: Sequence[Asked], matched: Matched, labels: Mapping[int, Label], request: Request
) -> list[Comparison]:
    """Each entry with its own answer and the new one."""
    keys = {one.gold_id: matched.answers.get(one.gold_id) for one in entries}
    rows = {one.item for one in entries if one.item is not None} | {key for key in keys.values() if key is not None}
    items = store.items.read(sorted(rows))
    found = [_blank(one, items, keys[one.gold_id], labels) for one in entries]
    new = {one.entry.gold_id: items[key] for one in found if (key := keys[one.entry.gold_id]) is not None}
    answered = [one for one in found if (item := new.get(one.entry.gold_id)) is not None and item.answer.strip()]
    left = [one for one in answered if _known(one) is None]
    judged = _passes([replace(new[one.entry.gold_id], reference=one.entry.reference) for one in left], request)
    own = [one for one in left if one.entry.item is not None]
    before = _passes([replace(items[one.entry.item or 0], reference=one.entry.reference) for one in own], request)
    said = dict(zip((one.entry.gold_id for one in left), judged, strict=True))
    old = {one.entry.gold_id: each.is_right for one, each in zip(own, before, strict=True)}
    return [
        replace(
            one,
            said=(_known(one) or said.get(one.entry.gold_id)) if one in answered else None,
            old_passes=old.get(one.entry.gold_id),
        )
        for one in found
    ]


def _blank(entry: Asked, items: Mapping[int, Item], key: int | None, labels: Mapping[int, Label]) -> Comparison:
    """What is known before anything is judged."""
    own = items[entry.item] if entry.item is not None else None
    new = items[key] if key is not None else None
    return Comparison(
        entry=entry,
        label=labels.get(entry.item) if entry.item is not None else None,
        old_answer=own.answer if own else None,
        new_id=new.id if new else None,
        new_answer=new.answer if new else None,
        new_label=labels.get(key) if key is not None else None,
    )


def _known(one: Comparison) -> Said | None:
    """What is known of the new answer without a judge."""
    if one.new_label is not None:
        return Said(judged_by_people(one.new_label), SaidBy.PERSON, one.new_label.rationale or "")
    new = plain(one.new_answer or "")
    if one.old_answer is not None and one.was_right is not None and new == plain(one.old_answer):
        return Said(one.was_right, SaidBy.SAME, "the same words as the old answer")
    if new in map(plain, alternatives(one.entry.reference)):
        return Said(True, SaidBy.SAME, "the same words as the reference")
    return None


def _passes(items: Sequence[Item], request: Request) -> list[Said]:
    """What the judge says of each answer against its reference."""
    return [_said(outcome, request.cut) for outcome in request.judging(items)] if items else []


def _said(outcome: Score | JudgeFailure, cut: float) -> Said:
    if isinstance(outcome, JudgeFailure):
        return Said(None, SaidBy.JUDGE, outcome.reason)
    return Said(outcome.value > cut, SaidBy.JUDGE, outcome.reason, outcome.value)


def _against_people(
    store: Store, entries: Sequence[Asked], labels: Mapping[int, Label], request: Request
) -> JudgeAgainstPeople:
    """The judge on answers with a label and a reference in other words: of each question one right and one wrong, the newest."""
    references: dict[tuple[str, ...], list[str]] = {}
    for entry in entries:
        references.setdefault(entry.key, []).append(entry.reference)
    clear = [row for row, label in labels.items() if judged_by_people(label) is not None]
    chosen: dict[tuple[object, ...], tuple[Item, bool]] = {}
    for row, item in store.items.read(sorted(clear)).items():
        key = question_key(item.question, item.history)
        options = [*references.get(key, ()), labels[row].reference, item.reference]
        others = [one for one in options if one and one.strip() and plain(one) != plain(item.answer)]
        if others and item.answer.strip():
            is_right = judged_by_people(labels[row]) is True
            chosen[key, is_right] = (replace(item, reference=others[0]), is_right)
    said = _passes([item for item, _ in chosen.values()], request)
    pairs = [
        (one.is_right, right) for one, (_, right) in zip(said, chosen.values(), strict=True) if one.is_right is not None
    ]
    right = [passes for passes, is_right in pairs if is_right]
    wrong = [passes for passes, is_right in pairs if not is_right]
    return JudgeAgainstPeople(Count(x=sum(right), n=len(right)), Count(x=sum(not one for one in wrong), n=len(wrong)))
