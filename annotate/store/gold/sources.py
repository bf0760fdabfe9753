"""Keep what the passages behind accepted gold entries said, and which of their ids came in with another text since.

An item tells of a change only where it came in after the entry was accepted or kept, and is not of an earlier time than the
entry's own item: traffic of last year says nothing of what a passage says now.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.gold.sources import SourceChange, text_hash, texts_by_id, unambiguous_texts
from annotate.store.engine.database import from_column, of_traffic, to_column
from annotate.store.engine.item_fields import DATED
from annotate.store.engine.sqlite import Database
from annotate.store.traffic.items import read_items
from proxy.records import Context, Item

NAMING = f"""
    SELECT i.key, {DATED}, i.ingested_at, t.contexts, t.context_details FROM items i JOIN texts t USING (key)
    WHERE i.is_current AND i.forgotten_at IS NULL AND i.id IN (SELECT value FROM json_each(?)) AND t.context_details != '[]'
    AND EXISTS (
        SELECT 1 FROM json_each(t.context_details) c CROSS JOIN gold_sources s ON s.passage = c.value ->> '$[0]')
    ORDER BY 2, 1
"""
BEHIND = f"""
    SELECT s.gold_id, s.passage, s.hash, s.is_known, s.at, g.item, {DATED} FROM gold_sources s
    JOIN gold g USING (gold_id) JOIN items i ON i.key = g.item
    WHERE s.passage IN (SELECT value FROM json_each(?))
"""
WITHOUT_IDS = """
    SELECT count(*) FROM gold g LEFT JOIN texts t ON t.key = g.item WHERE g.status = 'accepted' AND g.role IS NOT 'synthetic'
    AND coalesce(g.contexts, t.contexts, '[]') != '[]' AND NOT EXISTS (SELECT 1 FROM gold_sources s WHERE s.gold_id = g.gold_id)
"""


class _Source(NamedTuple):
    """A passage behind an entry: the hashes known of it, the one that waits, and the row and the time of the entry's own item.

    `since` is when a person last decided on the entry.
    """

    known: frozenset[bytes]
    waiting: bytes | None
    since: str
    item: int
    timestamp: str | None

    def is_told_by(self, timestamp: str | None, ingested_at: str) -> bool:
        """Whether an item of this time says what the passage says now."""
        is_earlier = timestamp is not None and self.timestamp is not None and timestamp < self.timestamp
        return ingested_at >= self.since and not is_earlier


class _News(NamedTuple):
    """What a passage says now: the hash of a text that is not known, None where it is, and the item that brought it."""

    text: bytes | None
    item: int


class GoldSources:
    """The gold_sources table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, gold_id: str, item: int, *, now: str) -> None:
        """Take what the passages of an entry say, and what came in under their ids, as known to the person who decided."""
        self._db.conn.execute("UPDATE gold_sources SET is_known = 1, at = ? WHERE gold_id = ?", (now, gold_id))
        own = unambiguous_texts(read_items(self._db, [item])[item].contexts)
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
        """Count the accepted entries of the team whose passages have no ids, so that nobody can tell whether they changed."""
        return int(self._db.conn.execute(WITHOUT_IDS).fetchone()[0])

    def see(self, ids: Collection[str], *, now: str) -> set[int]:
        """Compare the passages of these items with those of the same ids behind entries; return the rows of the entries' items.

        The newest text of a passage counts: one that is known again takes a change back.
        """
        if not self._db.conn.execute("SELECT EXISTS (SELECT 1 FROM gold_sources)").fetchone()[0]:
            return set()
        rows = of_traffic(self._db).execute(NAMING, (json.dumps(sorted(ids)),)).fetchall()
        texts = {row[0]: _by_id(json.loads(row[3]), json.loads(row[4])) for row in rows}
        sources = self._behind({passage for own in texts.values() for passage in own})
        news: dict[tuple[str, str], _News] = {}
        for key, timestamp, ingested_at, _, _ in rows:
            for passage in texts[key].keys() & sources.keys():
                hashes = [text_hash(text) for text in texts[key][passage]]
                for gold_id, source in sources[passage].items():
                    if source.is_told_by(timestamp, ingested_at):
                        text = None if source.known & set(hashes) else hashes[0]
                        news[gold_id, passage] = _News(text, key)
        changed = {
            place: latest for place, latest in news.items() if latest.text != sources[place[1]][place[0]].waiting
        }
        self._db.conn.executemany(
            "DELETE FROM gold_sources WHERE gold_id = ? AND passage = ? AND NOT is_known",
            [(gold_id, to_column(passage)) for gold_id, passage in changed],
        )
        self._db.conn.executemany(
            "INSERT INTO gold_sources VALUES (?, ?, ?, ?, 0, ?)",
            [
                (gold_id, to_column(name), latest.text, latest.item, now)
                for (gold_id, name), latest in changed.items()
                if latest.text
            ],
        )
        return {sources[passage][gold_id].item for gold_id, passage in changed}

    def _behind(self, passages: Collection[str]) -> dict[str, dict[str, _Source]]:
        """Return the entries behind which these passages stand, by passage and gold id."""
        sources: dict[str, dict[str, list[tuple[bytes, int, str, int, str | None]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for gold_id, passage, *row in self._db.conn.execute(BEHIND, (json.dumps(sorted(passages)),)):
            sources[from_column(passage)][gold_id].append((bytes(row[0]), *row[1:]))
        return {
            passage: {gold_id: _source(rows) for gold_id, rows in by_entry.items()}
            for passage, by_entry in sources.items()
        }

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


def _source(rows: Sequence[tuple[bytes, int, str, int, str | None]]) -> _Source:
    known = [row for row in rows if row[1]]
    waiting = next((row[0] for row in rows if not row[1]), None)
    _, _, _, item, timestamp = rows[0]
    return _Source(
        frozenset(row[0] for row in known), waiting, max((row[2] for row in known), default=""), item, timestamp
    )


def _by_id(texts: Sequence[str], details: Sequence[Sequence[str | None]]) -> Mapping[str, list[str]]:
    return texts_by_id([Context(text=text, id=identity) for text, (identity, *_) in zip(texts, details, strict=True)])


def _text(item: Item, passage: str, digest: bytes) -> str:
    """Return the text of a passage; empty where the item was forgotten."""
    texts = texts_by_id(item.contexts).get(passage, [])
    return next((text for text in texts if text_hash(text) == digest), "")
