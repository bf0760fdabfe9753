"""Frames of waves as a table of rows that a test can query: packed ones are unpacked with the standard library alone."""

from __future__ import annotations

import math
import sqlite3
import struct
import zlib
from collections.abc import Iterator

import numpy as np

from annotate.store.engine.frames import Frames
from annotate.store.engine.sqlite import Database

BLOCK = 65_536
BLOCKS = "SELECT wave, block, strata, chances FROM frame_blocks ORDER BY wave, block"
TABLE = "CREATE TEMP TABLE IF NOT EXISTS frames (item INTEGER, wave INTEGER, stratum TEXT, probability REAL)"
Row = tuple[int, int, str, float | None]


def unpacked(connection: sqlite3.Connection) -> Iterator[Row]:
    """Item, wave, stratum and own chance of each item of each frame."""
    names = {
        (wave, number): name
        for wave, number, name in connection.execute("SELECT wave, number, stratum FROM frame_strata")
    }
    for wave, block, strata, chances in connection.execute(BLOCKS).fetchall():
        own = [None] * BLOCK if chances is None else struct.unpack(f"<{BLOCK}d", zlib.decompress(chances))
        for place, number in enumerate(zlib.decompress(strata)):
            if number:
                chance = own[place]
                yield (
                    block * BLOCK + place,
                    wave,
                    names[wave, number],
                    None if chance is None or math.isnan(chance) else chance,
                )


def computed(connection: sqlite3.Connection) -> Iterator[Row]:
    """The same of frames that have a definition, as the store computes them from its own tables."""
    if not connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'frame_definitions'").fetchone():
        return
    defined = {wave for (wave,) in connection.execute("SELECT wave FROM frame_definitions")}
    keys = np.array([key for (key,) in connection.execute("SELECT key FROM items ORDER BY key")], dtype=np.int64)
    for row in Frames(Database(connection)).rows(keys) if defined else ():
        if row.wave in defined:
            yield row.item, row.wave, row.stratum, row.chance


def with_frames(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, with a table `frames` of its own that has a row for each item of each frame, as it is now."""
    if not connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'frame_blocks'").fetchone():
        return connection  # an older store, which has the table itself
    connection.execute(TABLE)
    connection.execute("DELETE FROM temp.frames")
    rows = {row[:2]: row for row in [*computed(connection), *unpacked(connection)]}
    connection.executemany("INSERT INTO temp.frames VALUES (?, ?, ?, ?)", list(rows.values()))
    return connection


def with_renumbered(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, with `renumbered(strata, item, number)`: the first block of a frame with another stratum for an item."""

    def renumbered(strata: bytes, item: int, number: int) -> bytes:
        numbers = bytearray(zlib.decompress(strata))
        numbers[item] = number
        return zlib.compress(bytes(numbers))

    connection.create_function("renumbered", 3, renumbered)
    return connection
