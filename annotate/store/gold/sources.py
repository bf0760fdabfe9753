"""Keep what the passages behind accepted gold entries said, and which of their ids came in with another text since.

An item tells of a change only where it came in after the entry was accepted or kept, and is not of an earlier time than the
entry's own item: traffic of last year says nothing of what a passage says now.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from annotate.domain.gold.sources import SourceChange, text_hash, texts_by_id, told_apart
from annotate.store.engine.database import from_column, to_column
from annotate.store.engine.item_fields import DATED
from annotate.store.engine.sqlite import Database
from annotate.store.traffic.items import read_items
from proxy.records import Item

NAMING = f"""
    SELECT i.key, {DATED}, i.ingested_at FROM items i JOIN texts t USING (key)
    WHERE i.is_current AND i.forgotten_at IS NULL AND i.id IN (SELECT value FROM json_each(?)) AND t.context_details != '[]'
    AND EXISTS (
        SELECT 1 FROM json_each(t.context_details) c CROSS JOIN gold_sources s ON s.passage = json_extract(c.value, '$[0]'))
    ORDER BY 2, 1
"""
BEHIND = f"""
    SELECT s.gold_id, s.passage, s.hash, s.is_known, s.at, g.item, {DATED} FROM gold_sources s
    JOIN gold g USING (gold_id) JOIN items i ON i.key = g.item
    WHERE s.passage IN (SELECT value FROM json_each(?)) ORDER BY s.gold_id, s.passage
"""
WITHOUT_IDS = """
    SELECT count(*) FROM gold g LEFT JOIN texts t ON t.key = g.item WHERE g.status = 'accepted'
    AND coalesce(g.contexts, t.contexts, '[]') != '[]' AND NOT EXISTS (SELECT 1 FROM gold_sources s WHERE s.gold_id = g.gold_id)
"""


class _Source(NamedTuple):
    """A passage behind an entry: the hashes known of it, since when, and the row and the time of the entry's own item."""

    gold_id: str
    known: frozenset[bytes]
    since: str
    item: int
    timestamp: str | None

    def is_told_by(self, timestamp: str | None, ingested_at: str) -> bool:
        """Whether an item of this time says what the passage says now."""
        is_earlier = timestamp is not None and self.timestamp is not None and timestamp < self.timestamp
        return ingested_at >= self.since and not is_earlier


class GoldSources:
    """The gold_sources table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, gold_id: str, item: int, *, now: str) -> None:
        """Take what the passages of an entry say, and what came in under their ids, as known to the person who decided."""
        self._db.conn.execute("UPDATE gold_sources SET is_known = 1, at = ? WHERE gold_id = ?", (now, gold_id))
        own = told_apart(read_items(self._db, [item])[item].contexts)
        self._db.conn.executemany(
            "INSERT OR IGNORE INTO gold_sources VALUES (?, ?, ?, ?, 1, ?)",
            [(gold_id, to_column(passage), text_hash(text), item, now) for passage, text in own.items()],
        )

    def drop(self, gold_ids: Iterable[str]) -> None:
        """Delete what is known of entries that are not accepted any more."""
        self._db.conn.executemany("DELETE FROM gold_sources WHERE gold_id = ?", [(gold_id,) for gold_id in gold_ids])

    def changed(self, gold_id: str) -> list[str]:
        """Return the passages of an entry that came in with another text."""
        query = "SELECT DISTINCT passage FROM gold_sources WHERE gold_id = ? AND NOT is_known ORDER BY 1"
        return [from_column(passage) for (passage,) in self._db.conn.execute(query, (gold_id,))]

    def without_ids(self) -> int:
        """Count the accepted entries whose passages have no ids, so that nobody can tell whether they changed."""
        return int(self._db.conn.execute(WITHOUT_IDS).fetchone()[0])

    def see(self, ids: Collection[str], *, now: str) -> set[int]:
        """Compare the passages of these items with those of the same ids behind entries; return the rows of the entries' items.

        The newest text of a passage counts: one that is known again takes a change back.
        """
        if not self._db.conn.execute("SELECT EXISTS (SELECT 1 FROM gold_sources)").fetchone()[0]:
            return set()
        rows = self._db.conn.execute(NAMING, (json.dumps(sorted(ids)),)).fetchall()
        items = read_items(self._db, [key for key, _, _ in rows])
        touched: set[int] = set()
        for key, timestamp, ingested_at in rows:
            texts = texts_by_id(items[key].contexts)
            for passage, source in self._behind(list(texts)):
                if source.is_told_by(timestamp, ingested_at):
                    self._compare(source, passage, texts[passage], key, now)
                    touched.add(source.item)
        return touched

    def _compare(self, source: _Source, passage: str, texts: Sequence[str], item: int, now: str) -> None:
        bound = (source.gold_id, to_column(passage))
        self._db.conn.execute("DELETE FROM gold_sources WHERE gold_id = ? AND passage = ? AND NOT is_known", bound)
        hashes = [text_hash(text) for text in texts]
        if not source.known & set(hashes):
            row = (*bound, hashes[0], item, 0, now)
            self._db.conn.execute("INSERT INTO gold_sources VALUES (?, ?, ?, ?, ?, ?)", row)

    def _behind(self, passages: Sequence[str]) -> list[tuple[str, _Source]]:
        """Return the entries behind which these passages stand."""
        found: dict[tuple[str, str], list[tuple[bytes, str, int, str | None]]] = defaultdict(list)
        for gold_id, passage, digest, is_known, at, item, timestamp in self._db.conn.execute(
            BEHIND, (json.dumps(passages),)
        ):
            if is_known:
                found[gold_id, from_column(passage)].append((bytes(digest), at, item, timestamp))
        return [
            (passage, _Source(gold_id, frozenset(row[0] for row in rows), max(row[1] for row in rows), *rows[0][2:]))
            for (gold_id, passage), rows in found.items()
        ]

    def changes(self, gold_ids: Collection[str]) -> dict[str, tuple[SourceChange, ...]]:
        """Return what changed behind these entries, by gold id; the text before is the newest that was known."""
        query = (
            "SELECT gold_id, passage, hash, item, is_known FROM gold_sources WHERE gold_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY gold_id, passage, is_known DESC, at, item"
        )
        rows = self._db.conn.execute(query, (json.dumps(sorted(gold_ids)),)).fetchall()
        items = read_items(self._db, sorted({row[3] for row in rows}))
        known: dict[tuple[str, str], str] = {}
        changes: dict[str, list[SourceChange]] = defaultdict(list)
        for gold_id, column, digest, key, is_known in rows:
            passage = from_column(column)
            text = _text(items[key], passage, bytes(digest))
            if is_known:
                known[gold_id, passage] = text
            else:
                changes[gold_id].append(SourceChange(passage, known.get((gold_id, passage), ""), text, items[key].id))
        return {gold_id: tuple(several) for gold_id, several in changes.items()}


def _text(item: Item, passage: str, digest: bytes) -> str:
    """Return the text of a passage; empty where the item was forgotten."""
    texts = texts_by_id(item.contexts).get(passage, [])
    return next((text for text in texts if text_hash(text) == digest), "")
