"""Read the gold set for a person who reviews it: its entries, what waits, and which entries ask nearly the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.domain.gold import GoldEntry, GoldStatus
from annotate.domain.gold.conflicts import NearPair, near_entries
from annotate.domain.gold.flags import by_entry, doubts
from annotate.domain.gold.sources import SourceChange
from annotate.store import Store
from proxy.records import Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingReference:
    """A question that needs a reference, the turns before it, and the ids of its wrong answers."""

    question: str
    history: Sequence[Turn]
    item_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldEntries:
    """Entries of the gold set, with question and conversation of each by gold id.

    `missing` are the questions with wrong answers that no reference corrects; `lacking` counts the entries that the knowledge
    base lacks. `corrects` are the ids of the wrong answers that an entry corrects beside its own, `changes` what its source
    passages say now, by gold id; of `without_ids` accepted entries nobody can tell.
    """

    entries: Sequence[GoldEntry]
    questions: Mapping[str, str]
    histories: Mapping[str, Sequence[Turn]]
    missing: Sequence[MissingReference]
    lacking: int
    corrects: Mapping[str, Sequence[str]]
    changes: Mapping[str, Sequence[SourceChange]]
    without_ids: int

    @property
    def missing_answers(self) -> int:
        """The wrong answers to the questions that need a reference."""
        return sum(len(question.item_ids) for question in self.missing)


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingEntry:
    """An entry that waits for an expert, with its question, what speaks against it, and what its source passages say now."""

    entry: GoldEntry
    question: str
    history: Sequence[Turn]
    doubts: Sequence[str]
    changes: Sequence[SourceChange] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class NearDuplicates:
    """Pairs of entries that ask nearly the same, conflicts first, with the entries by gold id."""

    pairs: Sequence[NearPair]
    entries: Mapping[str, GoldEntry]
    questions: Mapping[str, str]
    histories: Mapping[str, Sequence[Turn]]

    @property
    def conflicts(self) -> int:
        """Pairs whose references contradict each other."""
        return sum(pair.is_conflict for pair in self.pairs)


def entries(store: Store, status: GoldStatus | None = None) -> GoldEntries:
    """Read the entries, all or with one status."""
    listed = store.gold.entries(status)
    return GoldEntries(
        entries=listed,
        questions=store.gold.questions(),
        histories=store.gold.conversations(),
        missing=_missing(store),
        lacking=store.gold.count_lacking(),
        corrects=store.gold.answers.corrected([entry.gold_id for entry in listed]),
        changes=store.gold.sources.changes([entry.gold_id for entry in listed if entry.flag]),
        without_ids=store.gold.sources.without_ids(),
    )


def _missing(store: Store) -> list[MissingReference]:
    questions = store.gold.statistics.waiting()
    items = store.traffic.items.read([row for question in questions for row in question.items])
    return [
        MissingReference(
            question=items[question.items[0]].question,
            history=items[question.items[0]].history,
            item_ids=tuple(items[row].id for row in question.items),
        )
        for question in questions
    ]


def waiting(store: Store) -> list[WaitingEntry]:
    """List what waits for a person: flagged entries, then candidates as the app shows them."""
    count = store.gold.counts()[GoldStatus.CANDIDATE]
    queue = [*store.gold.flagged(), *store.gold.page(GoldStatus.CANDIDATE, start=0, size=count)]
    questions, histories = store.gold.questions(), store.gold.conversations()
    pairs = by_entry(list(near_entries(store.gold.entries(), questions, histories)))
    changes = store.gold.sources.changes([entry.gold_id for entry in queue if entry.flag])
    return [
        WaitingEntry(
            entry=entry,
            question=questions[entry.gold_id],
            history=histories.get(entry.gold_id, ()),
            doubts=doubts(entry, pairs.get(entry.gold_id, ())),
            changes=changes.get(entry.gold_id, ()),
        )
        for entry in queue
    ]


def near_duplicates(store: Store) -> NearDuplicates:
    """Find the entries that ask nearly the same."""
    every, questions, histories = store.gold.entries(), store.gold.questions(), store.gold.conversations()
    pairs = near_entries(every, questions, histories)
    return NearDuplicates(
        pairs=sorted(pairs, key=lambda pair: not pair.is_conflict),
        entries={entry.gold_id: entry for entry in every},
        questions=questions,
        histories=histories,
    )
