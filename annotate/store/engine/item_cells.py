"""Cache which cell each current item lies in, so that counting after a new label needs no query over all items.

A cell is everything of an item that a count depends on but for what is predicted of it: its stratum, its verdicts, the part of
the traffic it lies in. Cells change with items, scores and waves; what is predicted changes with every label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.database import of_traffic
from annotate.store.engine.rollups import Rollups
from annotate.store.engine.sqlite import Database
from proxy.evaluation.levels import LEVELS, Levels

Cell = tuple[str | int | None, ...]
CellNumbers = NDArray[np.uint16] | NDArray[np.uint32]
SOURCES = ("items", "scores", "waves")
NEXT_ITEM = "SELECT coalesce(max(key), 0) + 1 FROM items"
LENGTH = 8
BLOCK = 50_000
# Part of what is asked, so that numbers that an earlier version kept in another width are not read as these.
FORMAT = "numbers with their type"


class ItemCells(NamedTuple):
    """The cells, and for each item by its row the place of its own among them, from 1; 0 for an item that is not current."""

    cells: Sequence[Cell]
    by_item: CellNumbers

    def sizes(self, levels: Levels, among: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Count the items of each cell, of all or of those in these rows; a row a cell and a column a level."""
        counts = np.zeros(len(self.cells) * LEVELS, dtype=np.int64)
        for rows in self._blocks(among):
            numbers = self.by_item[rows]
            is_current = numbers > 0
            codes = (numbers[is_current].astype(np.int64) - 1) * LEVELS + levels[rows[is_current]]
            counts += np.bincount(codes, minlength=len(counts))
        return counts.reshape(-1, LEVELS)

    def _blocks(self, among: NDArray[np.int64] | None) -> Iterator[NDArray[np.int64]]:
        """Yield the rows in blocks: numbers of eight bytes for every item would be most of what counting needs."""
        count = len(self.by_item) if among is None else len(among)
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            yield np.arange(first, last, dtype=np.int64) if among is None else among[first:last]


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


def cells_of_items(db: Database, numbering: Numbering[Cell], blocks: Blocks) -> ItemCells:
    """Return the cells of all items, from blocks of their rows and the numbers of their cells."""
    by_item: CellNumbers = np.zeros(int(of_traffic(db).execute(NEXT_ITEM).fetchone()[0]), dtype=np.uint16)
    for items, numbers in blocks:
        if len(numbering.places) > np.iinfo(by_item.dtype).max:
            by_item = by_item.astype(np.uint32)
        by_item[np.asarray(items, dtype=np.intp)] = numbers
    return ItemCells(list(numbering.places), by_item)


def cached_cells(db: Database, name: str, variant: str, find: Callable[[], ItemCells]) -> ItemCells:
    """Return what `find` gave when items, scores or waves last changed; of one name the last `variant` is cached."""

    def make() -> bytes:
        cells = find()
        described = json.dumps([cells.by_item.dtype.str, cells.cells]).encode()
        return b"".join([len(described).to_bytes(LENGTH), described, cells.by_item.data])

    content = Rollups(db).content(name, SOURCES, f"{FORMAT} {variant}", make)
    start = LENGTH + int.from_bytes(content[:LENGTH])
    kind, cells = json.loads(content[LENGTH:start])
    return ItemCells([tuple(cell) for cell in cells], np.frombuffer(content, dtype=kind, offset=start))
