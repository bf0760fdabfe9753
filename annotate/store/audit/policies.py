"""Policies of the team: a few switches, each with a name."""

from __future__ import annotations

from enum import StrEnum

from annotate.store.engine.database import Room, from_column, to_column


class Policy(StrEnum):
    """The switches; all are off at first."""

    SECOND_PERSON = "gold needs a second person"
    TRAFFIC_REFERENCES = "references of the traffic are offered"


MASKING = "masking"


class Policies(Room):
    """The policies table: the switches, and what is masked wherever the store is."""

    def is_on(self, policy: Policy) -> bool:
        """Return whether the team has asked for this policy."""
        row = self._db.conn.execute("SELECT value FROM policies WHERE name = ?", (policy.value,)).fetchone()
        return row is not None and row[0] == "yes"

    def set(self, policy: Policy, is_on: bool) -> bool:
        """Switch a policy; return whether that changed it."""
        was_on = self.is_on(policy)
        value = "yes" if is_on else "no"
        self._db.conn.execute("INSERT OR REPLACE INTO policies VALUES (?, ?)", (policy.value, value))
        return was_on != is_on

    def masking(self) -> str | None:
        """Return what is masked in all that leaves, as JSON; None where nothing was recorded."""
        row = self._db.conn.execute("SELECT value FROM policies WHERE name = ?", (MASKING,)).fetchone()
        return None if row is None else from_column(row[0])

    def set_masking(self, asked: str) -> None:
        """Record what is masked; call inside a transaction, and log the event in it."""
        self._db.conn.execute("INSERT OR REPLACE INTO policies VALUES (?, ?)", (MASKING, to_column(asked)))
