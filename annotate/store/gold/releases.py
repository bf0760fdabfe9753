"""Releases of the gold set: made once, never changed, and read with their texts checked against their hashes.

Find releases that have changed since they were made, by the hash of their entries and by their texts. Texts that were
forgotten are no fault; the hash of a release covers ids and hashes alone, so it holds without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotate.domain.gold import GoldEntry, GoldRole
from annotate.domain.gold.release import Release, Released, ReleasedTexts, fits, manifest_hash
from annotate.domain.gold.splits import AssignedRole
from annotate.domain.turns import from_text
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.database import Room, from_column
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError, UsageError

RELEASE = "SELECT r.name, r.at, coalesce(p.name, r.who), r.hash, r.entries FROM releases r LEFT JOIN people p ON p.key = r.who"
TEXTS = """
    SELECT e.gold_id, e.revision, e.content_hash, e.role, e.lacks_knowledge, coalesce(g.question, t.question),
        v.reference, coalesce(g.contexts, t.contexts), coalesce(g.history, t.history), i.forgotten_at
    FROM release_entries e JOIN gold g USING (gold_id) JOIN gold_revisions v ON v.sequence = e.revision
    LEFT JOIN items i ON i.key = g.item LEFT JOIN texts t ON t.key = g.item
    WHERE e.release = ? AND (? IS NULL OR e.role = ?) ORDER BY e.gold_id
"""
NEXT = "put this file aside as it is, and restore a backup (docs/operations.md)"
RELEASES = "SELECT name, hash, entries FROM releases ORDER BY at, name"
ENTRIES = "SELECT gold_id, revision, content_hash, role, lacks_knowledge FROM release_entries WHERE release = ?"
RELEASED_TEXTS = """
    SELECT e.release, e.gold_id, e.content_hash, r.reference, coalesce(g.question, t.question), coalesce(g.contexts, t.contexts),
        coalesce(g.history, t.history)
    FROM release_entries e LEFT JOIN gold g ON g.gold_id = e.gold_id
    LEFT JOIN gold_revisions r ON r.sequence = e.revision AND r.gold_id = e.gold_id
    LEFT JOIN items i ON i.key = g.item LEFT JOIN texts t ON t.key = g.item
    WHERE i.forgotten_at IS NULL ORDER BY e.release, e.gold_id
