"""Import a file of references into the gold set: each row finds its item, or becomes an entry of its own.

A row belongs to the item that it names, else to one without an entry that asks the same after the same conversation. The same
file again adds nothing, and what contradicts a person's decision goes to quarantine with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from annotate.domain.gold import Candidate, GoldEntry, GoldSource, GoldStatus, imported_id
from annotate.domain.gold.following import may_replace, offer
from annotate.domain.gold.import_rows import GoldRow, gold_row
from annotate.domain.gold.matching import AskedKey, asked_key
from annotate.domain.timestamps import Times
from annotate.files import digest
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.workflow.ingest.batches import IngestTally, Intake, Parsed, Source, batches
from proxy.errors import InputError

EVENT = "gold import"


class ImportedCounts(NamedTuple):
    """The counts of an import: new candidates, those among them without an item, and what was here before."""

    added: int = 0
    without_item: int = 0
    unchanged: int = 0

    def plus(self, other: ImportedCounts) -> ImportedCounts:
        """Add both counts."""
        return ImportedCounts(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedReferences:
    """The rows of references that were read, and what became of them."""

    intake: Intake
    kept: ImportedCounts

    @property
    def is_complete(self) -> bool:
        """Whether every row could be read."""
        return not self.intake.refused

    def plus(self, other: ImportedReferences) -> ImportedReferences:
        """Add what became of the rows of another file."""
        return ImportedReferences(intake=self.intake.plus(other.intake), kept=self.kept.plus(other.kept))


def import_gold(store: Store, sources: Sequence[Source], *, who: str, now: str) -> ImportedReferences:
    """Take files of references in as candidates, and log each. Each batch of rows is one transaction."""
    imported = [_import_file(store, source, who=who, now=now) for source in sources]
    return reduce(ImportedReferences.plus, imported)


def _import_file(store: Store, source: Source, *, who: str, now: str) -> ImportedReferences:
    imported = _import(store, source, who=who, now=now)
    if imported.kept.added:
        with store.atomic():
            detail = {"digest": digest(source.path), **imported.kept._asdict()}
            store.audit.events.append(EVENT, detail, who=who, now=now)
    return imported


def _import(store: Store, source: Source, *, who: str, now: str) -> ImportedReferences:
    totals = ImportedCounts()
    with ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, "gold", source, Times(now), progress)
        for batch in batches("gold", source, gold_row):
            with store.atomic(durable=True):
                counts, refused = _BatchImport(store, batch.parsed).add_rows(batch.parsed, who, now)
                totals = totals.plus(counts)
                tally.close(batch, refused)
    return ImportedReferences(intake=tally.intake, kept=totals)


class _BatchImport:
    """Matches the rows of one batch to items and entries, and keeps each as a candidate."""

    def __init__(self, store: Store, rows: Iterable[Parsed[GoldRow]]) -> None:
        parsed = [row.value for row in rows]
        questions = {asked_key(row.question, row.history) for row in parsed if row.question.strip()}
        self._store = store
        self._item_by_id = store.traffic.items.keys([row.item_id for row in parsed if row.item_id])
        self._entries_by_question: dict[AskedKey, list[str]] = defaultdict(list)
        histories = store.gold.conversations()
        for gold_id, question in store.gold.questions().items():
            if (key := asked_key(question, histories.get(gold_id, ()))) in questions:
                self._entries_by_question[key].append(gold_id)
        self._items_by_question: dict[AskedKey, list[int]] = defaultdict(list)
        unnamed = {asked_key(row.question, row.history) for row in parsed if row.item_id not in self._item_by_id}
        for item, question, history in store.gold.items_without_entry() if unnamed else ():
            if (key := asked_key(question, history)) in unnamed:
                self._items_by_question[key].append(item)

    def add_rows(self, rows: list[Parsed[GoldRow]], who: str, now: str) -> tuple[ImportedCounts, list[Quarantined]]:
        """Keep the rows as candidates; the counts, and what was refused."""
        totals, refused = ImportedCounts(), []
        for row in rows:
            try:
                counts = self._add_row(row.value, who, now)
            except InputError as error:
                refused.append(row.refused(str(error)))
            else:
                totals = totals.plus(counts)
        return totals, refused

    def _add_row(self, row: GoldRow, who: str, now: str) -> ImportedCounts:
        key = asked_key(row.question, row.history) if row.question.strip() else ()
        item = self._named_item(row, self._item_by_id) if row.item_id in self._item_by_id else None
        if item is None and not key:
            raise InputError(f"there is no item {row.item_id}, and the row has no question: ingest its traffic first")
        without_entry = self._items_by_question.get(key, [])
        takes_item = item is None and bool(without_entry)
        same_question = self._entries_by_question.get(key, []) if item is None else []
        candidate = self._candidate(
            row, without_entry[0] if takes_item else item, same_question, row.annotator or who, now
        )
        if candidate is None:
            return ImportedCounts(unchanged=1)
        self._store.gold.write(candidate, who=who, why=None, now=now)
        if takes_item:
            without_entry.pop(0)
        self._entries_by_question[key].append(candidate.gold_id)
        return ImportedCounts(added=1, without_item=int(item is None and not takes_item))

    def _candidate(
        self, row: GoldRow, item: int | None, same_question: Iterable[str], annotator: str, now: str
    ) -> GoldEntry | None:
        """Return the candidate that a row makes, of an item or of its own; None where its reference is known by now.

        InputError where a person has written, accepted or retired another reference for the item.
        """
        gold, text = self._store.gold, row.reference.strip()
        existing = None if item is None else gold.of_item(item)
        if item is not None and self._store.traffic.items.is_forgotten(item):
            raise InputError(f"item {row.item_id} was forgotten: no reference can be written for it any more")
        known = [*same_question, *([existing.gold_id] if existing else [])]
        if any(revision.reference.strip() == text for name in known for revision in gold.revisions(name)):
            return None
        if existing and not may_replace(existing, was_withdrawn=gold.was_withdrawn(existing)):
            raise InputError(
                f"item {existing.item_id} has another reference, {existing.gold_id} ({existing.status}): change that one with "
                f"`assay gold edit {existing.gold_id}`"
            )
        imported = Candidate(text, GoldSource.IMPORT, annotator)
        if item is not None:
            return offer(existing, imported) if existing else gold.identity(item).entry(imported, now)
        return GoldEntry(
            gold_id=imported_id(row.question, text, row.history),
            item=None,
            item_id=None,
            reference=text,
            status=GoldStatus.CANDIDATE,
            source=GoldSource.IMPORT,
            annotator=annotator,
            updated_at=now,
            question=row.question,
            contexts=row.contexts,
            history=row.history,
        )

    def _named_item(self, row: GoldRow, by_id: Mapping[str, int]) -> int:
        """Return the item that a row names, if it asks the same."""
        item = by_id[row.item_id or ""]
        named_item = self._store.traffic.items.get(item)
        # A row without a conversation may leave out the one that its item has.
        history = row.history or named_item.history
        if row.question.strip() and asked_key(row.question, history) != asked_key(
            named_item.question, named_item.history
        ):
            raise InputError(f"question: item {row.item_id} asks something else; leave item_id or question out")
        return item
