"""Counting the cells of items: the same numbers block by block, and no more memory for more items."""

import tracemalloc

import numpy as np

from annotate.store import Store
from annotate.store.engine.item_cells import BLOCK, ItemCells, Numbering, cached_cells, cells_of_items
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


def test_cells_are_read_back_as_they_were_cached() -> None:
    cells, _ = made(1000)
    db = Store(":memory:").scores.totals._db
    first, again = (cached_cells(db, "name", "question", lambda: cells) for _ in range(2))
    for known in (first, again):
        assert list(known.cells) == CELLS
        assert known.by_item.dtype == np.uint16
        assert np.array_equal(known.by_item, cells.by_item)


def test_numbers_become_wider_where_there_are_many_cells() -> None:
    count = 2**16 + 10
    numbering = Numbering()
    blocks = (
        (rows, numbering.of([(int(row),) for row in rows]))
        for rows in np.array_split(np.arange(count), count // BLOCK + 1)
    )
    db = Store(":memory:").scores.totals._db
    db.conn.execute(
        'INSERT INTO items (key, id, revision, is_current, content_hash, rest_hash, "group", question_chars, contexts, '
        "contexts_chars, answer_chars, ingested_at) VALUES (?, 'i', 1, 1, x'', x'', '', 0, 0, 0, 0, '')",
        (count - 1,),
    )
    cells = cells_of_items(db, numbering, blocks)
    assert np.array_equal(cells.by_item, np.arange(1, count + 1))