"""


class Releases(Room):
    """The releases and release_entries tables, and the roles that they assign."""

    def make(self, name: str, entries: Sequence[Released], *, who: str, now: str) -> Release:
        """Make a release; `who` is the key that stands for a person in the events. A name is given once."""
        if self._db.conn.execute("SELECT 1 FROM releases WHERE name = ?", (name,)).fetchone():
            raise UsageError(f"there is a release {name} already, and releases never change: give another name")
        if not entries:
            raise UsageError("there is nothing to release: accept candidates first (`assay gold review`)")
        digest = manifest_hash(entries)
        self._db.conn.execute("INSERT INTO releases VALUES (?, ?, ?, ?, ?)", (name, now, who, digest, len(entries)))
        self._db.conn.executemany(
            "INSERT INTO release_entries VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    name,
                    entry.gold_id,
                    entry.revision,
                    entry.content_hash,
                    entry.role and entry.role.value,
                    int(entry.lacks_knowledge),
                )
                for entry in entries
            ],
        )
        return self.get(name)

    def all(self) -> list[Release]:
        """Return every release, oldest first, with the name of who made it."""
        return [_release(row) for row in self._db.conn.execute(f"{RELEASE} ORDER BY r.at, r.name")]

    def get(self, name: str) -> Release:
        """Return the release with this name."""
        by_name = {release.name: release for release in self.all()}
        if name not in by_name:
            known = (
                f"there are {', '.join(by_name)}" if by_name else "there is none yet: see `assay gold release --help`"
            )
            raise UsageError(f"there is no release {name}: {known}")
        return by_name[name]

    def entries(self, name: str) -> list[Released]:
        """Return the entries of a release, by gold id."""
        self.get(name)
        query = (
            "SELECT gold_id, revision, content_hash, role, lacks_knowledge FROM release_entries WHERE release = ? "
            "ORDER BY gold_id"
        )
        return [_released(row) for row in self._db.conn.execute(query, (name,))]

    def texts(self, name: str, role: GoldRole | None = None) -> Iterator[ReleasedTexts]:
        """Yield the entries of a release as they were released, all or of one role, each checked against its hash."""
        self.get(name)
        role_name = role and role.value
        for *row, question, reference, contexts, history, forgotten_at in self._db.conn.execute(
            TEXTS, (name, role_name, role_name)
        ):
            entry = _released(row)
            texts = (from_column(question or ""), from_column(reference), tuple(json.loads(contexts or "[]")))
            before = from_text(history)
            if fits(entry.content_hash, *texts, before):
                yield ReleasedTexts(entry, *texts, before)
            elif forgotten_at is not None or {"", FORGOTTEN} & {texts[0], texts[1]}:
                yield ReleasedTexts(entry, None, None, None)
            else:
                raise StoreError(
                    f"{entry.gold_id} is not what release {name} holds: its text does not fit the hash: restore a backup"
                )

    def groups(self) -> dict[str, str]:
        """Return the group of each entry that has an item, by gold id."""
        query = 'SELECT g.gold_id, i."group" FROM gold g JOIN items i ON i.key = g.item'
        return dict(self._db.conn.execute(query).fetchall())

    def assign_roles(self, roles: Mapping[str, AssignedRole]) -> None:
        """Note the roles and clusters of entries, for ever."""
        self._db.conn.executemany(
            "UPDATE gold SET role = ?, cluster = ? WHERE gold_id = ? AND role IS NULL",
            [(assigned.role.value, assigned.cluster, gold_id) for gold_id, assigned in roles.items()],
        )


def assigned(entry: GoldEntry) -> AssignedRole | None:
    """Return what was assigned for an entry by an earlier release."""
    return None if entry.role is None else AssignedRole(entry.role, entry.cluster or entry.gold_id)


def _release(row: Sequence[object]) -> Release:
    name, at, who, digest, entries = row
    return Release(name=str(name), at=str(at), who=str(who), hash=str(digest), entries=int(str(entries)))


def _released(row: Sequence[object]) -> Released:
    gold_id, revision, digest, role, lacks = row
    return Released(
        gold_id=str(gold_id),
        revision=int(str(revision)),
        content_hash=str(digest),
        role=None if role is None else GoldRole(str(role)),
        lacks_knowledge=bool(lacks),
    )


def changed_releases(db: Database) -> Iterator[str]:
    """Yield each release whose entries no longer give its hash, and each entry whose text has changed since it was made."""
    for name, noted, count in db.conn.execute(RELEASES).fetchall():
        rows = db.conn.execute(ENTRIES, (name,)).fetchall()
        if len(rows) != count or _manifest(rows) != noted:
            yield f"release {name}: its entries are not those it was made of: {NEXT}"
    for name, gold_id, noted, *texts in db.conn.execute(RELEASED_TEXTS):
        if not _is_unchanged(noted, *texts):
            yield f"release {name}: the text of {gold_id} was changed after it was made: {NEXT}"


def _manifest(rows: list[tuple[Any, ...]]) -> str | None:
    """Return the hash that these entries give, or None where they cannot be read."""
    try:
        return manifest_hash(
            Released(
                gold_id=gold_id,
                revision=revision,
                content_hash=digest,
                role=None if role is None else GoldRole(role),
                lacks_knowledge=bool(lacks),
            )
            for gold_id, revision, digest, role, lacks in rows
        )
    except (TypeError, ValueError):
        return None


def _is_unchanged(noted: str, reference: Any, question: Any, contexts: Any, history: Any) -> bool:
    """Return whether the texts give the hash; what was forgotten cannot tell."""
    if FORGOTTEN in (reference, question):
        return True
    try:
        texts = from_column(question), from_column(reference), json.loads(contexts), from_text(history)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    return fits(noted, *texts)
