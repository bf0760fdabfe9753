"""Log who did what and when: events are only added, each with the hash of the previous one.

An event holds ids, counts and hashes, never a text and never a name: a person stands in it by a key, whose name can be
forgotten while the chain holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, cast

from annotate.store.engine import chain, seals
from annotate.store.engine.database import Room, atomic, to_column
from proxy.text import times

SEAL = "seal"
ALL = """
    SELECT e.sequence, CAST(e.at AS BLOB), CAST(coalesce(p.name, e.who) AS BLOB), CAST(e.what AS BLOB), CAST(e.detail AS BLOB)
    FROM events e LEFT JOIN people p ON p.key = e.who ORDER BY e.sequence
"""
# A damaged event elsewhere must not keep a file of labels out.
FIRST = """
    SELECT min(at) FROM events
    WHERE what = ? AND CASE WHEN json_valid(detail) THEN json_extract(detail, '$.digest') END = ?
"""
# In the order in which they first came; a label of several annotators holds their names together.
EVERYBODY = "SELECT annotator FROM annotations GROUP BY annotator ORDER BY min(sequence)"
OTHERS = """
    SELECT edited_by FROM annotations WHERE edited_by IS NOT NULL UNION SELECT who FROM gold_revisions
    UNION SELECT annotator FROM gold_revisions WHERE annotator IS NOT NULL AND instr(annotator, ', ') = 0
    UNION SELECT annotator FROM projects UNION SELECT annotator FROM reference_drafts
    UNION SELECT CAST(name AS TEXT) FROM people ORDER BY 1
"""


class Event(NamedTuple):
    """One entry of the log; `who` is a name as far as it is still known, `detail` is JSON."""

    number: int
    at: str
    who: str
    what: str
    detail: str

    def read(self) -> object:
        """Return the detail as JSON holds it; as text where it was damaged."""
        try:
            return json.loads(self.detail)
        except ValueError:
            return self.detail


class Events(Room):
    """The events, event_head and people tables."""

    def append(self, what: str, detail: Mapping[str, object], *, who: str, now: str) -> None:
        """Add one event to the chain, with the seal of what its transaction wrote; call at the end of that transaction."""
        body = json.dumps(detail, sort_keys=True, allow_nan=False)
        with atomic(self._db):
            key = self.person(who)
            sealed = seals.seal(self._db, chain.next_number(self._db))
            chain.append(self._db, now, key, what, body, sealed)

    def seal_rest(self) -> None:
        """Seal what a transaction wrote after its last event; call as the last thing in it."""
        if rows := seals.due(self._db):
            self.append(SEAL, {"rows": rows}, who=seals.ASSAY, now=times.now())

    def person(self, name: str) -> str:
        """Return the key that stands for a person, made where there is none; call inside a transaction."""
        return chain.person(self._db, to_column(name))

    def everybody(self) -> list[str]:
        """List every person's name in the store: annotators by their first annotation, then others who act."""
        rows = (row for query in (EVERYBODY, OTHERS) for row in self._db.conn.execute(query))
        return list(dict.fromkeys(str(name) for (name,) in rows))

    def all(self) -> list[Event]:
        """Return every event with the name of who acted, oldest first; what cannot be decoded is escaped."""
        return [
            Event(number, *((part or b"").decode("utf-8", "backslashreplace") for part in parts))
            for number, *parts in self._db.conn.execute(ALL)
        ]

    def head(self) -> chain.Head:
        """Return how many events there are, and the hash of the last."""
        return chain.head(self._db)

    def first_with_digest(self, what: str, digest: str) -> str | None:
        """Return when an event of this kind first told of a file with this content."""
        return cast("str | None", self._db.conn.execute(FIRST, (what, digest)).fetchone()[0])
