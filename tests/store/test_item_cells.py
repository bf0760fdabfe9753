"""Counting the cells of items: the same numbers block by block, and no more memory for more items."""

import tracemalloc

import numpy as np

from annotate.store import Store
from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.item_cells import BLOCK, SOURCES, ItemCells, Numbering, cached_cells, cells_of_items, merged
from annotate.store.engine.rollups import changed
from annotate.store.engine.stretches import BITS
from proxy.evaluation.levels import LEVELS

CELLS = [("stratum", place) for place in range(7)]


def counted(cells: ItemCells, levels: np.ndarray) -> np.ndarray:
    """Count one by one."""
    sizes = np.zeros((len(cells.cells), LEVELS), dtype=np.int64)
    current = cells.by_item > 0
    np.add.at(sizes, (cells.by_item[current].astype(np.int64) - 1, levels[current]), 1)
    return sizes


def made(items: int) -> tuple[ItemCells, np.ndarray]:
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, len(CELLS) + 1, items).astype(np.uint16)
    return ItemCells(CELLS, numbers), rng.integers(0, LEVELS, items).astype(np.uint8)


def test_every_current_item_counts_once_whatever_the_number_of_blocks() -> None:
    cells, levels = made(2 * BLOCK + 1)
    assert np.array_equal(cells.sizes(levels), counted(cells, levels))
    rows = np.array([0, BLOCK - 1, BLOCK, 2 * BLOCK])
    assert cells.sizes(levels, rows).sum() == (cells.by_item[rows] > 0).sum()


def test_counting_takes_no_more_memory_for_more_items() -> None:
    peaks = []
    for items in (2 * BLOCK, 16 * BLOCK):
        cells, levels = made(items)
        tracemalloc.start()
        cells.sizes(levels)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def cell_of(cells: ItemCells) -> list[object]:
    """Return the cell of each item, and None where an item has no cell."""
    return [cells.cells[number - 1] if number else None for number in cells.by_item.tolist()]


def with_items(last: int) -> Store:
    """A store whose last item lies in this row."""
    store = Store(":memory:")
    store.scores.totals._db.conn.execute(
        'INSERT INTO items (key, id, revision, is_current, content_hash, rest_hash, "group", question_chars, contexts, '
        "contexts_chars, answer_chars, ingested_at) VALUES (?, 'i', 1, 1, x'', x'', '', 0, 0, 0, 0, '')",
        (last,),
    )
    return store


def test_cells_are_merged_from_those_of_stretches_and_found_again_where_items_changed() -> None:
    """Twenty stretches: read at once eight at a time, kept each by itself, and only what changed is found again."""
    items = 20 << BITS
    cells, _ = made(items)
    db, asked = with_items(items - 1).scores.totals._db, list[KeyRange]()

    def find(among: KeyRange) -> ItemCells:
        asked.append(among)
        return ItemCells(cells.cells, cells.by_item[among.first : among.last + 1])

    for source in SOURCES:
        changed(db, source, range(items))
    first = cached_cells(db, "name", "question", find)
    assert len(asked) == 3
    assert first.by_item.dtype == np.uint16
    assert cell_of(first) == cell_of(cells)
    # Numbered as they first come, whatever was read at once.
    present = [number for number in dict.fromkeys(cells.by_item.tolist()) if number]
    assert list(first.cells) == [CELLS[number - 1] for number in present]

    asked.clear()
    changed(db, "scores", [5 << BITS, (7 << BITS) + 3])
    cells.by_item[5 << BITS] = 1 + cells.by_item[5 << BITS] % len(CELLS)
    again = cached_cells(db, "name", "question", find)
    assert [(among.first >> BITS, among.last >> BITS) for among in asked] == [(5, 5), (7, 7)]
    assert cell_of(again) == cell_of(cells) != cell_of(first)


def test_numbers_become_wider_where_there_are_many_cells() -> None:
    count = 2**16 + 10
    numbering = Numbering()
    blocks = (
        (rows, numbering.of([(int(row),) for row in rows]))
        for rows in np.array_split(np.arange(count), count // BLOCK + 1)
    )
    cells = cells_of_items(numbering, blocks, KeyRange(0, count - 1))
    assert np.array_equal(cells.by_item, np.arange(1, count + 1))
    joined = merged([cells, cells])
    assert np.array_equal(joined.by_item, np.concatenate([cells.by_item, cells.by_item]))
