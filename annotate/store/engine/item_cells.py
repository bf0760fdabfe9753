"""Keep the cell of every current item, so that new labels, which change only what is predicted, need no new query over items.

A cell is all that counts of an item: its stratum, its verdicts, the part of the traffic it lies in. The cells change with items,
scores and waves, the levels of what is predicted with every label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.rollups import Rollups
from annotate.store.engine.sqlite import Database
from proxy.evaluation.levels import LEVELS, Levels

Cell = tuple[str | int | None, ...]
Numbers = NDArray[np.uint32]
SOURCES = ("items", "scores", "waves")
COUNTED = "SELECT coalesce(max(key), 0) + 1 FROM items"
LENGTH = 8


class ItemCells(NamedTuple):
    """The cells, and for each item by its row the place of its own among them, from 1; 0 for an item that is not current."""

    cells: Sequence[Cell]
    by_item: Numbers

    def sizes(self, levels: Levels) -> NDArray[np.int64]:
        """Count the items of each cell, a row a cell and a column a level."""
        rows = np.flatnonzero(self.by_item)
        codes = (self.by_item[rows].astype(np.int64) - 1) * LEVELS + levels[rows]
        return np.bincount(codes, minlength=len(self.cells) * LEVELS).reshape(-1, LEVELS)


Key = TypeVar("Key", bound=Hashable)


class Numbering(Generic[Key]):
    """Numbers cells, from 1, in the order in which they first come."""

    def __init__(self) -> None:
        self.places: dict[Key, int] = {}

    def of(self, cells: Sequence[Key]) -> list[int]:
        """Return the number of each of these."""
        places = self.places
        return [places.get(cell) or places.setdefault(cell, len(places) + 1) for cell in cells]


Blocks = Iterator[tuple[Sequence[int] | NDArray[np.int64], Sequence[int] | NDArray[np.int64]]]


def gathered(db: Database, numbering: Numbering[Cell], blocks: Blocks) -> ItemCells:
    """Gather the cells of all items from blocks of rows and the numbers of their cells."""
    by_item = np.zeros(int(db.conn.execute(COUNTED).fetchone()[0]), dtype=np.uint32)
    for items, numbers in blocks:
        by_item[np.asarray(items, dtype=np.intp)] = numbers
    return ItemCells(list(numbering.places), by_item)


def kept(db: Database, name: str, question: str, gather: Callable[[], ItemCells]) -> ItemCells:
    """Return what `gather` gave when items, scores or waves last changed."""

    def make() -> bytes:
        cells = gather()
        described = json.dumps(cells.cells).encode()
        return len(described).to_bytes(LENGTH) + described + cells.by_item.tobytes()

    content = Rollups(db).content(name, SOURCES, question, make)
    start = LENGTH + int.from_bytes(content[:LENGTH])
    cells = [tuple(cell) for cell in json.loads(content[LENGTH:start])]
    return ItemCells(cells, np.frombuffer(content[start:], dtype=np.uint32))
