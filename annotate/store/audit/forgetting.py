"""Forget items and persons: blank texts, keep numbers, and set a tombstone that keeps them from returning on re-import.

Of an item its label, scores, draws and counts stay; of a person all that was said stays, under a pseudonym. Nothing here is
undone, so a dry run does the same work on a copy, to count what it would do. After it the file is rewritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from annotate.store.audit import blanking, renaming
from annotate.store.audit.backups import Backups
from annotate.store.audit.blanking import Blanked
from annotate.store.audit.events import Events
from annotate.store.audit.renaming import Renamed
from annotate.store.audit.seal_health import note_changes
from annotate.store.audit.tombstones import ITEM, Person, Tombstones
from annotate.store.engine import seals
from annotate.store.engine.database import atomic, kept_totals, of_traffic, scratch_copy
from annotate.store.engine.sqlite import Database
from annotate.store.lake.attached import attach
from proxy.errors import UsageError

T = TypeVar("T")
TASKS = """
    SELECT DISTINCT coalesce(s.url, t.server), t.project, t.task_id FROM tasks t JOIN draws d ON d.key = t.draw
    LEFT JOIN servers s ON s.server = t.server
    WHERE t.task_id IS NOT NULL AND t.state != 'withdrawn' AND {condition} ORDER BY 1, 2, 3
"""


class RemoteTask(NamedTuple):
    """A task in a Label Studio that still holds what was forgotten."""

    server: str
    project: int
    task_id: int


class Remains(NamedTuple):
    """Copies outside the store's own file that still hold what was forgotten there."""

    copies: tuple[Path, ...]
    tasks: tuple[RemoteTask, ...]


class Forgot(NamedTuple, Generic[T]):
    """What was done, and what kept the file from being rewritten after it, in words; None where no byte is left in it."""

    done: T
    left: str | None


class Forgetting:
    """Forgetting items and persons; the forgotten table."""

    def __init__(self, db: Database, path: Path | None) -> None:
        self._db = db
        self._backups = Backups(db, path)
        self._tombstones = Tombstones(db)

    def has_item(self, item_id: str) -> bool:
        """Return whether the item with this id was forgotten."""
        return self._tombstones.has_item(item_id)

    def forget_items(
        self, ids: Sequence[str], *, why: str | None, who: str, now: str, dry_run: bool = False
    ) -> Forgot[Blanked]:
        """Blank every text of these items; UsageError for an id that nothing is kept of."""
        return self._done(lambda db: _blank(db, ids, why=why, who=who, now=now), dry_run=dry_run)

    def forget_annotator(
        self, name: str, *, references: bool, why: str | None, who: str, now: str, dry_run: bool = False
    ) -> Forgot[Renamed]:
        """Give a person a pseudonym everywhere and blank the reasons they gave, with `references` what they wrote too."""
        return self._done(
            lambda db: _rename(db, name, references=references, why=why, who=who, now=now), dry_run=dry_run
        )

    def _done(self, work: Callable[[Database], T], *, dry_run: bool) -> Forgot[T]:
        """Do the work for good and rewrite the file, or do it on a copy that nobody else sees; return its result."""
        if dry_run:
            with scratch_copy(self._db) as db:
                attach(db, is_copy=True)
                with atomic(db):
                    return Forgot(work(db), None)
        self._db.conn.execute("PRAGMA secure_delete = ON")
        with atomic(self._db, durable=True):
            done = work(self._db)
        of_traffic(self._db).sweep(0)
        return Forgot(done, self._erase())

    def remains_of_items(self, ids: Sequence[str]) -> Remains:
        """Return the copies of the store and the tasks that still hold these items."""
        condition = f"d.item IN (SELECT key FROM items WHERE id IN ({', '.join('?' * len(ids))}))"
        return Remains(tuple(self._backups.copies()), self._tasks(condition, ids))

    def remains_of_annotator(self, pseudonym: str) -> Remains:
        """List the copies of the store and the tasks that this person annotated; what came from a file is on no server."""
        condition = (
            "EXISTS (SELECT 1 FROM annotations a WHERE a.draw = d.key AND ? IN (a.annotator, a.edited_by) "
            "AND a.source = 'label-studio:' || t.server || ':' || t.project)"
        )
        return Remains(tuple(self._backups.copies()), self._tasks(condition, [pseudonym]))

    def _tasks(self, condition: str, values: Sequence[str]) -> tuple[RemoteTask, ...]:
        return tuple(RemoteTask(*row) for row in self._db.conn.execute(TASKS.format(condition=condition), list(values)))

    def _erase(self) -> str | None:
        """Rewrite the file, so that no byte of what was blanked is left in it; what stood in the way, in words, or None."""
        execute = self._db.conn.execute
        try:
            kept_totals(self._db).clear()
            execute("PRAGMA secure_delete = ON")
            execute("VACUUM")
            is_busy = execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            return str(error)
        return "another process is reading it" if is_busy else None


def _blank(db: Database, ids: Sequence[str], *, why: str | None, who: str, now: str) -> Blanked:
    of_traffic(db).hold_ids(ids, every_revision=True)
    unknown = [item_id for item_id in ids if not _knows_item(db, item_id)]
    if unknown:
        raise UsageError(f"there is no item {', '.join(unknown)}")
    note_changes(db)
    for item_id in ids:
        Tombstones(db).bury_item(item_id, why, now=now)
    blanked = blanking.blank(db, ids, who=who, now=now)
    detail = {"item_ids": list(ids), **blanked._asdict()}
    Events(db).append("forget items", detail, who=who, now=now)
    seals.lift_salts(db)
    return blanked


def _rename(db: Database, name: str, *, references: bool, why: str | None, who: str, now: str) -> Renamed:
    if not name or (Tombstones(db).person(name) is None and not renaming.knows(db, name)):
        raise UsageError(f"there is no annotator {name!r}")
    note_changes(db)
    kind = Person.NAME_AND_REFERENCES if references else Person.NAME
    pseudonym = Tombstones(db).bury_person(name, kind, why, now=now).pseudonym
    # Written before the name goes: who forgets themselves is told of by the same key.
    person = Events(db).person(name)
    renamed = renaming.rename(db, name, pseudonym, references=references, who=who, now=now)
    detail = {"person": person, **renamed._asdict()}
    Events(db).append("forget annotator", detail, who=who, now=now)
    seals.lift_salts(db)
    renaming.rename_person(db, name, pseudonym)
    return renamed


def _knows_item(db: Database, item_id: str) -> bool:
    query = (
        "SELECT EXISTS (SELECT 1 FROM items WHERE id = ?1) OR EXISTS (SELECT 1 FROM feedback WHERE item_id = ?1) "
        "OR EXISTS (SELECT 1 FROM forgotten WHERE kind = ?2 AND digest = ?1) "
        "OR EXISTS (SELECT 1 FROM traces WHERE trace = ?1)"
    )
    return bool(db.conn.execute(query, (item_id, ITEM)).fetchone()[0])
