"""List what the gold set holds: its entries, what waits for a person, near-duplicates, the history of an entry, releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from annotate.domain.gold.drafts import origin_of
from annotate.domain.gold.release import Difference, Release
from annotate.domain.gold.sources import SourceChange, where_they_differ
from annotate.domain.message import Code, Listing, Message, Name, Quote, Step, Value, message
from annotate.domain.turns import in_one_line
from annotate.present.document import Column, Detail, Document, Excerpt, Section, Table
from annotate.present.gold.actions import status
from proxy.records import Turn

if TYPE_CHECKING:
    from annotate.analysis.gold.review import GoldEntries, NearDuplicates, WaitingEntry
    from annotate.domain.gold import GoldEntry
    from annotate.domain.gold.entries import GoldRevision

# Chosen: rows for which the brief answer of 25 lines has room, and 64 bits of a hash, which nobody meets twice by chance.
SHOWN, SHORT_HASH = 15, 16


class History(NamedTuple):
    """An entry, and each step of it, oldest first."""

    gold_id: str
    revisions: Sequence[GoldRevision]


def entries(result: GoldEntries) -> Document:
    """List the entries, and the questions that still need a reference."""
    rows = tuple(
        (
            Name(entry.gold_id),
            _state(entry),
            Name(entry.item_id) if entry.item_id else None,
            _of_entry(result, entry),
        )
        for entry in result.entries
    )
    missing = tuple(
        (Listing(tuple(map(Name, asked.item_ids))), _asked(asked.question, asked.history)) for asked in result.missing
    )
    references = tuple(
        _excerpt(
            entry,
            _of_entry(result, entry),
            [entry.flag] if entry.flag else [],
            result.changes.get(entry.gold_id, ()),
        )
        for entry in result.entries
    )
    counts = {"gold.lacking": result.lacking, "gold.without_passage_ids": result.without_ids}
    sections = [
        Section(None, tuple(message(key, count=count) for key, count in counts.items() if count)),
        _table("gold_lists.entries", ("entry", "status", "item", "question"), rows, "gold"),
        _table("gold_lists.missing", ("wrong", "question"), missing, "without_reference"),
        Section(message("gold_lists.references"), references, Detail.FULL),
    ]
    counts = {"count": len(result.entries), "missing": len(result.missing), "answers": result.missing_answers}
    answer = message("gold_lists.listed", **counts)
    return Document(answer, sections=tuple(sections))


def waiting(result: Sequence[WaitingEntry], steps: Sequence[Step] = ()) -> Document:
    """List what waits for a person, with what speaks against it."""
    sections = (Section(None, tuple(map(_waits, result))),)
    return Document(message("gold_lists.waiting", count=len(result)), sections=sections, next=tuple(steps))


def candidate(result: WaitingEntry, number: int, total: int) -> Document:
    """Show one that waits, the next to be decided."""
    answer = message("gold_lists.place", number=number, total=total)
    return Document(answer, sections=(Section(None, (_waits(result),)),))


def reviewed(decided: int, left: int) -> Document:
    """Say how many were decided in a review."""
    return Document(message("gold_lists.decided", count=decided, left=left))


def duplicates(result: NearDuplicates) -> Document:
    """List the entries that ask nearly the same, conflicts first."""
    excerpts = tuple(
        Excerpt(
            message("gold.pair_conflict" if pair.is_conflict else "gold.pair_near"),
            tuple(
                text
                for name in (pair.first, pair.other)
                for text in (
                    (entry_title(result.entries[name]), _of_entry(result, result.entries[name])),
                    (message("gold.reference"), Quote(result.entries[name].reference)),
                )
            ),
        )
        for pair in result.pairs
    )
    answer = message("gold.pairs_count", pairs=len(result.pairs), conflicts=result.conflicts)
    return Document(answer, sections=(Section(None, excerpts),))


def history(result: History) -> Document:
    """List each step of an entry, oldest first."""
    excerpts = tuple(
        Excerpt(
            _step(step),
            (
                *(((message("gold.said_why"), Quote(step.why)),) if step.why else ()),
                (message("gold.reference"), Quote(step.reference)),
            ),
        )
        for step in result.revisions
    )
    answer = message("gold_lists.revisions", count=len(result.revisions), gold_id=Name(result.gold_id))
    return Document(answer, sections=(Section(None, excerpts),))


def _step(step: GoldRevision) -> Message:
    """Who did what when, and what the text began as."""
    decision = message("gold.said_by", at=Name(step.at), status=status(step.status), who=Name(step.who) or None)
    begun = began_as(step)
    return decision if begun is None else message("gold.said_begun", said=decision, begun=begun)


def began_as(step: GoldRevision) -> Message | None:
    """Say what proposal the text of a step began as, and how far it is from it; None where it began as none."""
    if step.origin is None:
        return None
    origin = origin_of(step.origin, 0)
    source = message(
        f"gold.source_{origin.source.name.lower()}", **({"model": Name(origin.model)} if origin.model else {})
    )
    if step.edit_distance is None:
        return message("gold.begun", origin=source)
    return message("gold.begun_near", origin=source, distance=step.edit_distance)


def releases(result: Sequence[Release]) -> Document:
    """List the releases, oldest first."""
    names = ("release", "day", "size", "who", "hash")
    rows = tuple(
        (Name(release.name), Name(release.at[:10]), release.entries, Name(release.who), Code(release.hash[:SHORT_HASH]))
        for release in result
    )
    hashes = tuple(message("values.colon", label=Name(release.name), words=Code(release.hash)) for release in result)
    sections = (
        _table(None, names, rows, "releases"),
        Section(message("gold_lists.hashes"), hashes, Detail.FULL),
    )
    return Document(message("gold_lists.releases", count=len(result)), sections=sections)


def difference(result: Difference, before: str, after: str) -> Document:
    """Say what a release has that another has not."""
    changes = result._asdict()
    rows = tuple((message(f"gold.change_{name}"), Name(gold_id)) for name, ids in changes.items() for gold_id in ids)
    counts = {name: len(ids) for name, ids in changes.items()}
    answer = message("gold_lists.difference", before=Name(before), after=Name(after), **counts)
    return Document(answer, sections=(_table(None, ("change", "entry"), rows, "changes"),))


def _table(title: str | None, names: Sequence[str], rows: tuple[tuple[Value, ...], ...], name: str) -> Section:
    columns = tuple(
        Column(message(f"gold_lists.{column}"), is_number=column == "size", is_wide=column == "question")
        for column in names
    )
    table = (Table(columns, rows, name=name, most=SHOWN),) if rows else ()
    return Section(message(title) if title else None, table)


def _waits(result: WaitingEntry) -> Excerpt:
    return _excerpt(result.entry, _asked(result.question, result.history), result.doubts, result.changes)


def _of_entry(result: GoldEntries | NearDuplicates, entry: GoldEntry) -> Quote:
    return _asked(result.questions[entry.gold_id], result.histories.get(entry.gold_id, ()))


def _asked(question: str, before: Sequence[Turn]) -> Quote:
    return Quote(in_one_line(question, before))


def _state(entry: GoldEntry) -> Listing:
    """The status of an entry, and its marks."""
    marks = {"flagged": entry.flag, "lacks": entry.lacks_knowledge}
    marked = (message(f"gold_lists.{name}") for name, is_marked in marks.items() if is_marked)
    return Listing((status(entry.status), *marked))


def source_change(change: SourceChange) -> tuple[tuple[Message, Quote], tuple[Message, Quote]]:
    """What a passage said when the entry was accepted, and what it says now, around the place where they differ."""
    before, now = where_they_differ(change.before, change.now)
    name = Name(change.passage)
    return (
        (message("gold.passage_before", passage=name), Quote(before)),
        (message("gold.passage_now", passage=name, item=Name(change.item_id)), Quote(now)),
    )


def entry_title(entry: GoldEntry) -> Message:
    """Name an entry with its status, its marks and where its reference comes from."""
    source = message(f"gold.source_{entry.source.name.lower()}")
    return message("values.colon", label=Name(entry.gold_id), words=Listing((_state(entry), source)))


def _excerpt(entry: GoldEntry, asked: Quote, doubts: Sequence[str], changes: Sequence[SourceChange]) -> Excerpt:
    """An entry with its question, its reference, what speaks against it, and what its source passages said and say."""
    texts = (
        (message("gold.question"), asked),
        (message("gold.reference"), Quote(entry.reference)),
        *((message("gold_lists.doubt"), Quote(doubt)) for doubt in doubts),
        *(pair for change in changes for pair in source_change(change)),
    )
    return Excerpt(entry_title(entry), texts)
