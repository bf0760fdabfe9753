"""The parts that belong to a lake, as the ledger lists them: whatever is not listed does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.sqlite import Database
from annotate.store.lake.parts import LakePart

COLUMNS = "path, kind, owner, digest, rows, size, first_item, last_item"


class ListedPart(NamedTuple):
    """A part with what it holds: rows of a kind, of a judge or rule (0 for items), from the first to the last item."""

    part: LakePart
    kind: str
    owner: int
    first_item: int
    last_item: int

    def holds(self, among: KeyRange) -> bool:
        """Return whether it may have rows of these items."""
        return self.first_item <= among.last and self.last_item >= among.first


class Manifest:
    """The lake and lake_parts tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def address(self) -> str | None:
        """Return where the traffic lies; None where it lies in the ledger."""
        row = self._db.conn.execute("SELECT address FROM lake").fetchone()
        return None if row is None else str(row[0])

    def set_address(self, address: str) -> None:
        """Note where the traffic is to lie; call inside a transaction."""
        self._db.conn.execute("INSERT INTO lake VALUES (1, ?)", (address,))

    def parts(self, kind: str, owner: int | None = None) -> list[ListedPart]:
        """Return the parts of a kind, of all judges or rules or of one, by their first items."""
        condition, bound = ("", (kind,)) if owner is None else (" AND owner = ?", (kind, owner))
        query = f"SELECT {COLUMNS} FROM lake_parts WHERE kind = ?{condition} ORDER BY first_item, path"
        return [
            ListedPart(LakePart(path, digest, rows, size), kind, of, first, last)
            for path, kind, of, digest, rows, size, first, last in self._db.conn.execute(query, bound)
        ]

    def items(self) -> int:
        """Return how many items the lake has, superseded ones included."""
        query = "SELECT coalesce(sum(rows), 0) FROM lake_parts WHERE kind = 'items'"
        return int(self._db.conn.execute(query).fetchone()[0])

    def all(self) -> list[ListedPart]:
        """Return every part."""
        kinds = [kind for (kind,) in self._db.conn.execute("SELECT DISTINCT kind FROM lake_parts ORDER BY kind")]
        return [part for kind in kinds for part in self.parts(kind)]

    def add(self, listed: ListedPart) -> None:
        """List a part; call inside a transaction."""
        part = listed.part
        row = (
            part.path,
            listed.kind,
            listed.owner,
            part.digest,
            part.rows,
            part.size,
            listed.first_item,
            listed.last_item,
        )
        self._db.conn.execute("INSERT OR REPLACE INTO lake_parts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def drop(self, parts: Sequence[ListedPart]) -> None:
        """List these parts no more; call inside a transaction."""
        paths = [(listed.part.path,) for listed in parts]
        self._db.conn.executemany("DELETE FROM lake_parts WHERE path = ?", paths)
        self._db.conn.executemany(
            "INSERT OR REPLACE INTO lake_replaced VALUES (?, CAST(strftime('%s') AS INTEGER))", paths
        )

    def replaced(self, seconds: int) -> list[str]:
        """Return the files whose parts were dropped so many seconds ago; one that is listed again is none."""
        query = (
            "SELECT path FROM lake_replaced WHERE dropped_at <= CAST(strftime('%s') AS INTEGER) - ? "
            "AND path NOT IN (SELECT path FROM lake_parts)"
        )
        return [path for (path,) in self._db.conn.execute(query, (seconds,))]

    def swept(self, path: str) -> None:
        """Note that a file was deleted."""
        self._db.conn.execute("DELETE FROM lake_replaced WHERE path = ?", (path,))
