"""Store and read the items of the traffic, each content once.

An item's identity is its id; its content is question, contexts, answer, history and system. Content that is kept already
changes nothing, also if a later revision took its place; other content under the same id is a new revision beside the
old, and a change of anything else (timestamp, reference, metadata) is taken over in place. A forgotten item
does not return on re-import.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.store.audit.tombstones import ITEM
from annotate.store.engine.all_traffic import Edit
from annotate.store.engine.consequence import Consequence
from annotate.store.engine.database import Room, of_traffic, to_column
from annotate.store.engine.rollups import changed
from annotate.store.engine.sqlite import Database
from annotate.store.scores.outdated import NO_READERS, FieldReaders, forget_edited
from annotate.store.scores.scores import lacking
from annotate.store.traffic.item_rows import (
    ITEM_COLUMNS,
    TEXT_COLUMNS,
    Encoded,
    encode,
    item_from_row,
    item_row,
    text_row,
)
from proxy.errors import UsageError
from proxy.records import Item

BATCH_CHARACTERS = 20_000_000
COMPARED = 500
WITH_REFERENCE = (
    "items i JOIN texts t USING (key) WHERE is_current AND forgotten_at IS NULL "
    "AND trim(CAST(t.reference AS TEXT)) != ''"
)


class Added(NamedTuple):
    """Counts of what adding items did; `repeated` of those updated or unchanged were added by this import itself."""

    added: int = 0
    revised: int = 0
    updated: int = 0
    unchanged: int = 0
    repeated: int = 0

    def plus(self, other: Added) -> Added:
        """Add both counts."""
        return Added(*(a + b for a, b in zip(self, other, strict=True)))


class _Known(NamedTuple):
    key: int
    revision: int
    content_hash: bytes
    rest_hash: bytes


ADDED, REVISED, UPDATED, UNCHANGED = range(4)
# Behind every text that begins alike.
LAST_SIGN = "\U0010ffff"


class _Hashes(NamedTuple):
    id: str
    content_hash: bytes
    rest_hash: bytes


def _outcome(hashes: _Hashes, before: _Known, contents: set[tuple[str, bytes]]) -> int:
    """Return what an item does to the current revision of its id, beside all content that the id ever had."""
    if before.content_hash == hashes.content_hash:
        return UNCHANGED if before.rest_hash == hashes.rest_hash else UPDATED
    return UNCHANGED if hashes[:2] in contents else REVISED


class Items(Room):
    """The items and texts tables; `follow` is called with the ids of items that are new or other than they were."""

    def __init__(self, db: Database, follow: Consequence[str]) -> None:
        super().__init__(db)
        self._follow = follow

    @property
    def rows_at_once(self) -> int:
        """How many rows are best read or written at once, where more than a batch are."""
        return self._traffic.rows_at_once

    def last_key(self) -> int:
        """Return the row that was added last, 0 for none."""
        return self._scalar("SELECT coalesce(max(key), 0) FROM items")

    def add(
        self, items: Sequence[Item], *, now: str, readers: FieldReaders = NO_READERS, since: int | None = None
    ) -> Added:
        """Keep a batch of items, and let the gold set follow them; call inside one transaction.

        Scores of `readers` go where the field that they read has changed. `since` is the row that was the last before the import.
        """
        known = self._known(self._traffic.perhaps_known([item.id for item in items]))
        superseded_contents, forgotten = self._contents(list(known)), self.forgotten([item.id for item in items])
        next_key = self.last_key() + 1
        first_key = next_key if since is None else since + 1
        counts, repeated = [0, 0, 0, 0], 0
        item_rows: list[tuple[object, ...]] = []
        text_rows: list[tuple[object, ...]] = []
        superseded: list[int] = []
        updates: list[Encoded] = []
        for encoded in map(encode, items):
            item, before = encoded.item, known.get(encoded.item.id)
            if item.id in forgotten:
                outcome = UNCHANGED
            elif before is None:
                outcome = ADDED
            else:
                hashes = _Hashes(item.id, encoded.content_hash, encoded.rest_hash)
                outcome = _outcome(hashes, before, superseded_contents)
            counts[outcome] += 1
            repeated += outcome in (UPDATED, UNCHANGED) and before is not None and before.key >= first_key
            if outcome == UNCHANGED:
                continue
            if outcome == UPDATED and before:
                updates.append(encoded)
                known[item.id] = before._replace(rest_hash=encoded.rest_hash)
                continue
            if before:
                superseded.append(before.key)
                superseded_contents.add((item.id, before.content_hash))
            revision = before.revision + 1 if before else 1
            known[item.id] = _Known(next_key, revision, encoded.content_hash, encoded.rest_hash)
            item_rows.append(item_row(next_key, revision, encoded, now))
            text_rows.append((next_key, *text_row(encoded)))
            next_key += 1
        self._traffic.add_items(item_rows, text_rows)
        self._traffic.supersede(superseded)
        # Of an item that comes twice the last state counts.
        edited = {known[encoded.item.id].key: encoded for encoded in updates}
        self._update(edited, readers)
        if item_rows or updates:
            changed(self._db, "items", [*range(next_key - len(item_rows), next_key), *superseded, *edited])
            self._follow({str(row[1]) for row in item_rows} | {encoded.item.id for encoded in updates}, now=now)
        return Added(*counts)._replace(repeated=repeated)

    def compared(self, others: Items) -> Added:
        """Count what adding the current items of another store would do; nothing is written."""
        rows = others._traffic.execute("SELECT id, content_hash, rest_hash FROM items WHERE is_current")
        counts = [0, 0, 0, 0]
        while batch := [_Hashes(*row) for row in rows.fetchmany(COMPARED)]:
            ids = [hashes.id for hashes in batch]
            known, contents, forgotten = self._known(ids), self._contents(ids), self.forgotten(ids)
            for hashes in batch:
                if hashes.id in forgotten:
                    counts[UNCHANGED] += 1
                elif (before := known.get(hashes.id)) is None:
                    counts[ADDED] += 1
                else:
                    counts[_outcome(hashes, before, contents)] += 1
        return Added(*counts)

    def _known(self, ids: list[str]) -> dict[str, _Known]:
        """Return the current revision of each of these ids that is in the store."""
        if not ids:
            return {}
        rows = self._traffic.execute(
            "SELECT id, key, revision, content_hash, rest_hash FROM items "
            "WHERE is_current AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(ids),),
        )
        return {row[0]: _Known(*row[1:]) for row in rows}

    def _contents(self, ids: list[str]) -> set[tuple[str, bytes]]:
        """Return the content that each of these ids has or had."""
        marks = ", ".join("?" * len(ids))
        return (
            set(self._traffic.execute(f"SELECT id, content_hash FROM items WHERE id IN ({marks})", ids))
            if ids
            else set()
        )

    def forgotten(self, ids: Sequence[str]) -> set[str]:
        """Return those of these ids that were forgotten: nothing of theirs is taken in again."""
        if not self._scalar(f"SELECT EXISTS (SELECT 1 FROM forgotten WHERE kind = '{ITEM}')"):
            return set()
        query = f"SELECT digest FROM forgotten WHERE kind = '{ITEM}' AND digest IN (SELECT value FROM json_each(?))"
        return {row[0] for row in self._db.conn.execute(query, (json.dumps(ids),))}

    def forgotten_among(self, keys: Sequence[int]) -> set[int]:
        """Return those of these rows whose texts were forgotten."""
        query = "SELECT key FROM items WHERE forgotten_at IS NOT NULL AND key IN (SELECT value FROM json_each(?))"
        return {key for (key,) in self._traffic.about(keys).execute(query, (json.dumps(list(keys)),))}

    def is_forgotten(self, key: int) -> bool:
        """Return whether the texts of the item in this row were forgotten."""
        return bool(self._scalar(f"SELECT forgotten_at IS NOT NULL FROM items WHERE key = {key:d}"))

    def _update(self, updates: Mapping[int, Encoded], readers: FieldReaders) -> None:
        """Take over what may change without making the item another one; scores made with another reference go."""
        query = (
            "SELECT key, reference, metadata, context_details FROM texts WHERE key IN (SELECT value FROM json_each(?))"
        )
        keys = json.dumps(list(updates))
        before = {key: texts for key, *texts in self._traffic.execute(query, (keys,))} if updates else {}
        edits = list[Edit]()
        for key, encoded in updates.items():
            item, (reference, *ids) = encoded.item, before[key]
            judges = readers.reference if reference != to_column(item.reference) else frozenset()
            judges |= readers.relevant_ids if ids != [encoded.metadata, encoded.details] else frozenset()
            forget_edited(self._db, judges, key)
            edits.append(
                Edit(
                    key=key,
                    rest_hash=encoded.rest_hash,
                    timestamp=item.timestamp,
                    group=item.group or None,
                    language=item.language,
                    details=encoded.details,
                    reference=to_column(item.reference),
                    metadata=encoded.metadata,
                )
            )
        self._traffic.edit_items(edits)

    def count(self) -> int:
        """Return how many items are in the store, each id once."""
        return self._scalar("SELECT count(*) FROM items WHERE is_current")

    def ways(self, keys: Sequence[int]) -> list[tuple[str, str]]:
        """Return the group and the question of each of these rows, ascending."""
        query = 'SELECT "group", question FROM items WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key'
        return self._traffic.about(keys).execute(query, (json.dumps(list(keys)),)).fetchall()

    def every_key(self) -> list[int]:
        """Return the rows of the current items, in their order."""
        return [key for (key,) in self._traffic.execute("SELECT key FROM items WHERE is_current ORDER BY key")]

    def keys(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the row of the current revision of each id that is in the store."""
        keys: dict[str, int] = {}
        most = max(1000, self.rows_at_once)
        for start in range(0, len(ids), most):
            keys |= {item_id: row.key for item_id, row in self._known(list(ids[start : start + most])).items()}
        return keys

    def asking(self, questions: Collection[str]) -> dict[str, list[int]]:
        """Return the rows of the current items by their question, for these keys of questions."""
        query = "SELECT question, key FROM items WHERE is_current AND question IN (SELECT value FROM json_each(?))"
        keys: dict[str, list[int]] = {}
        for question, key in self._traffic.execute(query, (json.dumps(sorted(set(questions))),)):
            keys.setdefault(question, []).append(key)
        return keys

    def ids(self, keys: Sequence[int]) -> list[str]:
        """Return the id of each of these rows, in their order."""
        query = "SELECT key, id FROM items WHERE key IN (SELECT value FROM json_each(?))"
        ids: dict[int, str] = dict(
            self._traffic.about(keys).execute(query, (json.dumps([int(key) for key in keys]),)).fetchall()
        )
        return [ids[int(key)] for key in keys]

    def key(self, item_id: str) -> int:
        """Return the row of the current revision of this id; UsageError for one that is not in the store."""
        keys = self.keys([item_id])
        if not keys:
            raise UsageError(f"there is no item {item_id}")
        return keys[item_id]

    def near_ids(self, item_id: str, most: int) -> list[str]:
        """Return ids that begin as this one does, for as long as some do; none where less than half of it is alike."""
        query = "SELECT id FROM items WHERE is_current AND id >= ? AND id < ? ORDER BY id LIMIT ?"
        for length in range(len(item_id), len(item_id) // 2, -1):
            beginning = item_id[:length]
            if rows := self._traffic.execute(query, (beginning, f"{beginning}{LAST_SIGN}", most)).fetchall():
                return [row[0] for row in rows]
        return []

    def get(self, key: int) -> Item:
        """Return the item in this row, with its texts."""
        return next(iter(self.read([key]).values()))

    def passage_counts(self, keys: Sequence[int]) -> dict[int, int]:
        """Return how many passages each of these items has."""
        query = "SELECT key, contexts FROM items WHERE key IN (SELECT value FROM json_each(?))"
        return {
            key: int(count or 0) for key, count in self._traffic.about(keys).execute(query, (json.dumps(list(keys)),))
        }

    def read(self, keys: Sequence[int]) -> dict[int, Item]:
        """Return the items in these rows, with their texts."""
        return read_items(self._db, keys)

    def batches(self, size: int) -> Iterator[dict[int, Item]]:
        """The current items, in the order of their rows, so many at a time."""
        last = 0
        query = "SELECT key FROM items WHERE key > ? AND is_current ORDER BY key LIMIT ?"
        while keys := [key for (key,) in self._traffic.execute(query, (last, size)).fetchall()]:
            last = keys[-1]
            items = self.read(keys)
            yield {key: items[key] for key in keys}

    def without_outcome(
        self, judges: Sequence[int], batch: int, *, retries: bool = False, after: int = 0
    ) -> Iterator[dict[int, Item]]:
        """Yield batches of the current items that lack a score or failure of some of these judges, small enough for memory.

        With `after` only of the rows after that one.
        """
        last = after
        query = (
            "SELECT key, contexts_chars + answer_chars FROM items i "
            f"WHERE key > ? AND is_current AND forgotten_at IS NULL AND ({lacking(judges, retries=retries)}) ORDER BY key LIMIT ?"
        )
        most = max(batch, self.rows_at_once)
        while rows := self._traffic.execute(query, (last, most)).fetchall():
            last = rows[-1][0]
            keys, characters = list[int](), 0
            for key, size in rows:
                if keys and (len(keys) == batch or characters + size > BATCH_CHARACTERS):
                    yield self.read(keys)
                    keys, characters = [], 0
                keys.append(key)
                characters += size
            yield self.read(keys)

    def count_without_outcome(self, judges: Sequence[int], *, retries: bool = False, after: int = 0) -> int:
        """Return how many current items lack a score or failure of some of these judges, in rows after `after`."""
        condition = f"is_current AND forgotten_at IS NULL AND ({lacking(judges, retries=retries)})"
        return self._scalar(f"SELECT count(*) FROM items i WHERE key > {after:d} AND {condition}")

    def keys_without_outcome(self, judges: Sequence[int], *, retries: bool = False) -> list[int]:
        """Return the rows of the current items that lack a score or failure of some of these judges."""
        condition = f"is_current AND forgotten_at IS NULL AND ({lacking(judges, retries=retries)})"
        return [key for (key,) in self._traffic.execute(f"SELECT key FROM items i WHERE {condition} ORDER BY key")]

    def count_with_reference(self) -> int:
        """Return how many current items came with a reference."""
        return self._scalar(f"SELECT count(*) FROM {WITH_REFERENCE}")

    def with_reference(self, most: int) -> list[int]:
        """Return the current items that came with a reference, so many of the oldest at most."""
        query = f"SELECT i.key FROM {WITH_REFERENCE} ORDER BY i.key LIMIT ?"
        return [key for (key,) in self._traffic.execute(query, (most,))]

    def _scalar(self, query: str) -> int:
        return int(self._traffic.execute(query).fetchone()[0])


def read_items(db: Database, keys: Sequence[int]) -> dict[int, Item]:
    """Return the items in these rows, with their texts."""
    items: dict[int, Item] = {}
    for start in range(0, len(keys), 1000):
        batch = keys[start : start + 1000]
        rows = (
            of_traffic(db)
            .about(batch)
            .execute(
                f"SELECT {ITEM_COLUMNS}, {TEXT_COLUMNS} FROM items i JOIN texts t USING (key) "
                f"WHERE key IN ({', '.join('?' * len(batch))})",
                list(batch),
            )
        )
        items |= {row[0]: item_from_row(row) for row in rows}
    return items
