"""All traffic in a lake: what is written becomes new parts, and what is asked DuckDB reads from them.

The ledger holds, in tables of the same names, the rows of those items that were drawn, labelled or are in the gold set, so that
whatever starts from the sample never leaves it. A part is written before the ledger lists it: what a killed process leaves
behind is a file that nobody reads.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from annotate.store.engine.all_traffic import (
    AllTraffic,
    BeforeChange,
    Bound,
    Change,
    Edit,
    KeyRange,
    LedgerTraffic,
    Row,
    TrafficRows,
    change_of_outcomes,
    change_of_scores,
    change_of_verdicts,
)
from annotate.store.engine.database import atomic
from annotate.store.engine.sqlite import Database
from annotate.store.lake.kinds import OF_TEXTS, TABLES, as_text, table_of
from annotate.store.lake.known_ids import KnownIds
from annotate.store.lake.manifest import ListedPart, Manifest
from annotate.store.lake.parts import Lake
from annotate.store.lake.queries import LakeQueries
from annotate.store.lake.scored_items import ScoredItems
from annotate.store.lake.upkeep import Upkeep
from proxy.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

HELD_IDS = """
    SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?))
    UNION SELECT item_id FROM feedback WHERE item_id IN (SELECT value FROM json_each(?))
"""
HELD = "SELECT key FROM items WHERE key IN (SELECT value FROM json_each(?))"
# A judge or rule has parts of its own; the rows of items stand by the day on which they were answered.
OWNERS = {"scores": "judge", "details": "judge", "verdicts": "rule"}
DAY = 10
# Whoever reads a file that was replaced meanwhile is done with it by then.
SECONDS_READ = 900
LEAST_AT_ONCE, MOST_AT_ONCE, BATCHES = 20_000, 100_000, 50


class LakeTraffic:
    """Items, texts, scores, details and verdicts in the parts that the ledger lists."""

    def __init__(self, db: Database, address: str, *, is_copy: bool = False) -> None:
        self._db = db
        self._is_copy = is_copy
        self._lake = Lake.open(address)
        self._manifest = Manifest(db)
        self._upkeep = Upkeep(self._lake, self._manifest)
        self._held = LedgerTraffic(db.conn)
        self._queries = LakeQueries(db, self._lake)
        self._scored = ScoredItems(db, self._queries.numbers)
        self._ids = KnownIds(db, self._queries.connection(), self._queries.numbers)
        self.before_change: BeforeChange = self._held.before_change

    @property
    def rows_at_once(self) -> int:
        """How many rows are best read or written at once: as a batch reads columns of all items, batches grow with the lake."""
        return min(max(LEAST_AT_ONCE, self._manifest.items() // BATCHES), MOST_AT_ONCE)

    def execute(self, query: str, bound: Bound = (), /) -> TrafficRows:
        """Return the rows of a query that only reads."""
        return self._queries.execute(query, bound)

    def execute_among(self, among: KeyRange, query: str, bound: Bound = (), /) -> TrafficRows:
        """Return the rows of a query that asks of these items alone: other parts are not opened."""
        return self._queries.execute(query, bound, among=among)

    def rolled_back(self) -> None:
        """Forget what was noted of rows that are not there after all."""
        self._scored.forget()

    def perhaps_known(self, ids: Sequence[str], /) -> list[str]:
        """Return those of these ids that may be there."""
        return self._ids.among(ids)

    def scored(self, judge: int, items: Sequence[int], /) -> set[int]:
        """Return those of these items that the judge has scored."""
        return self._scored.among(judge, items)

    def add_items(self, items: Sequence[Row], texts: Sequence[Row]) -> None:
        """Add items with their texts, a part a day; those of an id that the ledger holds or has feedback on are held, too."""
        self._write_items(table_of("items", items, texts))
        self._ids.add([row[1] for row in items])
        names = json.dumps([row[1] for row in items])
        held_ids = {name for (name,) in self._db.conn.execute(HELD_IDS, (names, names))}
        of_held = [place for place, row in enumerate(items) if row[1] in held_ids]
        self._held.add_items([items[place] for place in of_held], [texts[place] for place in of_held])

    def supersede(self, keys: Sequence[int]) -> None:
        """Mark items as current no more."""
        self._set(keys, {"is_current": dict.fromkeys(keys, 0)})
        self._held.supersede(self._held_of(keys))

    def edit_items(self, edits: Sequence[Edit]) -> None:
        """Change what may change of items, each of which comes once."""
        keys = [edit.key for edit in edits]
        # Without a group of its own an item is grouped with those that ask the same question.
        query = "SELECT key, question FROM items WHERE key IN (SELECT value FROM json_each(?))"
        questions = dict(self.execute(query, (json.dumps(keys),)).fetchall()) if keys else {}
        self.before_change(Change(keys, is_of_groups=True))
        changes: dict[str, dict[int, Any]] = {
            "rest_hash": {edit.key: edit.rest_hash for edit in edits},
            "timestamp": {edit.key: edit.timestamp for edit in edits},
            "group": {edit.key: questions[edit.key] if edit.group is None else edit.group for edit in edits},
            "language": {edit.key: edit.language for edit in edits},
            f"{OF_TEXTS}context_details": {edit.key: edit.details for edit in edits},
            f"{OF_TEXTS}reference": {edit.key: as_text(edit.reference) for edit in edits},
            f"{OF_TEXTS}metadata": {edit.key: edit.metadata for edit in edits},
        }
        self._set(keys, changes)
        held = set(self._held_of(keys))
        self._held.edit_items([edit for edit in edits if edit.key in held])

    def add_scores(self, scores: Sequence[Row], details: Sequence[Row]) -> None:
        """Add scores of items that have no outcome of that judge, with their details; of others they are left out."""
        done = self._outcomes(scores)
        new = list({row[:2]: row for row in reversed(scores) if row[:2] not in done}.values())[::-1]
        added = {row[:2] for row in new}
        self.before_change(change_of_scores(new))
        self._add("scores", new)
        for judge in {row[0] for row in new}:
            self._scored.add(judge, [row[1] for row in new if row[0] == judge])
        self._add("details", [row for row in details if row[:2] in added])
        held = set(self._held_of([row[1] for row in new]))
        of_held = [row for row in details if row[:2] in added and row[1] in held]
        self._held.add_scores([row for row in new if row[1] in held], of_held)

    def add_failures(self, failures: Sequence[Row], details: Sequence[Row]) -> None:
        """Add failures on items that have no outcome of that judge, with their details; others are left out."""
        done = self._outcomes(failures)
        new = [row for row in failures if row[:2] not in done]
        added = {row[:2] for row in new}
        self._held.add_failures(new, [row for row in details if row[:2] in added])

    def put_verdicts(self, verdicts: Sequence[Row]) -> None:
        """Write verdicts, in place of those that are there."""
        self.before_change(change_of_verdicts(verdicts))
        by_rule = defaultdict[int, list[int]](list)
        for rule, item, *_ in verdicts:
            by_rule[rule].append(item)
        for rule, items in by_rule.items():
            self._drop_rows("verdicts", rule, items)
        self._add("verdicts", verdicts)
        held = set(self._held_of([row[1] for row in verdicts]))
        self._held.put_verdicts([row for row in verdicts if row[1] in held])

    def forget_outcomes(self, outcomes: Iterable[tuple[int, int]]) -> None:
        """Remove the scores of these judges on these items, with their details and the verdicts that rest on them."""
        pairs = list(outcomes)
        self.before_change(change_of_outcomes(self._db.conn, pairs))
        by_judge = defaultdict[int, list[int]](list)
        for judge, item in pairs:
            by_judge[judge].append(item)
        for judge, items in by_judge.items():
            self._drop_rows("scores", judge, items)
            self._drop_rows("details", judge, items)
            for rule in self._rules_reading(judge):
                self._drop_rows("verdicts", rule, items)
        self._held.forget_outcomes(pairs)
        self._scored.forget()

    def about(self, keys: Sequence[int], /) -> AllTraffic:
        """Return what answers for these items soonest: the ledger's own tables, where they have all of them."""
        return self._held if len(self._held_of(keys)) == len(set(keys)) else self

    def hold(self, keys: Sequence[int]) -> None:
        """Copy these items with their scores and verdicts to the ledger's own tables, where they are not yet."""
        missing = sorted(set(keys).difference(self._held_of(keys)))
        if not missing:
            return
        listed = json.dumps(missing)
        among = "IN (SELECT value FROM json_each(?))"
        for table, column in (
            ("items", "key"),
            ("texts", "key"),
            ("scores", "item"),
            ("details", "item"),
            ("verdicts", "item"),
        ):
            columns = ", ".join(f'"{known.name}"' for known in TABLES[table])
            rows = self.execute(f"SELECT {columns} FROM {table} WHERE {column} {among} ORDER BY {column}", (listed,))
            marks = ", ".join("?" * len(TABLES[table]))
            self._db.conn.executemany(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", rows)

    def hold_ids(self, ids: Sequence[str], *, every_revision: bool = False) -> None:
        """Do the same for the current items with these ids, or for all that ever had one."""
        which = "" if every_revision else "is_current AND "
        query = f"SELECT key FROM items WHERE {which}id IN (SELECT value FROM json_each(?))"
        self.hold([key for (key,) in self.execute(query, (json.dumps(list(ids)),))])

    def follow_held(self, keys: Sequence[int]) -> None:
        """Make these items, with what judges said of them, what the ledger's own tables have: texts were blanked there."""
        if self._is_copy or not keys:
            return
        self._replace("items", 0, keys)
        for kind in ("scores", "details"):
            for owner in {listed.owner for listed in self._manifest.parts(kind)}:
                self._replace(kind, owner, keys)

    def _replace(self, kind: str, owner: int, keys: Sequence[int]) -> None:
        """Write the rows of these items in the parts of a judge, or of all items, as the ledger has them."""
        column, of_owner = ("key", "") if kind == "items" else ("item", f" AND {OWNERS[kind]} = {owner:d}")
        among = f"WHERE {column} IN (SELECT value FROM json_each(?)){of_owner} ORDER BY {column}"
        rows = self._held_rows(kind, among, keys)
        texts = self._held_rows("texts", among, keys) if kind == "items" else []
        self._drop_rows(kind, owner, keys)
        if kind == "items":
            self._write_items(table_of(kind, rows, texts))
        else:
            self._add(kind, rows)

    def _held_rows(self, table: str, condition: str, keys: Sequence[int]) -> list[Row]:
        columns = ", ".join(f'"{column.name}"' for column in TABLES[table])
        return self._db.conn.execute(f"SELECT {columns} FROM {table} {condition}", (json.dumps(list(keys)),)).fetchall()

    def sweep(self, seconds: int) -> None:
        """Delete the files that were replaced so many seconds ago; call outside of a transaction."""
        self._upkeep.sweep(seconds)

    def tidy(self) -> None:
        """Make one of many small files, and delete what was replaced long ago; call outside of a transaction."""
        with suppress(sqlite3.OperationalError):  # another process is writing: the next that opens the store does it
            if self._upkeep.is_due():
                with atomic(self._db):
                    self._upkeep.merge()
            self._upkeep.sweep(SECONDS_READ)

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the files that hold traffic, in words."""
        for listed in self._manifest.all():
            try:
                self._lake.check(listed.part)
            except StoreError as error:
                yield str(error)

    def _held_of(self, keys: Sequence[int]) -> list[int]:
        return [key for (key,) in self._db.conn.execute(HELD, (json.dumps(list(keys)),))] if keys else []

    def _rules_reading(self, judge: int) -> list[int]:
        query = (
            "SELECT r.key FROM rules r JOIN judges j ON j.key = ? WHERE EXISTS (SELECT 1 FROM json_each(r.signatures) s "
            "WHERE s.key = j.judge AND s.value = j.signature)"
        )
        return [rule for (rule,) in self._db.conn.execute(query, (judge,))]

    def _outcomes(self, rows: Sequence[Row]) -> set[tuple[int, int]]:
        """Return the judge and item of those of these rows that have an outcome already."""
        done = set[tuple[int, int]]()
        by_judge = defaultdict[int, list[int]](list)
        for judge, item, *_ in rows:
            by_judge[judge].append(item)
        for judge, items in by_judge.items():
            done.update((judge, item) for item in self._scored.among(judge, items))
            query = "SELECT item FROM failures WHERE judge = ? AND item IN (SELECT value FROM json_each(?))"
            done.update((judge, item) for (item,) in self._db.conn.execute(query, (judge, json.dumps(items))))
        return done

    def _add(self, kind: str, rows: Sequence[Row]) -> None:
        """Write rows as a part of each judge or rule that they are of."""
        by_owner = defaultdict[int, list[Row]](list)
        for row in rows:
            by_owner[row[0]].append(row)
        for owner, of_owner in by_owner.items():
            of_owner.sort(key=lambda row: row[1])
            self._write(kind, owner, table_of(kind, of_owner), [(OWNERS[kind], str(owner))])

    def _write_items(self, table: pa.Table) -> None:
        """Write items as a part for each day on which they were answered, as far as that is known."""
        by_day = defaultdict[str | None, list[int]](list)
        for place, timestamp in enumerate(table.column("timestamp").to_pylist()):
            by_day[_day(timestamp)].append(place)
        for day, places in by_day.items():
            self._write("items", 0, table.take(places), [("date", day)])

    def _write(self, kind: str, owner: int, table: pa.Table, partition: Sequence[tuple[str, str | None]]) -> None:
        if not table.num_rows:
            return
        items = table.column("key" if kind == "items" else "item").to_numpy()
        part = self._lake.write(table, kind, partition)
        self._manifest.add(ListedPart(part, kind, owner, int(items.min()), int(items.max())))

    def _holding(self, kind: str, owner: int, keys: Sequence[int]) -> Iterator[tuple[ListedPart, pa.Table]]:
        """Yield the parts that may hold rows of these items, with what they hold."""
        if not keys:
            return
        asked = np.unique(np.array(keys, dtype=np.int64))
        for listed in self._manifest.parts(kind, owner):
            place = np.searchsorted(asked, listed.first_item)
            if place < len(asked) and asked[place] <= listed.last_item:
                yield listed, self._lake.read(listed.part)

    def _drop_rows(self, kind: str, owner: int, items: Sequence[int]) -> None:
        """Write the parts that hold rows of these items anew, without them."""
        for listed, table in self._holding(kind, owner, items):
            rows = table.column("key" if kind == "items" else "item").to_numpy()
            is_kept = ~np.isin(rows, np.array(items, dtype=np.int64))
            if is_kept.all():
                continue
            self._manifest.drop([listed])
            if kind == "items":
                self._write_items(table.filter(is_kept))
            else:
                self._write(kind, owner, table.filter(is_kept), [(OWNERS[kind], str(owner))])

    def _set(self, keys: Sequence[int], changes: dict[str, dict[int, Any]]) -> None:
        """Write the parts that hold these items anew, with other values in some columns."""
        import pyarrow as pa

        for listed, table in self._holding("items", 0, keys):
            known = table.column("key").to_pylist()
            if not set(known).intersection(keys):
                continue
            changed = table
            for name, values in changes.items():
                place = changed.schema.get_field_index(name)
                before = changed.column(name).to_pylist()
                column = [values.get(key, value) for key, value in zip(known, before, strict=True)]
                changed = changed.set_column(
                    place, changed.schema.field(place), pa.array(column, changed.schema.types[place])
                )
            self._manifest.drop([listed])
            self._write_items(changed)


def _day(timestamp: str | None) -> str | None:
    return None if timestamp is None else timestamp[:DAY]
