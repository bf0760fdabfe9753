"""Cache which cell each current item lies in, so that counting after a new label needs no query over all items.

A cell is everything of an item that a count depends on but for what is predicted of it: its stratum, its verdicts, the part of
the traffic it lies in. Cells change with items, scores and waves; what is predicted changes with every label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.database import once
from annotate.store.engine.rollups import Rollups
from annotate.store.engine.sqlite import Database
from annotate.store.engine.stretches import stretches
from proxy.evaluation.levels import LEVELS, Levels

Cell = tuple[str | int | None, ...]
CellNumbers = NDArray[np.uint16] | NDArray[np.uint32]
SOURCES = ("items", "scores", "waves")
LENGTH = 8
BLOCK = 50_000


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


def cells_of_items(numbering: Numbering[Cell], blocks: Blocks, among: KeyRange) -> ItemCells:
    """Return the cells of the items in these rows, from blocks of their rows and the numbers of their cells."""
    by_item: CellNumbers = np.zeros(among.last - among.first + 1, dtype=np.uint16)
    for items, numbers in blocks:
        if len(numbering.places) > np.iinfo(by_item.dtype).max:
            by_item = by_item.astype(np.uint32)
        by_item[np.asarray(items, dtype=np.intp) - among.first] = numbers
    return ItemCells(list(numbering.places), by_item)


def cached_cells(db: Database, name: str, variant: str, find: Callable[[KeyRange], ItemCells]) -> ItemCells:
    """Return the cells of all items, merged from those of each stretch; of one name the last `variant` is cached.

    `find` gives the cells of some rows; those of a stretch are found again when its items, scores or frames have changed.
    """

    def make(among: KeyRange) -> Iterator[bytes]:
        cells = find(among)
        for stretch in stretches(among):
            yield _packed(_in_order(cells, stretch.first - among.first, stretch.last - among.first + 1))

    def merge() -> ItemCells:
        contents = Rollups(db).by_stretch(name, SOURCES, variant, make)
        return merged(_unpacked(content) for _, content in contents)

    return once(db, ("cells", name, variant), merge)


def merged(parts: Iterable[ItemCells]) -> ItemCells:
    """Join the cells of items that follow each other, numbered in the order in which they first come."""
    numbering = Numbering[Cell]()
    by_item: list[CellNumbers] = [np.zeros(0, dtype=np.uint16)]
    for part in parts:
        numbers = np.array([0, *numbering.of(part.cells)], dtype=np.uint32)
        is_narrow = len(numbering.places) <= np.iinfo(np.uint16).max
        by_item.append((numbers.astype(np.uint16) if is_narrow else numbers)[part.by_item])
    joined: NDArray[Any] = np.concatenate(by_item)
    return ItemCells(list(numbering.places), joined)


def _in_order(cells: ItemCells, first: int, last: int) -> ItemCells:
    """Return the cells of the items in places from `first` up to `last`, in the order in which these items have them."""
    numbers = cells.by_item[first:last]
    present, places = np.unique(numbers, return_index=True)
    ordered = [number for number in present[np.argsort(places)].tolist() if number]
    number_of = np.zeros(len(cells.cells) + 1, dtype=numbers.dtype)
    number_of[ordered] = np.arange(1, len(ordered) + 1)
    return ItemCells([cells.cells[number - 1] for number in ordered], number_of[numbers])


def _packed(cells: ItemCells) -> bytes:
    described = json.dumps([cells.by_item.dtype.str, cells.cells]).encode()
    return b"".join([len(described).to_bytes(LENGTH), described, cells.by_item.tobytes()])


def _unpacked(content: bytes) -> ItemCells:
    start = LENGTH + int.from_bytes(content[:LENGTH])
    kind, cells = json.loads(content[LENGTH:start])
    return ItemCells([tuple(cell) for cell in cells], np.frombuffer(content, dtype=kind, offset=start))
