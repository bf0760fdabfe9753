"""Remove outcomes of judges that read a reference or relevant ids which have changed since.

A score says something of an item and its reference; with another reference it is a score of something else. Verdicts that rest
on it go with it, and come back with the next score.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from annotate.store.engine.database import of_traffic
from annotate.store.engine.rollups import changed
from annotate.store.engine.sqlite import Database

# Outcomes of these judges on items without a reference of their own, no newer than the item's time.
OLDER = """
    SELECT o.judge, o.item FROM json_each(:changes) c JOIN texts t ON t.key = c.value ->> 0 CROSS JOIN json_each(:judges) j
    CROSS JOIN {table} o ON o.judge = j.value AND o.item = t.key
    WHERE o.at <= c.value ->> 1 AND trim(coalesce(t.reference, '')) = ''
"""


class FieldReaders(NamedTuple):
    """The names of the judges that read a field which may be edited without making the item another one."""

    reference: frozenset[str] = frozenset()
    relevant_ids: frozenset[str] = frozenset()


NO_READERS = FieldReaders()


def forget_edited(db: Database, judges: Collection[str], item: int) -> None:
    """Remove the outcomes that judges of these names have on an item, whatever their signature."""
    query = "SELECT key FROM judges WHERE judge IN (SELECT value FROM json_each(?))"
    forget(db, [(key, item) for (key,) in db.conn.execute(query, (json.dumps(sorted(judges)),))] if judges else ())


def forget_older(db: Database, judges: Collection[int], changes: Mapping[int, str]) -> int:
    """Remove what these judges made of items whose reference from the gold set changed at the given times; return how many."""
    bound = {"judges": json.dumps(sorted(judges)), "changes": json.dumps(list(changes.items()))}
    rows = [row for table in ("scores", "failures") for row in db.conn.execute(OLDER.format(table=table), bound)]
    forget(db, rows)
    return len(rows)


def forget(db: Database, outcomes: Iterable[tuple[int, int]]) -> None:
    """Remove the outcomes of these judges on these items, both by row."""
    rows = list(outcomes)
    if rows:
        of_traffic(db).forget_outcomes(rows)
        changed(db, "scores", [item for _, item in rows])
