"""What the team has asked for: a few switches, each with a name."""

from __future__ import annotations

from enum import StrEnum

from annotate.store.sqlite import Database


class Policy(StrEnum):
    """The switches; all are off at first."""

    SECOND_PERSON = "gold needs a second person"
    TRAFFIC_REFERENCES = "references of the traffic are offered"


class Policies:
    """The policies table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def is_on(self, policy: Policy) -> bool:
        """Whether the team has asked for it."""
        row = self._db.conn.execute("SELECT value FROM policies WHERE name = ?", (policy.value,)).fetchone()
        return row is not None and row[0] == "yes"

    def set(self, policy: Policy, is_on: bool) -> bool:
        """Switch it; return whether it was otherwise before."""
        was_on = self.is_on(policy)
        value = "yes" if is_on else "no"
        self._db.conn.execute("INSERT OR REPLACE INTO policies VALUES (?, ?)", (policy.value, value))
        return was_on != is_on
