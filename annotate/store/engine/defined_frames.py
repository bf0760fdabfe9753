"""Compute frames of waves from their definitions, and keep them what they were when the waves were drawn.

A definition is computed from traffic as it is. Before anything changes that it rests on (a late score, a thumb down, another
group), the items that this is of are written to the wave's packed frame as they are, and count there from then on
(`DefinedFrames.freeze`). Revised and later items need none of it: their rows tell that they came after the draw.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from annotate.domain.sampling.frame_definition import FrameDefinition, digest_of
from annotate.store.engine import frame_blocks
from annotate.store.engine.all_traffic import Change
from annotate.store.engine.database import once
from annotate.store.engine.frame_blocks import (
    MOST_STRATA,
    NOT_FRAMED,
    Codes,
    FrameBlock,
    Framed,
    Keys,
    Numbers,
    by_block,
)
from annotate.store.engine.item_states import AT_ONCE, DENSE, ItemStates
from annotate.store.engine.rollups import CountingRoom
from proxy.errors import StoreError

DEFINITION = "SELECT content FROM frame_definitions WHERE wave = ?"
WAVES = "SELECT wave FROM frame_definitions ORDER BY wave"
RESTING = """
    SELECT wave FROM frame_definitions f WHERE last_item >= ? AND first_item <= ? AND (
        rule IN (SELECT value FROM json_each(?)) OR (is_by_group AND ?) OR ?
        OR EXISTS (SELECT 1 FROM json_each(f.judges) WHERE value IN (SELECT value FROM json_each(?)))
    ) ORDER BY wave
"""
# Of so many of the newest waves cells are kept beside the store.
SLOTS = 4
NEWEST = "SELECT coalesce(max(wave), 0) FROM frame_definitions"
INSERT = "INSERT OR REPLACE INTO frame_definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
DELETE = "DELETE FROM frame_definitions WHERE wave = ?"
PARTS = "SELECT path, digest FROM lake_parts ORDER BY path"
ITEMS_OF = "SELECT key FROM items WHERE id IN (SELECT value FROM json_each(?)) ORDER BY key"
DAMAGED = "the definition of the frame of wave {wave} is damaged: restore a backup"


class FrameStretch(NamedTuple):
    """The items of a frame between two rows: the number of each one's stratum, and its own chance or nan."""

    keys: Keys
    codes: Codes
    chances: Numbers


