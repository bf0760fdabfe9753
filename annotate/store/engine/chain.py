"""The chain of events: the hash of each event covers the hash of the one before, so that no change goes unseen.

Bytes in, bytes compared: a damaged event is named even where its text cannot be decoded any more. The rule: events are
numbered from 1 without a gap, and the head, kept beside them, is the number and the hash of the last.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from hashlib import sha256
from typing import NamedTuple

from annotate.store.engine.sqlite import Database

COLUMNS = ("at", "who", "what", "detail", "hash")
TYPES = " || ' ' || ".join(f"typeof({column})" for column in COLUMNS)
AS_BYTES = ", ".join(f"CAST({column} AS BLOB)" for column in COLUMNS)
# An event that seals rows carries a digest of them, which its hash covers.
NEXT = f"SELECT sequence, {TYPES}, typeof(sealed), {AS_BYTES}, CAST(sealed AS BLOB) FROM events"
NEXT = f"{NEXT} WHERE sequence > ? ORDER BY sequence LIMIT 1"
ALL_TEXT = " ".join("text" for _ in COLUMNS)


class ChainFault(NamedTuple):
    """The first event that is not as it was written, by its number, and what is wrong with it."""

    number: int
    words: str


class Head(NamedTuple):
    """The end of the chain: how many events there are, and the hash of the last ("" without any)."""

    number: int
    hash: str


def link(before: str, *parts: str) -> str:
    """Return the SHA-256 of the hash before and the parts of an event, as JSON."""
    return sha256(json.dumps([before, *parts]).encode()).hexdigest()


def new_key() -> str:
    """Return a key that stands for a person and says nothing of the name."""
    return f"p-{secrets.token_hex(6)}"


def person(db: Database, name: str | bytes | None) -> str:
    """Return the key that stands for a person, by the name as a column holds it; made where there is none."""
    row = db.conn.execute("SELECT key FROM people WHERE name = ?", (name,)).fetchone()
    if row is None:
        row = (new_key(),)
        db.conn.execute("INSERT INTO people VALUES (?, ?)", (*row, name))
    return str(row[0])


def append(db: Database, at: str, who: str, what: str, detail: str, sealed: str | None) -> None:
    """Add one event to the end; `who` is a person's key. Call inside a transaction."""
    before = head(db)
    digest = link(before.hash, at, who, what, detail, *(() if sealed is None else (sealed,)))
    columns = "sequence, at, who, what, detail, hash, sealed"
    number = next_number(db)
    row = (number, at, who, what, detail, digest, sealed)
    db.conn.execute(f"INSERT INTO events ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    db.conn.execute("INSERT OR REPLACE INTO event_head VALUES (1, ?, ?)", (number, digest))


def next_number(db: Database) -> int:
    """Return the number of the next event; where events or their end were changed, a free one: such a chain stays broken."""
    last = db.conn.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()[0]
    return max(head(db).number, int(last)) + 1


def has(db: Database, digest: str) -> bool:
    """Return whether this is the hash of one of the chain's events, or the beginning of one."""
    query = "SELECT 1 FROM events WHERE substr(hash, 1, ?) = ?"
    return db.conn.execute(query, (len(digest), digest)).fetchone() is not None


def head(db: Database) -> Head:
    """Return the end of the chain as it is noted beside the events."""
    row = db.conn.execute("SELECT sequence, hash FROM event_head").fetchone()
    return Head(0, "") if row is None else Head(*row)


def fault(db: Database) -> ChainFault | None:
    """Find the first event that does not fit the chain, is missing or cannot be read; None where all are as written."""
    before, last = "", 0
    try:
        # One by one: a cursor that reads ahead would fail before it has given the last event that can be read.
        while row := db.conn.execute(NEXT, (last,)).fetchone():
            number, types, type_sealed, *parts, digest, sealed = row
            parts += [] if type_sealed == "null" else [sealed]
            if number != last + 1:
                return ChainFault(last + 1, f"is not there: event {number} follows event {last}; events were changed")
            if (
                types != ALL_TEXT
                or type_sealed not in ("text", "null")
                or _text(digest) != link(before, *map(_text, parts))
            ):
                return ChainFault(number, "does not fit the one before: events were changed")
            before, last = _text(digest), number
    except sqlite3.DatabaseError as error:
        return ChainFault(
            last + 1, f"cannot be read ({error}): the file is damaged; the last event that can be read is {last}"
        )
    return _fault_of_head(db, Head(last, before))


def _fault_of_head(db: Database, last: Head) -> ChainFault | None:
    """Return what is wrong with the noted end of the chain, given the last event that was read."""
    try:
        row = db.conn.execute("SELECT sequence, CAST(hash AS BLOB) FROM event_head").fetchone()
    except sqlite3.DatabaseError as error:
        return ChainFault(last.number, f"cannot be told to be the last: the end of the chain cannot be read ({error})")
    noted = Head(0, "") if row is None else Head(row[0], _text(row[1] or b""))
    if noted == last:
        return None
    if isinstance(noted.number, int) and noted.number > last.number:
        return ChainFault(last.number + 1, f"is not there: there were {noted.number}; events were cut off the end")
    return ChainFault(max(last.number, 1), "is not where the chain ends: events were changed")


def _text(column: bytes) -> str:
    return column.decode("utf-8", "replace")
