"""Pack the frames of waves: a byte an item, the number of its stratum, in compressed blocks of rows of items.

Every wave frames all traffic, and a row an item and wave took 21 bytes. What is asked of frames is asked elsewhere
(`annotate.store.engine.frames`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.frame_definition import FrameDefinition
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError

BLOCK = 65_536
# Frames compress to a fifth at the fastest level; a slower one gains a tenth for three times the time.
LEVEL = 1
MOST_STRATA = 255
NOT_FRAMED = 0
DOUBLE = np.dtype("<f8")
DAMAGED = "the frame of wave {wave} is damaged: restore a backup"

Keys = NDArray[np.int64]
Codes = NDArray[np.uint8]
Numbers = NDArray[np.float64]


class Framed(NamedTuple):
    """Items of a frame by their rows: `codes` are places in `names`, the strata; `chances` are nan where the stratum tells them.

    Without `chances` no item has one of its own. `definition` is what gives all of this, as far as that is known.
    """

    keys: Keys
    names: Sequence[str]
    codes: Codes
    chances: Numbers | None = None
    definition: FrameDefinition | None = None


class FramedRow(NamedTuple):
    """An item in the frame of a wave; the chance is None where its stratum tells it."""

    item: int
    wave: int
    stratum: str
    chance: float | None


class FrameBlock(NamedTuple):
    """A block of a wave's frame: the number of each item's stratum, 0 for none, and own chances where any item has one."""

    codes: Codes
    chances: Numbers | None


def add(db: Database, wave: int, framed: Framed) -> None:
    """Add items to the frame of a wave; call inside a transaction. ValueError for an item that is in it already."""
    numbers = numbered(db, wave, framed.names)
    for number, places in by_block(framed.keys):
        inside = framed.keys[places] - number * BLOCK
        codes, chances = read(db, wave, number)
        if codes[inside].any() or len(np.unique(inside)) < len(inside):
            raise ValueError(f"an item stands twice in the frame of wave {wave}")
        codes[inside] = numbers[framed.codes[places]]
        if framed.chances is not None and not np.isnan(own := framed.chances[places]).all():
            chances = np.full(BLOCK, np.nan) if chances is None else chances
            chances[inside] = own
        db.conn.execute(
            "INSERT OR REPLACE INTO frame_blocks VALUES (?, ?, ?, ?)",
            (wave, number, _packed(codes), None if chances is None else _packed(chances.astype(DOUBLE))),
        )


def add_rows(db: Database, wave: int, rows: Iterable[tuple[int, str, float | None]]) -> None:
    """Add rows of item, stratum and own chance, in the order of the items, to the frame of a wave."""
    for _, block in groupby(rows, key=lambda row: row[0] // BLOCK):
        keys, strata, chances = zip(*block, strict=True)
        names, codes = np.unique(np.array(strata, dtype=np.str_), return_inverse=True)
        own = np.array(chances, dtype=np.float64)
        add(db, wave, Framed(np.array(keys, dtype=np.int64), names.tolist(), codes.astype(np.uint8), own))


def read(db: Database, wave: int, block: int) -> FrameBlock:
    """Return a block of a wave's frame, in arrays that may be written to. StoreError where it cannot be read."""
    query = "SELECT strata, chances FROM frame_blocks WHERE wave = ? AND block = ?"
    row = db.conn.execute(query, (wave, block)).fetchone()
    if row is None:
        return FrameBlock(np.zeros(BLOCK, dtype=np.uint8), None)
    try:
        codes = np.frombuffer(bytearray(zlib.decompress(row[0])), dtype=np.uint8)
        chances = None if row[1] is None else np.frombuffer(bytearray(zlib.decompress(row[1])), dtype=DOUBLE)
    except (zlib.error, TypeError, ValueError) as error:
        raise StoreError(DAMAGED.format(wave=wave)) from error
    if len(codes) != BLOCK or (chances is not None and len(chances) != BLOCK):
        raise StoreError(DAMAGED.format(wave=wave))
    return FrameBlock(codes, chances)


def rows_of(db: Database, wave: int, keys: Keys | None = None) -> Iterator[FramedRow]:
    """Yield the items that a wave framed, all of them or those of `keys`, in the order of their rows; `keys` ascend."""
    names = names_of(db, wave)
    for number, asked in _asked(db, wave, keys):
        codes, own = read(db, wave, number)
        inside = asked[codes[asked] != NOT_FRAMED]
        chances = np.full(len(inside), np.nan) if own is None else own[inside]
        for place, code, chance in zip(inside.tolist(), codes[inside].tolist(), chances.tolist(), strict=True):
            if code not in names:
                raise StoreError(DAMAGED.format(wave=wave))
            yield FramedRow(number * BLOCK + place, wave, names[code], None if np.isnan(chance) else chance)


def _asked(db: Database, wave: int, keys: Keys | None) -> Iterator[tuple[int, Keys]]:
    """Yield the blocks that are asked for, with the places in it."""
    if keys is not None:
        for number, places in by_block(keys):
            yield number, keys[places] - number * BLOCK
        return
    query = "SELECT block FROM frame_blocks WHERE wave = ? ORDER BY block"
    for (number,) in db.conn.execute(query, (wave,)).fetchall():
        yield int(number), np.arange(BLOCK)


def names_of(db: Database, wave: int) -> dict[int, str]:
    """Return the strata of a wave's frame by their numbers."""
    query = "SELECT number, stratum FROM frame_strata WHERE wave = ?"
    return {int(number): str(stratum) for number, stratum in db.conn.execute(query, (wave,))}


def by_block(keys: Keys) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the blocks in which these items lie, with the places of those that lie in it."""
    blocks = keys // BLOCK
    for block in np.unique(blocks).tolist():
        yield int(block), np.flatnonzero(blocks == block)


def numbered(db: Database, wave: int, names: Sequence[str]) -> Codes:
    """Return the number of each of these strata in the wave's frame, new ones after those that it has."""
    known = {name: number for number, name in names_of(db, wave).items()}
    for name in names:
        if name not in known:
            known[name] = len(known) + 1
            db.conn.execute("INSERT INTO frame_strata VALUES (?, ?, ?)", (wave, known[name], name))
    return np.array([known[name] for name in names], dtype=np.uint8)


def _packed(array: NDArray[np.generic]) -> bytes:
    return zlib.compress(array.tobytes(), LEVEL)
