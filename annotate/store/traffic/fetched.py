"""How far traffic was fetched from a program that is asked for it."""

from __future__ import annotations

from annotate.store.engine.database import Room


class FetchedSources(Room):
    """The fetched table: one row a source."""

    def state(self, source: str) -> str | None:
        """Return what was kept of the last fetch from a source; None where there was none."""
        row = self._db.conn.execute("SELECT state FROM fetched WHERE source = ?", (source,)).fetchone()
        return None if row is None else str(row[0])

    def keep(self, source: str, state: str, *, now: str) -> None:
        """Keep how far a fetch has come; call inside the transaction that keeps what was fetched."""
        self._db.conn.execute("INSERT OR REPLACE INTO fetched VALUES (?, ?, ?)", (source, state, now))
