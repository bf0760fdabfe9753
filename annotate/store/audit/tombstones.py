"""Record what was forgotten, so that it does not come back with the next pull or the same file.

An item is kept by its id, which its row holds as well; a person by a salted scrypt hash of the name, so that a name can be
recognised and not be read. A person's pseudonym is the same in all tables, so that who agrees with whom can still be told.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from enum import StrEnum
from hashlib import scrypt
from typing import NamedTuple

from annotate.domain.annotation import Annotation
from annotate.store.engine.sqlite import Database

ITEM = "item"
SALT = "salt"
FORGOTTEN = "(forgotten)"
PREFIX = "forgotten-"
COST = 2**12


class Person(StrEnum):
    """Part of a person that was forgotten; the references that somebody wrote may stay under the pseudonym."""

    NAME = "annotator"
    NAME_AND_REFERENCES = "annotator and references"


class Tombstone(NamedTuple):
    """A person who was forgotten, as known from now on."""

    pseudonym: str
    kind: Person


class Tombstones:
    """The forgotten table."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._digests: dict[str, str] = {}

    def cleaned(self, annotation: Annotation) -> Annotation:
        """Return the annotation without what was forgotten: apply it to each annotation before it is kept.

        A forgotten annotator has the pseudonym and no rationale, a forgotten item's annotation neither reference nor rationale.
        """
        annotator, editor = self.person(annotation.annotator), self.person(annotation.edited_by or "")
        if editor:
            annotation = replace(annotation, edited_by=editor.pseudonym)
        if annotator:
            reference = None if annotator.kind is Person.NAME_AND_REFERENCES else annotation.reference
            annotation = replace(annotation, annotator=annotator.pseudonym, rationale=None, reference=reference)
        if self.has_item(annotation.item_id):
            annotation = replace(annotation, reference=None, rationale=None)
        return annotation

    def has_item(self, item_id: str) -> bool:
        """Return whether the item with this id was forgotten."""
        query = "SELECT 1 FROM forgotten WHERE kind = ? AND digest = ?"
        return self._db.conn.execute(query, (ITEM, item_id)).fetchone() is not None

    def items(self) -> list[str]:
        """Return the ids of all items that were forgotten."""
        return [row[0] for row in self._db.conn.execute("SELECT digest FROM forgotten WHERE kind = ?", (ITEM,))]

    def person(self, name: str) -> Tombstone | None:
        """Return the tombstone of a person by name or by pseudonym; None for everybody else."""
        rows = self._db.conn.execute(
            "SELECT digest, pseudonym, kind FROM forgotten WHERE kind IN (?, ?)", tuple(Person)
        )
        people = {digest: Tombstone(pseudonym, Person(kind)) for digest, pseudonym, kind in rows}
        if not people or not name:
            return None
        by_pseudonym = next((tombstone for tombstone in people.values() if tombstone.pseudonym == name), None)
        return by_pseudonym or people.get(self._digest(name))

    def bury_item(self, item_id: str, why: str | None, *, now: str) -> None:
        """Note that an item was forgotten; again changes nothing."""
        row = (ITEM, item_id, "", now, why)
        self._db.conn.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?, ?, ?)", row)

    def bury_person(self, name: str, kind: Person, why: str | None, *, now: str) -> Tombstone:
        """Note that a person was forgotten; who was before keeps the pseudonym."""
        before = self.person(name)
        if before is None:
            before = Tombstone(PREFIX + secrets.token_hex(3), kind)
            row = (kind.value, self._digest(name), before.pseudonym, now, why)
            self._db.conn.execute("INSERT INTO forgotten VALUES (?, ?, ?, ?, ?)", row)
        elif kind is Person.NAME_AND_REFERENCES:
            query = "UPDATE forgotten SET kind = ? WHERE pseudonym = ? AND kind = ?"
            self._db.conn.execute(query, (kind.value, before.pseudonym, Person.NAME.value))
        return before

    def _digest(self, name: str) -> str:
        """Return the hash of a name, slow on purpose and therefore remembered here."""
        if name not in self._digests:
            salt, password = self._salt(), name.encode("utf-8", "surrogatepass")
            self._digests[name] = scrypt(password, salt=bytes.fromhex(salt), n=COST, r=8, p=1, dklen=16).hex()
        return self._digests[name]

    def _salt(self) -> str:
        """Return the salt of this store, made with the first name that is forgotten."""
        row = self._db.conn.execute("SELECT digest FROM forgotten WHERE kind = ?", (SALT,)).fetchone()
        if row is None:
            row = (secrets.token_hex(16),)
            self._db.conn.execute("INSERT INTO forgotten VALUES (?, ?, '', '', NULL)", (SALT, *row))
        return str(row[0])
