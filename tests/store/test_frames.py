"""Frames of waves, packed: what goes in comes out, across the edges of blocks; chances and reach by hand."""

from __future__ import annotations

import numpy as np
import pytest

from annotate.store import Store
from annotate.store.engine.frame_blocks import BLOCK, Framed
from annotate.store.engine.frames import Frames
from proxy.errors import StoreError
from proxy.evaluation.ledger import Drawing
from support.store import NOW
from support.wave_frames import unpacked

EDGE = [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK]


def keys(*items: int) -> np.ndarray:
    return np.array(items, dtype=np.int64)


def codes(*places: int) -> np.ndarray:
    return np.array(places, dtype=np.uint8)


def drawing(wave: int, stratum: str) -> Drawing:
    return Drawing(wave, stratum, 10, 2, 2, 2)


@pytest.fixture
def store() -> Store:
    """A store with three waves that hold nothing yet."""
    store = Store(":memory:")
    execute = store._db.conn.execute
    execute("PRAGMA foreign_keys = OFF")
    for wave in (1, 2, 3):
        execute(
            "INSERT INTO waves (key, rule, seed, salt, labels, audit, at) VALUES (?, 1, 1, 'salt', 5, 0.0, ?)",
            (wave, NOW),
        )
    return store


@pytest.fixture
def frames(store: Store) -> Frames:
    """Wave 1 frames six items at the edges of blocks; wave 2 two of them in other strata, with chances of their own."""
    frames = Frames(store._db)
    frames.add(1, Framed(keys(*EDGE), ("failed", "passed"), codes(0, 1, 0, 1, 0, 1)))
    own = np.array([0.25, np.nan])
    frames.add(2, Framed(keys(2, BLOCK), ("failed", "disputed"), codes(1, 0), own))
    insert = "INSERT INTO strata (wave, stratum, size, drawn, is_fixed) VALUES (?, ?, ?, ?, ?)"
    store._db.conn.executemany(
        insert,
        [(1, "failed", 3, 1, 1), (1, "passed", 4, 1, 1), (2, "failed", 2, 1, 1), (2, "disputed", 1, 0, 0)],
    )
    return frames


def test_rows_come_out_as_they_went_in(store: Store, frames: Frames) -> None:
    """Read by the standard library alone, and by the store."""
    expected = [
        (1, 1, "failed", None),
        (2, 1, "passed", None),
        (2, 2, "disputed", 0.25),
        (BLOCK - 1, 1, "failed", None),
        (BLOCK, 1, "passed", None),
        (BLOCK, 2, "failed", None),
        (BLOCK + 1, 1, "failed", None),
        (3 * BLOCK, 1, "passed", None),
    ]

    assert sorted(unpacked(store._db.conn)) == expected
    assert [tuple(row) for row in frames.rows(keys(*EDGE, 3 * BLOCK + 5))] == expected
    assert [tuple(row) for row in frames.rows(keys(2, 7), last=1)] == [(2, 1, "passed", None)]


def test_the_latest_stratum_is_that_of_the_last_wave_that_framed_the_item(frames: Frames) -> None:
    strata = frames.latest(keys(2, 5, BLOCK, BLOCK + 1), last=3)

    assert [strata.names[code] for code in strata.codes] == ["disputed", None, "failed", "failed"]
    before = frames.latest(keys(2, BLOCK), last=1)
    assert [before.names[code] for code in before.codes] == ["passed", "passed"]


def test_labels_reach_what_any_wave_framed_in_a_stratum_that_has_some(frames: Frames) -> None:
    items = keys(1, 2, 5, BLOCK)

    assert frames.reachable(items, 2, [drawing(1, "passed")]).tolist() == [False, True, False, True]
    assert frames.reachable(items, 2, [drawing(2, "failed")]).tolist() == [False, False, False, True]
    assert frames.reachable(items, 1, [drawing(2, "failed")]).tolist() == [False] * 4
    assert frames.reachable(items, 2, []).tolist() == [False] * 4
    assert frames.reachable(items, 2, None).tolist() == [True] * 4


def test_the_chance_of_any_wave_is_one_less_that_of_being_missed_by_all(frames: Frames) -> None:
    """Item 1: 1/3. Item 2: 1 - 3/4 x 3/4, by its own chance in wave 2. Item BLOCK: 1 - 3/4 x 1/2. Item 5: in no frame."""
    chances = frames.of_any(keys(1, 2, 5, BLOCK))

    assert chances[[0, 1, 3]] == pytest.approx([1 / 3, 1 - 9 / 16, 1 - 3 / 8])
    assert np.isnan(chances[2])


def test_a_frame_grows_and_keeps_what_it_had(frames: Frames) -> None:
    """As that of a stream does, with strata that come later."""
    frames.add(3, Framed(keys(4), ("passed",), codes(0), np.array([0.5])))
    frames.add(3, Framed(keys(5), ("failed",), codes(0), np.array([0.75])))

    assert [tuple(row) for row in frames.rows(keys(4, 5))] == [(4, 3, "passed", 0.5), (5, 3, "failed", 0.75)]


def test_an_item_stands_once_in_a_frame(frames: Frames) -> None:
    for again in (keys(2), keys(9, 9)):
        with pytest.raises(ValueError, match="twice"):
            frames.add(2, Framed(again, ("failed",), codes(*[0] * len(again))))


def test_a_damaged_frame_is_an_error_that_says_what_to_do(store: Store, frames: Frames) -> None:
    store._db.conn.execute("UPDATE frame_blocks SET strata = X'00' WHERE wave = 2")

    with pytest.raises(StoreError, match="wave 2 is damaged: restore a backup"):
        frames.latest(keys(2), 2)


def test_a_frame_takes_less_than_a_byte_an_item(store: Store) -> None:
    """Half a million items in five strata at random: the entropy of five equal parts is 2.3 bits."""
    count = 500_000
    places = np.random.default_rng(3).integers(0, 5, count).astype(np.uint8)
    Frames(store._db).add(1, Framed(np.arange(1, count + 1), ("a", "b", "c", "d", "e"), places))

    size = store._db.conn.execute("SELECT sum(length(strata)) FROM frame_blocks").fetchone()[0]
    assert size < 0.5 * count
