"""Log who did what and when: events are only added, each with the hash of the previous one.

An event holds ids, counts and hashes, never a text and never a name: a person stands in it by a key, whose name can be
forgotten while the chain holds. Whoever was signed in stands in its detail too, by the key of their account: without one
the name is what somebody typed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from annotate.domain.sign_in.signed_in import Account, SignedIn
from annotate.store.audit import accounts
from annotate.store.engine import chain, seals
from annotate.store.engine.database import Room, atomic, to_column
from annotate.store.engine.sqlite import Database
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
    UNION SELECT annotator FROM projects UNION SELECT annotator FROM reference_drafts UNION SELECT who FROM gold_answers
    UNION SELECT CAST(name AS TEXT) FROM people ORDER BY 1
"""


class Event(NamedTuple):
    """One entry of the log; `who` is a name as far as it is still known, `detail` is JSON.

    `is_signed_in` is whether who acted had signed in, `account` as whom, until it is forgotten.
    """

    number: int
    at: str
    who: str
    what: str
    detail: str
    is_signed_in: bool = False
    account: Account | None = None

    def read(self) -> object:
        """Return the detail as JSON holds it; as text where it was damaged."""
        try:
            return json.loads(self.detail)
        except ValueError:
            return self.detail


class Events(Room):
    """The events, event_head and people tables.

    `signed_in` is who uses this store, where they have signed in: what is done in their name is proved to be theirs.
    """

    def __init__(self, db: Database, signed_in: SignedIn | None = None) -> None:
        super().__init__(db)
        self._signed_in = signed_in

    def append(self, what: str, detail: Mapping[str, object], *, who: str, now: str) -> None:
        """Add one event to the chain, with the seal of what its transaction wrote; call at the end of that transaction."""
        with atomic(self._db):
            key = self.person(who)
            if self._signed_in is not None and who == self._signed_in.name:
                detail = {**detail, accounts.DETAIL: accounts.key_of(self._db, key, self._signed_in.account)}
            body = json.dumps(detail, sort_keys=True, allow_nan=False)
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
        known = accounts.all_accounts(self._db)
        return [
            _event(number, [(part or b"").decode("utf-8", "backslashreplace") for part in parts], known)
            for number, *parts in self._db.conn.execute(ALL)
        ]

    def head(self) -> chain.Head:
        """Return how many events there are, and the hash of the last."""
        return chain.head(self._db)

    def first_with_digest(self, what: str, digest: str) -> str | None:
        """Return when an event of this kind first told of a file with this content."""
        return cast("str | None", self._db.conn.execute(FIRST, (what, digest)).fetchone()[0])


def _event(number: int, parts: Sequence[str], known: Mapping[str, Account]) -> Event:
    """Return the event with the account that its detail names."""
    at, who, what, detail_text = parts
    event = Event(number, at, who, what, detail_text)
    detail = event.read()
    key = detail.get(accounts.DETAIL) if isinstance(detail, dict) else None
    return event if key is None else event._replace(is_signed_in=True, account=known.get(str(key)))
