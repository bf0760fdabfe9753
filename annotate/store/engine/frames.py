"""Ask the frames of waves: the stratum of an item in a wave, its chance there, and whether any wave framed it at all.

Whoever asks of many items asks for arrays, a block of traffic at a time; `annotate.store.engine.frame_blocks` has the packing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine import frame_blocks
from annotate.store.engine.all_traffic import Row
from annotate.store.engine.database import Room
from annotate.store.engine.frame_blocks import (
    BLOCK,
    MOST_STRATA,
    NOT_FRAMED,
    Codes,
    Framed,
    FramedRow,
    Keys,
    Numbers,
    by_block,
)
from proxy.evaluation.ledger import Drawing

WAVES = "SELECT DISTINCT wave FROM frame_strata WHERE wave <= ? ORDER BY wave"
EVERY_WAVE = 2**62
CHANCE_OF_STRATUM = "SELECT stratum, is_fixed * 1.0 * drawn / size FROM strata WHERE wave = ?"
LEAST = 1e-300  # what is drawn for sure is never missed, and has no logarithm of that

Mask = NDArray[np.bool_]


class Strata(NamedTuple):
    """The stratum of each of some items as a place in `names`, which begin with None, for what no wave framed."""

    names: Sequence[str | None]
    codes: NDArray[np.intp]


class Frames(Room):
    """The frame_blocks and frame_strata tables."""

    def add(self, wave: int, framed: Framed) -> None:
        """Add items to the frame of a wave; call inside a transaction."""
        frame_blocks.add(self._db, wave, framed)

    def waves(self, last: int = EVERY_WAVE) -> list[int]:
        """Return the waves up to `last` that framed anything, oldest first."""
        return [wave for (wave,) in self._db.conn.execute(WAVES, (last,))]

    def codes(self, wave: int, keys: Keys) -> Codes:
        """Return the number of each item's stratum in a wave, 0 where the wave did not frame it."""
        codes = np.zeros(len(keys), dtype=np.uint8)
        for block, places in by_block(keys):
            codes[places] = frame_blocks.read(self._db, wave, block).codes[keys[places] - block * BLOCK]
        return codes

    def latest(self, keys: Keys, last: int) -> Strata:
        """Return the stratum of each item in the last wave up to `last` that framed it."""
        places: dict[str | None, int] = {None: 0}
        latest = np.zeros(len(keys), dtype=np.intp)
        for wave in reversed(self.waves(last)):
            without = np.flatnonzero(latest == 0)
            if not len(without):
                break
            place_of = np.zeros(MOST_STRATA + 1, dtype=np.intp)
            for number, name in frame_blocks.names_of(self._db, wave).items():
                place_of[number] = places.setdefault(name, len(places))
            latest[without] = place_of[self.codes(wave, keys[without])]
        return Strata(list(places), latest)

    def reachable(self, keys: Keys, last: int, speaking: Sequence[Drawing] | None) -> Mask:
        """Return whether labels can speak for each item: a wave up to `last` framed it in a stratum of these drawings.

        `speaking` are the drawings that have labels; None: for every item.
        """
        if speaking is None:
            return np.ones(len(keys), dtype=np.bool_)
        strata = defaultdict[int, set[str]](set)
        for drawing in speaking:
            if drawing.wave <= last:
                strata[drawing.wave].add(drawing.stratum)
        reachable = np.zeros(len(keys), dtype=np.bool_)
        for wave, names in strata.items():
            has_labels = np.zeros(MOST_STRATA + 1, dtype=np.bool_)
            for number, name in frame_blocks.names_of(self._db, wave).items():
                has_labels[number] = name in names
            reachable |= has_labels[self.codes(wave, keys)]
        return reachable

    def is_framed(self, keys: Keys, last: int = EVERY_WAVE) -> Mask:
        """Return whether any wave up to `last` framed the item."""
        framed = np.zeros(len(keys), dtype=np.bool_)
        for wave in reversed(self.waves(last)):
            framed |= self.codes(wave, keys) != NOT_FRAMED
            if framed.all():
                break
        return framed

    def chances(self, wave: int, keys: Keys, by_stratum: Mapping[str, float]) -> Numbers:
        """Return each item's chance in a wave: its own, else its stratum's; nan where it has none of these strata."""
        of_number = np.full(MOST_STRATA + 1, np.nan)
        for number, name in frame_blocks.names_of(self._db, wave).items():
            of_number[number] = by_stratum.get(name, np.nan)
        chances = np.full(len(keys), np.nan)
        for block, places in by_block(keys):
            inside = keys[places] - block * BLOCK
            codes, own = frame_blocks.read(self._db, wave, block)
            by_number = of_number[codes[inside]]
            if own is not None:
                has_own = ~np.isnan(own[inside]) & ~np.isnan(by_number)
                by_number[has_own] = own[inside][has_own]
            chances[places] = by_number
        return chances

    def of_any(self, keys: Keys, last: int = EVERY_WAVE) -> Numbers:
        """Return the chance of each item to be drawn in any wave up to `last`; nan for one that no stratum of a wave held."""
        missed, had_chance = np.zeros(len(keys)), np.zeros(len(keys), dtype=np.bool_)
        for wave in self.waves(last):
            chances = self.chances(wave, keys, dict(self._db.conn.execute(CHANCE_OF_STRATUM, (wave,)).fetchall()))
            is_known = ~np.isnan(chances)
            missed[is_known] += np.log(np.maximum(LEAST, 1 - chances[is_known]))
            had_chance |= is_known
        return np.where(had_chance, 1 - np.exp(missed), np.nan)

    def rows(self, keys: Keys, last: int = EVERY_WAVE) -> list[FramedRow]:
        """Return each of these items as the waves up to `last` framed it, by item and wave; `keys` ascend."""
        rows = [row for wave in self.waves(last) for row in frame_blocks.rows_of(self._db, wave, keys)]
        return sorted(rows, key=lambda row: (row.item, row.wave))

    def unframed(self, rows: Sequence[Row]) -> list[Row]:
        """Return those of these rows, which begin with an item, that no wave framed; one item or several, in their order."""
        if not rows:
            return []
        keys = np.array([row[0] for row in rows], dtype=np.int64)
        return [row for row, framed in zip(rows, self.is_framed(keys).tolist(), strict=True) if not framed]
