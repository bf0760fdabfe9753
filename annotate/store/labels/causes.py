"""The causes that a person named of a wrong answer after its readers: every revision is kept, the newest stands.

The rule: it says why an answer is wrong and never whether. It stands in the label in place of what the readers named, until
somebody settles the item anew, which speaks for itself. No text is kept here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.annotation import ADJUDICATION
from annotate.store.audit.events import Events
from annotate.store.engine.database import from_column
from annotate.store.engine.sqlite import Database
from annotate.store.labels.annotations import NEWEST, NO_DRAW

OF_LABEL = f"item = ?1 AND coalesce(draw, {NO_DRAW}) = coalesce(?2, {NO_DRAW})"
STANDS = f"""
    SELECT c.causes FROM causes c WHERE {OF_LABEL} AND NOT EXISTS (
        SELECT 1 FROM annotations a WHERE a.item = c.item AND coalesce(a.draw, {NO_DRAW}) = coalesce(c.draw, {NO_DRAW})
        AND a.source = '{ADJUDICATION}' AND a.judgement IN ('right', 'wrong') AND NOT a.is_deleted
        AND a.sequence > c.seen AND {NEWEST})
    ORDER BY c.sequence DESC LIMIT 1
"""
HISTORY = f"""
    SELECT c.causes, p.name, c.at FROM causes c LEFT JOIN people p ON p.key = c.who WHERE {OF_LABEL} ORDER BY c.sequence
"""
NAME = f"""
    INSERT INTO causes (item, draw, causes, seen, who, at)
    SELECT ?1, ?2, ?3, coalesce(max(sequence), 0), ?4, ?5 FROM annotations WHERE {OF_LABEL}
"""


class Named(NamedTuple):
    """Causes as somebody named them, with who and when."""

    causes: tuple[str, ...]
    who: str
    at: str


class Causes:
    """The causes table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def standing(self, item: int, draw: int | None) -> tuple[str, ...] | None:
        """Return what stands in place of the readers' causes on this label; None where nothing does."""
        row = self._db.conn.execute(STANDS, (item, draw)).fetchone()
        return None if row is None else tuple(json.loads(row[0]))

    def name(self, item: int, draw: int | None, causes: Sequence[str], *, who: str, now: str) -> None:
        """Add a revision; call inside a transaction, and settle the label after it."""
        person = Events(self._db).person(who)
        self._db.conn.execute(NAME, (item, draw, json.dumps(list(causes)), person, now))

    def history(self, item: int, draw: int | None) -> list[Named]:
        """Return every revision, oldest first."""
        rows = self._db.conn.execute(HISTORY, (item, draw))
        return [Named(tuple(json.loads(causes)), from_column(who or ""), at) for causes, who, at in rows]
