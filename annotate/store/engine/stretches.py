"""Part the rows of items into stretches: what is counted of one is kept by itself, so that a new day costs a day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.database import of_traffic, once
from annotate.store.engine.sqlite import Database

# A day of a million answers is sixty stretches; what an import of a hundred changes is at most this many items.
BITS = 14
# So many stretches that follow each other are read at once.
AT_ONCE = 8
NEXT_ITEM = "SELECT coalesce(max(key), 0) + 1 FROM items"


def next_item(db: Database) -> int:
    """Return a number above the row of every item."""
    return once(db, NEXT_ITEM, lambda: int(of_traffic(db).execute(NEXT_ITEM).fetchone()[0]))


def all_items(db: Database) -> KeyRange:
    """Return the rows of all items, from 0 on."""
    return KeyRange(0, next_item(db) - 1)


def number_of(stretch: KeyRange) -> int:
    """Return the number of a stretch."""
    return stretch.first >> BITS


def column() -> str:
    """Return the SQL of the number of the stretch in which an item `i` lies."""
    return f"i.key >> {BITS}"


def stretches(rows: KeyRange) -> Iterator[KeyRange]:
    """Yield the stretches of these rows, which begin with one; the last of them may end early."""
    for first in range(rows.first, rows.last + 1, 1 << BITS):
        yield KeyRange(first, min(first + (1 << BITS) - 1, rows.last))


def numbers_of(items: Iterable[int]) -> list[int]:
    """Return the numbers of the stretches in which these items lie."""
    keys = np.fromiter(items, dtype=np.int64)
    return [int(number) for number in np.unique(keys >> BITS)]
