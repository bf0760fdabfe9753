"""The draws for which a person asked for a second reader: each stands here until that is taken back.

The rule: it changes who reads a draw and nothing else; its stratum and its chance to be drawn stay in the ledger as they were.
"""

from __future__ import annotations

from typing import NamedTuple

from annotate.store.audit.events import Events
from annotate.store.engine.database import from_column
from annotate.store.engine.sqlite import Database
from annotate.store.labels.annotations import STANDING

ASKED = """
    SELECT p.name, s.at FROM second_readings s LEFT JOIN people p ON p.key = s.who WHERE s.draw = ?
"""
READ = f"""
    SELECT count(DISTINCT a.annotator) FROM annotations a
    WHERE a.item = (SELECT item FROM draws WHERE key = ?1) AND a.judgement IS NOT NULL AND {STANDING}
"""


class SecondReadingRequest(NamedTuple):
    """Request for a second reader: who asked, and when."""

    who: str
    at: str


class SecondReadings:
    """The second_readings table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def draws(self) -> set[int]:
        """Return every draw for which somebody asked."""
        return {row[0] for row in self._db.conn.execute("SELECT draw FROM second_readings")}

    def asked(self, draw: int) -> SecondReadingRequest | None:
        """Return who asked for a second reader of this draw; None where nobody did."""
        row = self._db.conn.execute(ASKED, (draw,)).fetchone()
        return None if row is None else SecondReadingRequest(from_column(row[0] or ""), row[1])

    def ask(self, draw: int, *, who: str, now: str) -> None:
        """Note the request; call inside a transaction."""
        person = Events(self._db).person(who)
        self._db.conn.execute("INSERT INTO second_readings VALUES (?, ?, ?)", (draw, person, now))

    def take_back(self, draw: int) -> None:
        """Remove the request; call inside a transaction."""
        self._db.conn.execute("DELETE FROM second_readings WHERE draw = ?", (draw,))

    def readers(self, draw: int) -> int:
        """Return how many people have said something of the draw's item, with or without its task."""
        return int(self._db.conn.execute(READ, (draw,)).fetchone()[0])

    def task_key(self, draw: int) -> str:
        """Return the name of the draw in its task and in the events."""
        return str(self._db.conn.execute("SELECT task_key FROM draws WHERE key = ?", (draw,)).fetchone()[0])
