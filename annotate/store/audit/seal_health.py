"""Check that the sealed rows are as Assay wrote them: find what was changed, removed or added behind the chain, row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from annotate.store.engine import seals
from annotate.store.engine.database import from_column
from annotate.store.engine.seals import FRAMES, GONE, Key
from annotate.store.engine.sqlite import Database

MOST = 10
NEXT = "restore a backup, or find out who wrote to the file"
# The event that sealed what a store held before rows were sealed, as stores from before the first release may have it.
BEGUN = "seals begun"
OF_ITEM = ("annotations", "causes", "gold_answers", "labels")


def changed_rows(db: Database) -> Iterator[str]:
    """Yield the problems, in words."""
    for event in seals.changed_events(db):
        yield f"event {event}: the seals of the rows that it covers were changed: {NEXT}"
    count = 0
    for key, change in _changes(db):
        count += 1
        if count <= MOST:
            yield f"{_named(db, key)} {change}: {NEXT}"
    if count > MOST:
        yield f"{count - MOST:,} more rows were changed, removed or added"
    for event, key in seals.found_changed(db):
        yield f"{_named(db, key)} had been changed, removed or added before event {event} wrote it anew: {NEXT}"


def note_changes(db: Database) -> None:
    """Have the next event say which rows were not as they had been sealed; call before rows are sealed anew."""
    seals.note_changed(db, [key for key, _ in _changes(db)])


def sealed_since(db: Database) -> str | None:
    """Return where the first seal stands: rows before it are covered as they were then. None where all were from the start."""
    try:
        row = db.conn.execute("SELECT min(at) FROM events WHERE what = ?", (BEGUN,)).fetchone()
    except sqlite3.DatabaseError:
        return None  # the file is damaged, which `changed_rows` says
    return None if row[0] is None else str(row[0])


def _changes(db: Database) -> Iterator[tuple[Key, str]]:
    """Yield each row that is not as it was sealed, and what happened to it."""
    missing = seals.newest(db)
    for key, text in seals.current(db):
        seal = missing.pop(key, None)
        if seal is None or seal.digest == GONE:
            yield key, "was not written by Assay"
        elif seals.digest(text, seal.salt) != seal.digest:
            yield key, "is not as Assay wrote it"
    # A wave that is gone takes its frame along.
    yield from ((key, "is gone") for key, seal in missing.items() if seal.digest != GONE)


def _named(db: Database, key: Key) -> str:
    """Return what a key stands for."""
    kind, first, second = key
    if kind in OF_ITEM:
        item = first if kind == "labels" else second
        row = db.conn.execute("SELECT id FROM items WHERE key = ?", (item,)).fetchone()
        name = "that is not there" if row is None else from_column(row[0])
        return {
            "annotations": f"annotation {first!r} (of item {name})",
            "causes": f"the causes number {first!r} (of item {name})",
            "gold_answers": f"gold entry {first!s}: whether it corrects the answer of item {name}",
            "labels": f"the label of item {name}",
        }[kind]
    if kind == "draws":
        row = db.conn.execute("SELECT i.id FROM draws d JOIN items i ON i.key = d.item WHERE d.key = ?", (first,))
        item_row = row.fetchone()
        return f"wave {second!r}: draw {first!r}" + (f" (item {from_column(item_row[0])})" if item_row else "")
    if kind == FRAMES:
        return f"wave {first!r}: the frame that it was drawn from"
    words = {
        "waves": f"wave {first!r}: the wave with its strata",
        "gold": f"gold entry {first!s}",
        "gold_revisions": f"gold entry {second!s}: revision {first!r}",
        "policies": f"the policy {first!r}",
        "passage_questions": f"draw {first!r}: whether it is asked about passages",
    }
    return words[kind]
