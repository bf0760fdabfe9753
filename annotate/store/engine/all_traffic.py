"""Ask of all traffic, wherever it lies: the one door to every item with its texts, scores and verdicts.

What the ledger keeps of the sample (draws, labels, gold) is asked of the ledger itself. Traffic lies in the ledger's own
tables (`LedgerTraffic`), or in a lake (`annotate.store.lake`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Bound = Sequence[Any] | Mapping[str, Any]
Row = tuple[Any, ...]

ITEM_COLUMNS = 17
INSERT_ITEM = f"INSERT INTO items VALUES ({', '.join('?' * ITEM_COLUMNS)})"
INSERT_TEXT = "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
SUPERSEDE = "UPDATE items SET is_current = 0 WHERE key = ?"
EDIT_ITEM = 'UPDATE items SET rest_hash = ?, timestamp = ?, "group" = coalesce(?, question), language = ? WHERE key = ?'
EDIT_TEXT = "UPDATE texts SET context_details = ?, reference = ?, metadata = ? WHERE key = ?"
# An item has one outcome of a judge, a score or a failure.
INSERT_SCORE = """
    INSERT OR IGNORE INTO scores SELECT ?1, ?2, ?3, ?4, ?5, ?6
    WHERE NOT EXISTS (SELECT 1 FROM failures WHERE judge = ?1 AND item = ?2)
"""
INSERT_FAILURE = """
    INSERT OR IGNORE INTO failures SELECT ?1, ?2, ?3, ?4, ?5, ?6
    WHERE NOT EXISTS (SELECT 1 FROM scores WHERE judge = ?1 AND item = ?2)
"""
INSERT_DETAIL = """
    INSERT OR IGNORE INTO details SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM {table} WHERE judge = ?1 AND item = ?2)
"""
SCORED = "SELECT item FROM scores WHERE judge = ? AND item IN (SELECT value FROM json_each(?))"
PUT_VERDICT = "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)"
FORGET_OUTCOME = "DELETE FROM {table} WHERE judge = ? AND item = ?"
FORGET_VERDICTS = """
    DELETE FROM verdicts WHERE item = ?2 AND rule IN (SELECT r.key FROM rules r JOIN judges j ON j.key = ?1
    WHERE EXISTS (SELECT 1 FROM json_each(r.signatures) s WHERE s.key = j.judge AND s.value = j.signature))
