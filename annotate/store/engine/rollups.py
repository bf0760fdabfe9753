"""Totals over all traffic that are counted once and kept until what they count has changed.

Whoever writes items, scores or waves says so (`changed`) in the same transaction, which draws a new random version. A kept
total names the versions at which it was counted, and is counted again when they are others, or when its own digest says that
it was damaged. Kept totals lie in a file beside the store, so that reading never writes to the store itself; that file may be
deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from annotate.store.engine.database import Room, kept_totals, once
from annotate.store.engine.kept_totals import KeptTotal
from annotate.store.engine.sqlite import Database

Row = Sequence[Any]
VERSIONS = "SELECT name, value FROM versions"


def changed(db: Database, name: str) -> None:
    """Note that this kind of thing (items, scores, waves) has changed; call inside the transaction that changes it.

    The version is random: two copies of a store that go different ways never share one.
    """
    db.conn.execute(
        "INSERT INTO versions VALUES (?, random()) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name,)
    )


class Rollups(Room):
    """Kept totals of one store, checked against its versions."""

    def get(
        self, name: str, sources: Sequence[str], question: str, count: Callable[[], Sequence[Row]]
    ) -> Sequence[Row]:
        """Return the rows that `count` gave when the sources last changed; counted anew if they or the question are others."""

        def read() -> list[Row]:
            content = self.content(
                name, sources, question, lambda: json.dumps([tuple(row) for row in count()]).encode()
            )
            return [tuple(row) for row in json.loads(content)]

        return once(self._db, (name, question), read)

    def content(self, name: str, sources: Sequence[str], question: str, make: Callable[[], bytes]) -> bytes:
        """Return the bytes that `make` gave when the sources last changed, as `get` does rows."""
        totals = kept_totals(self._db)
        stamp = f"{self._versions(sources)} {question}"
        kept = totals.read(name)
        if kept and kept.stamp == _sealed(stamp, kept.content):
            return kept.content
        content = make()
        totals.write(name, KeptTotal(_sealed(stamp, content), content))
        return content

    def _versions(self, sources: Sequence[str]) -> str:
        versions = once(self._db, VERSIONS, lambda: dict(self._db.conn.execute(VERSIONS).fetchall()))
        return " ".join(f"{source}={versions.get(source, 0)}" for source in sources)


def _sealed(stamp: str, content: bytes) -> str:
    """Return the stamp with a digest of what is kept under it."""
    return (
        f"{stamp} {hashlib.blake2b(content, digest_size=16, key=hashlib.sha256(stamp.encode()).digest()).hexdigest()}"
    )


class CountingRoom(Room):
    """A part of the store that keeps what it counts."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._rollups = Rollups(db)
