"""Ask the frames of waves: the stratum of an item in a wave, its chance there, and whether any wave framed it at all.

Whoever asks of many items asks for arrays, a block of traffic at a time. Frames are computed from definitions
(`annotate.store.engine.defined_frames`); what has none, and what changed since, is packed (`annotate.store.engine.frame_blocks`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine import frame_blocks
from annotate.store.engine.all_traffic import Row
from annotate.store.engine.database import Room
from annotate.store.engine.defined_frames import DefinedFrames
from annotate.store.engine.frame_blocks import (
    DAMAGED,
    MOST_STRATA,
    NOT_FRAMED,
    Codes,
    Framed,
    FramedRow,
    Keys,
    Numbers,
)
from annotate.store.engine.item_states import ItemStates
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError
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
    """The frame_blocks, frame_strata and frame_definitions tables."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._defined = DefinedFrames(db)

    def add(self, wave: int, framed: Framed) -> None:
        """Add items to the frame of a wave, as rows where no definition gives them; call inside a transaction."""
        if framed.definition is None or not self._defined.add(wave, framed, framed.definition):
            frame_blocks.add(self._db, wave, framed)

    def waves(self, last: int = EVERY_WAVE) -> list[int]:
        """Return the waves up to `last` that framed anything, oldest first."""
        return [wave for (wave,) in self._db.conn.execute(WAVES, (last,))]

    def states(self, keys: Keys) -> ItemStates:
        """Return what frames ask of these items, for whoever asks several waves of them."""
        return ItemStates(self._db, keys)

    def codes(self, wave: int, keys: Keys, states: ItemStates | None = None) -> Codes:
        """Return the number of each item's stratum in a wave, 0 where the wave did not frame it."""
        return self._defined.read(wave, keys, states).codes

    def latest(self, keys: Keys, last: int) -> Strata:
        """Return the stratum of each item in the last wave up to `last` that framed it."""
        places: dict[str | None, int] = {None: 0}
        latest, states = np.zeros(len(keys), dtype=np.intp), self.states(keys)
        for wave in reversed(self.waves(last)):
            without = np.flatnonzero(latest == 0)
            if not len(without):
                break
            place_of = np.zeros(MOST_STRATA + 1, dtype=np.intp)
            for number, name in frame_blocks.names_of(self._db, wave).items():
                place_of[number] = places.setdefault(name, len(places))
            latest[without] = place_of[self.codes(wave, keys[without], states)]
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
        reachable, states = np.zeros(len(keys), dtype=np.bool_), self.states(keys)
        for wave, names in sorted(strata.items(), reverse=True):
            without = np.flatnonzero(~reachable)
            if not len(without):
                break
            has_labels = np.zeros(MOST_STRATA + 1, dtype=np.bool_)
            for number, name in frame_blocks.names_of(self._db, wave).items():
                has_labels[number] = name in names
            reachable[without] = has_labels[self.codes(wave, keys[without], states)]
        return reachable

    def is_framed(self, keys: Keys, last: int = EVERY_WAVE) -> Mask:
        """Return whether any wave up to `last` framed the item."""
        framed, states = np.zeros(len(keys), dtype=np.bool_), self.states(keys)
        for wave in reversed(self.waves(last)):
            without = np.flatnonzero(~framed)
            if not len(without):
                break
            framed[without] = self.codes(wave, keys[without], states) != NOT_FRAMED
        return framed

    def chances(
        self, wave: int, keys: Keys, by_stratum: Mapping[str, float], states: ItemStates | None = None
    ) -> Numbers:
        """Return each item's chance in a wave: its own, else its stratum's; nan where it has none of these strata."""
        of_number = np.full(MOST_STRATA + 1, np.nan)
        for number, name in frame_blocks.names_of(self._db, wave).items():
            of_number[number] = by_stratum.get(name, np.nan)
        codes, own = self._defined.read(wave, keys, states)
        chances = of_number[codes]
        if own is not None:
            has_own = ~np.isnan(own) & ~np.isnan(chances)
            chances[has_own] = own[has_own]
        return chances

    def of_any(self, keys: Keys, last: int = EVERY_WAVE) -> Numbers:
        """Return the chance of each item to be drawn in any wave up to `last`; nan for one that no stratum of a wave held."""
        missed, had_chance = np.zeros(len(keys)), np.zeros(len(keys), dtype=np.bool_)
        states = self.states(keys)
        for wave in self.waves(last):
            by_stratum = dict(self._db.conn.execute(CHANCE_OF_STRATUM, (wave,)).fetchall())
            chances = self.chances(wave, keys, by_stratum, states)
            is_known = ~np.isnan(chances)
            missed[is_known] += np.log(np.maximum(LEAST, 1 - chances[is_known]))
            had_chance |= is_known
        return np.where(had_chance, 1 - np.exp(missed), np.nan)

    def rows(self, keys: Keys, last: int = EVERY_WAVE) -> list[FramedRow]:
        """Return each of these items as the waves up to `last` framed it, by item and wave; `keys` ascend."""
        states = self.states(keys)
        rows = [row for wave in self.waves(last) for row in self._rows(wave, keys, states)]
        return sorted(rows, key=lambda row: (row.item, row.wave))

    def _rows(self, wave: int, keys: Keys, states: ItemStates) -> Iterator[FramedRow]:
        names = frame_blocks.names_of(self._db, wave)
        codes, own = self._defined.read(wave, keys, states)
        inside = np.flatnonzero(codes)
        chances = np.full(len(inside), np.nan) if own is None else own[inside]
        for key, code, chance in zip(keys[inside].tolist(), codes[inside].tolist(), chances.tolist(), strict=True):
            if code not in names:
                raise StoreError(DAMAGED.format(wave=wave))
            yield FramedRow(key, wave, names[code], None if np.isnan(chance) else chance)

    def unframed(self, rows: Sequence[Row]) -> list[Row]:
        """Return those of these rows, which begin with an item, that no wave framed; one item or several, in their order."""
        if not rows:
            return []
        keys = np.array([row[0] for row in rows], dtype=np.int64)
        return [row for row, framed in zip(rows, self.is_framed(keys).tolist(), strict=True) if not framed]
