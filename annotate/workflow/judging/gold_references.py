"""Give an item whose question has a gold entry the entry's reference, for the judges that need one.

A reference that came with the item is kept. Of several accepted entries with the same question each is an alternative. A score
that was made before an entry changed is made again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.domain.gold.matching import plain
from annotate.domain.question_key import question_key
from annotate.store import Store
from annotate.store.gold.checks import EVERY
from proxy.judges.base import Judge
from proxy.judges.metrics.catalogue import metric_of
from proxy.judges.metrics.metric import MetricNeed
from proxy.records import Item, JudgeFailure, Score
from proxy.text.alternatives import alternatives, joined

FROM_GOLD = " (reference from the gold set)"


def reads_reference(judge: str) -> bool:
    """Return whether the judge of this name compares an answer with a reference."""
    metric = metric_of(judge)
    return metric is not None and MetricNeed.REFERENCE in metric.needs


class GoldReferences:
    """The references of the accepted entries, by question; those that are flagged wait for a person."""

    def __init__(self, store: Store) -> None:
        entries = [entry for entry in store.gold.checks.entries(EVERY, None) if entry.flag is None]
        own = [entry.item for entry in entries if entry.item is not None]
        ids = dict(zip(own, store.traffic.items.ids(own), strict=True))
        self._by_question: defaultdict[str, list[tuple[str | None, str]]] = defaultdict(list)
        for entry in entries:
            key = question_key(entry.question, entry.history)
            self._by_question[key].append((ids.get(entry.item or 0), entry.reference))

    def filled(self, item: Item) -> Item:
        """Return the item with the reference of its question; as it is where it has one, or is itself the only reference.

        An answer that was taken into the gold set as it stands says nothing about itself.
        """
        if (item.reference or "").strip() or not self._by_question:
            return item
        texts = [
            text
            for item_id, reference in self._by_question.get(question_key(item.question, item.history), ())
            if not (item_id == item.id and plain(reference) == plain(item.answer))
            for text in alternatives(reference)
        ]
        return replace(item, reference=joined(list(dict.fromkeys(texts)))) if texts else item


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldReferenceJudge:
    """A judge that reads the reference of the gold set where an item has none of its own."""

    asked: Judge
    references: GoldReferences

    @property
    def name(self) -> str:
        """The name of the judge."""
        return self.asked.name

    @property
    def signature(self) -> str:
        """The signature of the judge."""
        return self.asked.signature

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score the item; the reason says where the reference came from."""
        filled = self.references.filled(item)
        outcome = self.asked.judge(filled)
        return outcome if filled is item else replace(outcome, reason=outcome.reason + FROM_GOLD)


def with_gold_references(store: Store, judges: Sequence[Judge]) -> list[Judge]:
    """Return the judges, those that need a reference with the references of the gold set."""
    if not any(reads_reference(judge.name) for judge in judges):
        return list(judges)
    references = GoldReferences(store)
    return [
        GoldReferenceJudge(asked=judge, references=references) if reads_reference(judge.name) else judge
        for judge in judges
    ]


def forget_outdated(store: Store, judges: Mapping[str, int]) -> None:
    """Remove what these judges, by name with their row, made of items before the entry of their question changed."""
    reading = [key for name, key in judges.items() if reads_reference(name)]
    if not reading:
        return
    questions, turns = store.gold.questions(), store.gold.conversations()
    changed_at: dict[str, str] = {}
    for entry in store.gold.entries():
        key = question_key(questions[entry.gold_id], turns.get(entry.gold_id, ()))
        changed_at[key] = max(changed_at.get(key, ""), entry.updated_at)
    rows = store.traffic.items.asking(changed_at)
    store.scores.forget_older(reading, {row: changed_at[key] for key, keys in rows.items() for row in keys})