"""


class TrafficRows(Protocol):
    """The rows of a query, read as they are asked for."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows."""

    def fetchone(self) -> Any:
        """Return the next row; None at the end."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return so many of the next rows; none at the end."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""


class KeyRange(NamedTuple):
    """The rows of items from the first to the last, both included."""

    first: int
    last: int

    @property
    def among(self) -> str:
        """The SQL condition on an item `i`."""
        return f"i.key BETWEEN {self.first:d} AND {self.last:d}"


class Edit(NamedTuple):
    """What may change of an item without making it another one, as columns hold it; `group` is None without one of its own."""

    key: int
    rest_hash: bytes
    timestamp: str | None
    group: str | None
    language: str | None
    details: str
    reference: str | bytes | None
    metadata: str


class Change(NamedTuple):
    """What is about to change of these items: verdicts of rules, scores of judges, their groups or their feedback."""

    items: Sequence[int]
    rules: frozenset[int] = frozenset()
    judges: frozenset[int] = frozenset()
    is_of_groups: bool = False
    is_of_feedback: bool = False


BeforeChange = Callable[[Change], object]


def _nothing(change: Change, /) -> None:
    """Do nothing before a change."""


class AllTraffic(Protocol):
    """Items, texts, scores, details and verdicts: SQL over them beside the tables of the ledger, and what writes them.

    Rows are as the columns of the tables. Whatever writes is called inside a transaction of the ledger. `before_change` is
    called before scores, verdicts or groups of items change.
    """

    before_change: BeforeChange

    @property
    def rows_at_once(self) -> int:
        """How many rows are best read or written at once, where more than a batch are."""

    def execute(self, query: str, bound: Bound = (), /) -> TrafficRows:
        """Return the rows of a query that only reads."""

    def execute_among(self, among: KeyRange, query: str, bound: Bound = (), /) -> TrafficRows:
        """Return the rows of a query that asks of these items alone."""

    def perhaps_known(self, ids: Sequence[str], /) -> list[str]:
        """Return those of these ids that may be there; all where it costs nothing to ask."""

    def scored(self, judge: int, items: Sequence[int], /) -> set[int]:
        """Return those of these items that the judge has scored."""

    def add_items(self, items: Sequence[Row], texts: Sequence[Row]) -> None:
        """Add items with their texts."""

    def supersede(self, keys: Sequence[int]) -> None:
        """Mark items as current no more."""

    def edit_items(self, edits: Sequence[Edit]) -> None:
        """Change what may change of items, each of which comes once."""

    def add_scores(self, scores: Sequence[Row], details: Sequence[Row]) -> None:
        """Add scores of items that have no outcome of that judge, with their details; of others they are left out."""

    def add_failures(self, failures: Sequence[Row], details: Sequence[Row]) -> None:
        """Add failures on items that have no outcome of that judge, with their details; others are left out."""

    def put_verdicts(self, verdicts: Sequence[Row]) -> None:
        """Write verdicts, in place of those that are there."""

    def forget_outcomes(self, outcomes: Iterable[tuple[int, int]]) -> None:
        """Remove the scores of these judges on these items, with their details and the verdicts that rest on them."""

    def about(self, keys: Sequence[int], /) -> AllTraffic:
        """Return what answers for these items soonest: the ledger's own tables, where they have all of them."""

    def hold(self, keys: Sequence[int]) -> None:
        """Make sure that the ledger's own tables have these items, for what is labelled, gold or shown."""

    def hold_ids(self, ids: Sequence[str], *, every_revision: bool = False) -> None:
        """Do the same for the current items with these ids, or for all that ever had one."""

    def follow_held(self, keys: Sequence[int]) -> None:
        """Make these items, with what judges said of them, what the ledger's own tables have: texts were blanked there."""

    def rolled_back(self) -> None:
        """Take note that what was written in this transaction is not there after all."""

    def sweep(self, seconds: int) -> None:
        """Delete the files that were replaced so many seconds ago; call outside of a transaction."""

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the files that hold traffic, in words."""


def change_of_scores(scores: Sequence[Row]) -> Change:
    """Return the change that rows of scores are."""
    return Change([row[1] for row in scores], judges=frozenset(row[0] for row in scores))


def change_of_verdicts(verdicts: Sequence[Row]) -> Change:
    """Return the change that rows of verdicts are."""
    return Change([row[1] for row in verdicts], rules=frozenset(row[0] for row in verdicts))


def change_of_outcomes(ledger: sqlite3.Connection, outcomes: Sequence[tuple[int, int]]) -> Change:
    """Return the change that it is to remove outcomes of judges on items: verdicts of any rule may go with them."""
    rules = frozenset(rule for (rule,) in ledger.execute("SELECT key FROM rules")) if outcomes else frozenset()
    return Change([item for _, item in outcomes], rules=rules, judges=frozenset(judge for judge, _ in outcomes))


class LedgerTraffic:
    """The traffic in the ledger's own tables."""

    rows_at_once = 1

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.execute = connection.execute
        self.before_change: BeforeChange = _nothing

    def execute_among(self, among: KeyRange, query: str, bound: Bound = (), /) -> TrafficRows:
        """Return the rows of a query that asks of these items alone."""
        return self._connection.execute(query, bound)

    def perhaps_known(self, ids: Sequence[str], /) -> list[str]:
        """Return all of them: an index tells."""
        return list(ids)

    def scored(self, judge: int, items: Sequence[int], /) -> set[int]:
        """Return those of these items that the judge has scored."""
        return {item for (item,) in self._connection.execute(SCORED, (judge, json.dumps(list(items))))}

    def add_items(self, items: Sequence[Row], texts: Sequence[Row]) -> None:
        """Add items with their texts."""
        self._connection.executemany(INSERT_ITEM, items)
        self._connection.executemany(INSERT_TEXT, texts)

    def supersede(self, keys: Sequence[int]) -> None:
        """Mark items as current no more."""
        self._connection.executemany(SUPERSEDE, [(key,) for key in keys])

    def edit_items(self, edits: Sequence[Edit]) -> None:
        """Change what may change of items, each of which comes once."""
        self.before_change(Change([edit.key for edit in edits], is_of_groups=True))
        own = [(edit.rest_hash, edit.timestamp, edit.group, edit.language, edit.key) for edit in edits]
        self._connection.executemany(EDIT_ITEM, own)
        texts = [(edit.details, edit.reference, edit.metadata, edit.key) for edit in edits]
        self._connection.executemany(EDIT_TEXT, texts)

    def add_scores(self, scores: Sequence[Row], details: Sequence[Row]) -> None:
        """Add scores of items that have no outcome of that judge, with their details; of others they are left out."""
        self.before_change(change_of_scores(scores))
        self._connection.executemany(INSERT_SCORE, scores)
        self._connection.executemany(INSERT_DETAIL.format(table="scores"), details)

    def add_failures(self, failures: Sequence[Row], details: Sequence[Row]) -> None:
        """Add failures on items that have no outcome of that judge, with their details; others are left out."""
        self._connection.executemany(INSERT_FAILURE, failures)
        self._connection.executemany(INSERT_DETAIL.format(table="failures"), details)

    def put_verdicts(self, verdicts: Sequence[Row]) -> None:
        """Write verdicts, in place of those that are there."""
        self.before_change(change_of_verdicts(verdicts))
        self._connection.executemany(PUT_VERDICT, verdicts)

    def forget_outcomes(self, outcomes: Iterable[tuple[int, int]]) -> None:
        """Remove the scores of these judges on these items, with their details and the verdicts that rest on them."""
        rows = list(outcomes)
        self.before_change(change_of_outcomes(self._connection, rows))
        for table in ("scores", "failures", "details"):
            self._connection.executemany(FORGET_OUTCOME.format(table=table), rows)
        self._connection.executemany(FORGET_VERDICTS, rows)

    def about(self, keys: Sequence[int], /) -> LedgerTraffic:
        """Return this: every item is there."""
        return self

    def hold(self, keys: Sequence[int]) -> None:
        """Do nothing: every item is there."""

    def hold_ids(self, ids: Sequence[str], *, every_revision: bool = False) -> None:
        """Do nothing: every item is there."""

    def follow_held(self, keys: Sequence[int]) -> None:
        """Do nothing: they are the same."""

    def rolled_back(self) -> None:
        """Do nothing: SQLite has done it."""

    def sweep(self, seconds: int) -> None:
        """Do nothing: there are no other files."""

    def problems(self) -> Iterator[str]:
        """Yield nothing: there are no other files."""
        yield from ()
