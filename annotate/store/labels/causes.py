"""The causes that a person named of a wrong answer after its annotators: every revision is kept, the newest stands.

The rule: it says why an answer is wrong and never whether. It stands in the label in place of what the annotators named, until
somebody adjudicates the item anew, which speaks for itself. No text is kept here.

The draws for which a person asked for a second annotator: each stands here until that is taken back. The rule: it changes who
reads a draw and nothing else; its stratum and its chance to be drawn stay in the ledger as they were.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.annotation import ADJUDICATION
from annotate.store.audit.events import Events
from annotate.store.engine.database import Room, from_column
from annotate.store.labels.annotations import NEWEST, NO_DRAW, STANDING

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
ASKED = """
    SELECT p.name, s.at FROM second_readings s LEFT JOIN people p ON p.key = s.who WHERE s.draw = ?
"""
READ = f"""
    SELECT count(DISTINCT a.annotator) FROM annotations a
    WHERE a.item = (SELECT item FROM draws WHERE key = ?1) AND a.judgement IS NOT NULL AND {STANDING}
"""


class Named(NamedTuple):
    """Causes as somebody named them, with who and when."""

    causes: tuple[str, ...]
    who: str
    at: str


class Causes(Room):
    """The causes table."""

    def standing(self, item: int, draw: int | None) -> tuple[str, ...] | None:
        """Return what stands in place of the annotators' causes on this label; None where nothing does."""
        row = self._db.conn.execute(STANDS, (item, draw)).fetchone()
        return None if row is None else tuple(json.loads(row[0]))

    def name(self, item: int, draw: int | None, causes: Sequence[str], *, who: str, now: str) -> None:
        """Add a revision; call inside a transaction, and resolve the label after it."""
        person = Events(self._db).person(who)
        self._db.conn.execute(NAME, (item, draw, json.dumps(list(causes)), person, now))

    def history(self, item: int, draw: int | None) -> list[Named]:
        """Return every revision, oldest first."""
        rows = self._db.conn.execute(HISTORY, (item, draw))
        return [Named(tuple(json.loads(causes)), from_column(who or ""), at) for causes, who, at in rows]


class SecondReadingRequest(NamedTuple):
    """Request for a second annotator: who asked, and when."""

    who: str
    at: str


class SecondReadings(Room):
    """The second_readings table."""

    def draws(self) -> set[int]:
        """Return every draw for which somebody asked."""
        return {row[0] for row in self._db.conn.execute("SELECT draw FROM second_readings")}

    def asked(self, draw: int) -> SecondReadingRequest | None:
        """Return who asked for a second annotator of this draw; None where nobody did."""
        row = self._db.conn.execute(ASKED, (draw,)).fetchone()
        return None if row is None else SecondReadingRequest(from_column(row[0] or ""), row[1])

    def ask(self, draw: int, *, who: str, now: str) -> None:
        """Note the request; call inside a transaction."""
        person = Events(self._db).person(who)
        self._db.conn.execute("INSERT INTO second_readings VALUES (?, ?, ?)", (draw, person, now))

    def take_back(self, draw: int) -> None:
        """Remove the request; call inside a transaction."""
        self._db.conn.execute("DELETE FROM second_readings WHERE draw = ?", (draw,))

    def is_drawn(self, item: int) -> bool:
        """Return whether some wave drew the item in this row."""
        return bool(self._db.conn.execute("SELECT EXISTS (SELECT 1 FROM draws WHERE item = ?)", (item,)).fetchone()[0])

    def annotators(self, draw: int) -> int:
        """Return how many annotators have said something of the draw's item, with or without its task."""
        return int(self._db.conn.execute(READ, (draw,)).fetchone()[0])

    def task_key(self, draw: int) -> str:
        """Return the name of the draw in its task and in the events."""
        return str(self._db.conn.execute("SELECT task_key FROM draws WHERE key = ?", (draw,)).fetchone()[0])
