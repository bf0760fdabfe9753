"""Totals over all traffic that are counted once and kept until what they count has changed.

Whoever writes items, scores or waves says so (`changed`) in the same transaction; a roll-up remembers at which versions it
was counted and is counted again when they have moved on, or when its own digest says that it was damaged. Nothing is lost
with a roll-up: it can always be counted anew.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress

from annotate.store.database import atomic
from annotate.store.sqlite import Database

Row = Sequence[str | float | None]


def changed(db: Database, name: str) -> None:
    """Note that this kind of thing (items, scores, waves) has changed; call inside the transaction that changes it."""
    db.conn.execute(
        "INSERT INTO versions VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
        (name,),
    )


class Rollups:
    """The versions and rollups tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(
        self, name: str, sources: Sequence[str], question: str, count: Callable[[], Sequence[Row]]
    ) -> Sequence[Row]:
        """The rows that `count` gave when the sources last changed; counted anew if they or the question are others."""
        stamp = f"{self._versions(sources)} {question}"
        # As bytes: a damaged text need not be UTF-8.
        query = "SELECT CAST(stamp AS BLOB), CAST(content AS BLOB) FROM rollups WHERE name = ?"
        kept = self._db.conn.execute(query, (name,)).fetchone()
        if kept and kept[0] == _sealed(stamp, kept[1]).encode():
            return [tuple(row) for row in json.loads(kept[1])]
        rows = [tuple(row) for row in count()]
        content = json.dumps(rows)
        # Where another process is writing, what was counted is true all the same: it is kept another time.
        with suppress(sqlite3.OperationalError), atomic(self._db):
            self._db.conn.execute(
                "INSERT OR REPLACE INTO rollups VALUES (?, ?, ?)", (name, _sealed(stamp, content.encode()), content)
            )
        return rows

    def _versions(self, sources: Sequence[str]) -> str:
        found = dict(self._db.conn.execute("SELECT name, value FROM versions"))
        return " ".join(f"{source}={found.get(source, 0)}" for source in sources)


def _sealed(stamp: str, content: bytes) -> str:
    """The stamp with a digest of what is kept under it."""
    return (
        f"{stamp} {hashlib.blake2b(content, digest_size=16, key=hashlib.sha256(stamp.encode()).digest()).hexdigest()}"
    )