class DefinedFrames(CountingRoom):
    """The frame_definitions table, and the packed rows that count in the place of what definitions give."""

    def of(self, wave: int) -> FrameDefinition | None:
        """Return the definition of a wave's frame; None where its rows are kept. StoreError where it cannot be read."""
        row = self._db.conn.execute(DEFINITION, (wave,)).fetchone()
        if row is None:
            return None
        try:
            return FrameDefinition.of_json(zlib.decompress(row[0]).decode())
        except (zlib.error, ValueError, LookupError, TypeError) as error:
            raise StoreError(DAMAGED.format(wave=wave)) from error

    def waves(self) -> list[int]:
        """Return the waves whose frames are defined."""
        return [wave for (wave,) in self._db.conn.execute(WAVES)]

    def add(self, wave: int, framed: Framed, definition: FrameDefinition) -> bool:
        """Keep the definition in place of the rows of a frame, if it gives exactly these; call inside a transaction."""
        codes = frame_blocks.numbered(self._db, wave, framed.names)[framed.codes]
        own = np.full(len(codes), np.nan) if framed.chances is None else framed.chances
        self._insert(wave, definition)
        if not self._gives(wave, definition, FrameStretch(framed.keys, codes, own)):
            self._db.conn.execute(DELETE, (wave,))
            return False
        sealed = definition.sealed(framed.keys, codes, own if definition.has_chances else None, self._manifest())
        self._insert(wave, sealed)
        return True

    def read(self, wave: int, keys: Keys, states: ItemStates | None = None, *, anew: bool = False) -> FrameBlock:
        """Return the number of each item's stratum in a wave, 0 where the wave did not frame it, and its own chance.

        The chances are None where no item has one of its own, and nan where the stratum tells it. `states` are of these items or
        of more; `anew` computes what may have been kept.
        """
        packed, definition = self._packed(wave, keys), self.of(wave)
        if definition is None:
            return packed
        is_asked = (packed.codes == NOT_FRAMED) & (keys >= definition.first_item) & (keys <= definition.last_item)
        places = np.flatnonzero(is_asked)
        if not len(places):
            return packed
        asked = keys[places]
        states = states or ItemStates(self._db, asked)
        cells = self._cells(wave, definition, asked, states, anew=anew)
        numbers = {name: number for number, name in frame_blocks.names_of(self._db, wave).items()}
        if any(cell.stratum not in numbers for cell in definition.cells):
            raise StoreError(DAMAGED.format(wave=wave))
        of_cell = [NOT_FRAMED, *(numbers[cell.stratum] for cell in definition.cells)]
        packed.codes[places] = np.array(of_cell, dtype=np.uint8)[cells]
        if not definition.has_chances:
            return packed
        own = [np.nan, *(np.nan if cell.chance is None else cell.chance for cell in definition.cells)]
        chances = np.full(len(keys), np.nan) if packed.chances is None else packed.chances
        chances[places] = np.array(own)[cells]
        return FrameBlock(packed.codes, chances)

    def freeze(self, change: Change) -> None:
        """Write the items that are about to change to the frames that rest on what changes; call inside a transaction."""
        if not len(change.items):
            return
        bound = (
            int(min(change.items)),
            int(max(change.items)),
            json.dumps(sorted(change.rules)),
            change.is_of_groups,
            change.is_of_feedback,
            json.dumps(sorted(change.judges)),
        )
        waves = [wave for (wave,) in self._db.conn.execute(RESTING, bound)]
        keys = np.unique(np.array(change.items, dtype=np.int64)) if waves else np.zeros(0, dtype=np.int64)
        states = ItemStates(self._db, keys)
        for wave in waves:
            self._freeze(wave, keys, states)

    def freeze_ids(self, ids: Sequence[str]) -> None:
        """Do the same for all revisions of the items with these ids, whose feedback is about to change."""
        if ids and self.waves():
            items = [key for (key,) in self._traffic.execute(ITEMS_OF, (json.dumps(sorted(set(ids))),))]
            self.freeze(Change(items, is_of_feedback=True))

    def changed_stretches(self, wave: int) -> Iterator[tuple[int, int]]:
        """Yield the first and the last row of each stretch of a wave's frame that is not what it was at the draw."""
        definition = self.of(wave)
        if definition is None:
            return
        for (first, last), digest in zip(definition.stretches(), definition.digests, strict=True):
            keys, codes, chances = self._stretch(wave, first, last)
            if digest_of(keys, codes, chances if definition.has_chances else None) != digest:
                yield first, last

    def _stretch(self, wave: int, first: int, last: int) -> FrameStretch:
        """Return the part of a frame between these rows."""
        keys, codes, chances = list[Keys](), list[Codes](), list[Numbers]()
        for start in range(first, last + 1, AT_ONCE):
            asked = np.arange(start, min(start + AT_ONCE, last + 1))
            read = self.read(wave, asked, anew=True)
            rows = np.flatnonzero(read.codes)
            keys.append(asked[rows])
            codes.append(read.codes[rows])
            chances.append(np.full(len(rows), np.nan) if read.chances is None else read.chances[rows])
        return FrameStretch(np.concatenate(keys), np.concatenate(codes), np.concatenate(chances))

    def _insert(self, wave: int, definition: FrameDefinition) -> None:
        predictor = definition.predictor
        row = (
            wave,
            definition.first_item,
            definition.last_item,
            definition.items,
            definition.rule,
            json.dumps(sorted(definition.judges)),
            int(predictor is not None and not predictor.is_by_question),
            zlib.compress(definition.to_json().encode(), 9),
        )
        self._db.conn.execute(INSERT, row)

    def _gives(self, wave: int, definition: FrameDefinition, framed: FrameStretch) -> bool:
        """Return whether the definition gives these items of the frame, with these strata and chances, and no others."""
        for first in range(definition.first_item, definition.last_item + 1, AT_ONCE):
            last = min(first + AT_ONCE - 1, definition.last_item)
            rows = slice(*np.searchsorted(framed.keys, [first, last + 1]))
            given = self._stretch(wave, first, last)
            if not (
                np.array_equal(given.keys, framed.keys[rows])
                and np.array_equal(given.codes, framed.codes[rows])
                and np.array_equal(given.chances, framed.chances[rows], equal_nan=True)
            ):
                return False
        return True

    def _manifest(self) -> str | None:
        """Return a digest of the list of the lake's files; None without a lake."""
        rows = self._db.conn.execute(PARTS).fetchall()
        return sha256(json.dumps(rows).encode()).hexdigest() if rows else None

    def _packed(self, wave: int, keys: Keys) -> FrameBlock:
        """Return what the packed frame of a wave says of these items."""
        codes, chances = np.zeros(len(keys), dtype=np.uint8), None
        for block, places in by_block(keys):
            inside = keys[places] - block * frame_blocks.BLOCK
            of_block = frame_blocks.read(self._db, wave, block)
            codes[places] = of_block.codes[inside]
            if of_block.chances is not None:
                chances = np.full(len(keys), np.nan) if chances is None else chances
                chances[places] = of_block.chances[inside]
        return FrameBlock(codes, chances)

    def _cells(self, wave: int, definition: FrameDefinition, keys: Keys, states: ItemStates, *, anew: bool) -> Codes:
        """Return the cell of each item, from 1; 0 for what the wave did not frame.

        Of the newest waves what is asked for by the block is kept beside the store: all that counts traffic asks for it.
        """
        newest = once(self._db, NEWEST, lambda: self._db.conn.execute(NEWEST).fetchone()[0])
        if anew or wave <= newest - SLOTS:
            return _evaluated(definition, keys, states)
        cells = np.zeros(len(keys), dtype=np.uint8)
        for block, places in by_block(keys):
            first = max(block * frame_blocks.BLOCK, definition.first_item)
            last = min((block + 1) * frame_blocks.BLOCK - 1, definition.last_item)
            if len(places) * DENSE < last - first + 1:
                cells[places] = _evaluated(definition, keys[places], states)
            else:
                cells[places] = self._kept(wave, definition, first, last)[keys[places] - first]
        return cells

    def _kept(self, wave: int, definition: FrameDefinition, first: int, last: int) -> Codes:
        """Return the cells of the items between these rows, which never change."""

        def make() -> bytes:
            keys = np.arange(first, last + 1)
            return zlib.compress(_evaluated(definition, keys, ItemStates(self._db, keys)).tobytes(), 1)

        name = f"frame {wave % SLOTS} from {first // frame_blocks.BLOCK}"
        content = self._rollups.content(name, (), f"wave {wave} {' '.join(definition.digests)}", make)
        return np.frombuffer(zlib.decompress(content), dtype=np.uint8)

    def _freeze(self, wave: int, keys: Keys, states: ItemStates) -> None:
        """Write what is not written yet of these items in a frame."""
        is_new = keys[self._packed(wave, keys).codes == NOT_FRAMED]
        codes, chances = self.read(wave, is_new, states, anew=True)
        rows = np.flatnonzero(codes)
        if not len(rows):
            return
        names = frame_blocks.names_of(self._db, wave)
        places = np.zeros(MOST_STRATA + 1, dtype=np.uint8)
        places[list(names)] = np.arange(len(names))
        own = None if chances is None else chances[rows]
        frame_blocks.add(self._db, wave, Framed(is_new[rows], list(names.values()), places[codes[rows]], own))


def _evaluated(definition: FrameDefinition, keys: Keys, states: ItemStates) -> Codes:
    """Return the cell that the definition gives each item, from 1; 0 for what was not there at the draw."""
    state = states.of(definition)
    if not len(state.keys):
        return np.zeros(len(keys), dtype=np.uint8)
    cells = np.where(states.were_current(state, definition.last_item), definition.places(state.inputs) + 1, 0)
    places = np.minimum(np.searchsorted(state.keys, keys), len(state.keys) - 1)
    return np.where(state.keys[places] == keys, cells[places], 0).astype(np.uint8)
