"""Define the frame of a wave by what its items had when it was drawn, so that no row an item is kept.

An item's stratum and its chance of its own follow from its kind (`proxy.planning.strata.Stratum`) and from its rank: the level
of P(right) that the predictor of the wave gives it, or the value of the rule where there were no labels yet. Each kind is cut
at some ranks into cells; a cell has a stratum, and a chance where the stratum does not tell it. Whoever has the definition, the
wave's salt and its strata can compute any item's chance and its random number again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.levels import LEVELS
from proxy.evaluation.predictor import FoldModel, Predictor, PredictorScores, model_of, scales_of
from proxy.planning.coded import Coded, blocks
from proxy.planning.strata import SamplingFrame, Stratum

FORMAT = 1
MOST_CELLS = 254
KINDS = tuple(stratum.value for stratum in Stratum)
# A digest for each of so many stretches of rows tells where a frame is not as it was drawn.
STRETCHES = 32
LEAST_STRETCH = 1000
DIGEST_DIGITS = 32

Keys = NDArray[np.int64]
Codes = NDArray[np.uint8]
Numbers = NDArray[np.float64]


class FrameCell(NamedTuple):
    """Items of a frame that share a stratum and a chance; the chance is None where the stratum tells it."""

    stratum: str
    chance: float | None


class RankedCells(NamedTuple):
    """The cells of the items of a kind: an item's is that at the number of `cuts` below its rank."""

    cuts: tuple[float, ...]
    cells: tuple[int, ...]

    def places(self, ranks: NDArray[Any]) -> Codes:
        """Return the place of each item's cell by its rank."""
        below = np.searchsorted(np.array(self.cuts, dtype=np.float64), ranks, side="left")
        return np.array(self.cells, dtype=np.uint8)[below]


class FramePredictor(NamedTuple):
    """What ranks the items: a predictor over the rule's value and the scores of these judges, by their rows.

    A fold is that of the question, or where not `is_by_question` that of the group. `labelled` are the scores of the items
    whose labels taught it, which are the scales of its columns; the labels themselves are in the coefficients of its models.
    """

    judges: tuple[int, ...]
    is_by_question: bool
    labelled: PredictorScores
    models: tuple[FoldModel, ...]

    def levels(self, scores: PredictorScores) -> Codes:
        """Return the level of each item."""
        return Predictor(columns=(), models=self.models, labels=len(self.labelled.fold)).levels(scores)


class FrameInputs(NamedTuple):
    """What is known of items when a wave is drawn: the place of the kind in `KINDS`, the rule's value, and all scores."""

    kinds: Codes
    values: Numbers
    scores: PredictorScores


@dataclass(frozen=True, kw_only=True, slots=True)
class FrameDefinition:
    """The frame of a wave: the items from `first_item` to `last_item` that were current, each in the cell of its kind and rank.

    Attributes
    ----------
    rule : int
        The row of the rule whose verdict, with feedback and disputes, makes the kind.
    first_item, last_item : int
        The rows of the first and the last item.
    words, models : int, tuple of int
        Rows of the judges that dispute an item; -1 for a judge without scores.
    predictor : FramePredictor or None
        What ranks items; None: the rule's value does.
    cells : tuple of FrameCell
    by_kind : mapping of RankedCells
        The cells of each kind.
    excluded : tuple of int
        The earlier waves, whose draws could not be drawn again.
    manifest : str or None
        A digest of the list of the lake's files at the draw.
    items, stretch, digests
        The size of the frame, and a digest of each stretch of so many rows.
    """

    rule: int
    first_item: int
    last_item: int
    words: int
    models: tuple[int, ...]
    predictor: FramePredictor | None
    cells: tuple[FrameCell, ...]
    by_kind: Mapping[str, RankedCells]
    excluded: tuple[int, ...]
    manifest: str | None = None
    items: int = 0
    stretch: int = LEAST_STRETCH
    digests: tuple[str, ...] = ()

    @property
    def judges(self) -> frozenset[int]:
        """The judges whose scores decide where an item lies."""
        predicting = self.predictor.judges if self.predictor else ()
        disputing = (self.words, *self.models) if self.models else ()
        return frozenset({*disputing, *predicting})

    @property
    def has_chances(self) -> bool:
        """Whether any item has a chance of its own."""
        return any(cell.chance is not None for cell in self.cells)

    def places(self, items: FrameInputs) -> Codes:
        """Return the place of each item's cell."""
        ranks: NDArray[Any] = items.values if self.predictor is None else self.predictor.levels(items.scores)
        places = np.zeros(len(items.kinds), dtype=np.uint8)
        for kind, ranked in self.by_kind.items():
            rows = items.kinds == KINDS.index(kind)
            if rows.any():
                places[rows] = ranked.places(ranks[rows])
        return places

    def stretches(self) -> list[tuple[int, int]]:
        """Return the first and the last row of each stretch."""
        firsts = range(self.first_item, self.last_item + 1, self.stretch)
        return [(first, min(first + self.stretch - 1, self.last_item)) for first in firsts]

    def sealed(self, keys: Keys, codes: Codes, chances: Numbers | None, manifest: str | None) -> FrameDefinition:
        """Return the definition with the size and the digests of the frame, which these are, and of the lake's files."""
        span = self.last_item - self.first_item + 1
        stretch = max(LEAST_STRETCH, -(-span // STRETCHES))
        sized = replace(self, items=len(keys), stretch=stretch, manifest=manifest)
        digests = []
        for first, last in sized.stretches():
            rows = slice(*np.searchsorted(keys, [first, last + 1]))
            digests.append(digest_of(keys[rows], codes[rows], None if chances is None else chances[rows]))
        return replace(sized, digests=tuple(digests))

    def to_json(self) -> str:
        """Return the definition as it is kept, and as anybody may read it."""
        predictor = self.predictor
        content = {
            "format": FORMAT,
            "rule": self.rule,
            "first_item": self.first_item,
            "last_item": self.last_item,
            "words": self.words,
            "models": self.models,
            "predictor": predictor and _predictor_to_json(predictor),
            "cells": self.cells,
            "by_kind": self.by_kind,
            "excluded": self.excluded,
            "manifest": self.manifest,
            "items": self.items,
            "stretch": self.stretch,
            "digests": self.digests,
        }
        return json.dumps(content)

    @classmethod
    @lru_cache(maxsize=64)
    def of_json(cls, content: str) -> FrameDefinition:
        """Read a definition. ValueError or LookupError for anything else."""
        known: dict[str, Any] = json.loads(content)
        if known["format"] != FORMAT:
            raise ValueError("a frame of a newer Assay")
        predictor = known["predictor"]
        by_kind = {kind: RankedCells(tuple(cuts), tuple(cells)) for kind, (cuts, cells) in known["by_kind"].items()}
        return cls(
            rule=known["rule"],
            first_item=known["first_item"],
            last_item=known["last_item"],
            words=known["words"],
            models=tuple(known["models"]),
            predictor=None if predictor is None else _predictor_of_json(predictor),
            cells=tuple(FrameCell(*cell) for cell in known["cells"]),
            by_kind=by_kind,
            excluded=tuple(known["excluded"]),
            manifest=known["manifest"],
            items=known["items"],
            stretch=known["stretch"],
            digests=tuple(known["digests"]),
        )


def digest_of(keys: Keys, codes: Codes, chances: Numbers | None) -> str:
    """Return a digest of a stretch of a frame: rows, numbers of strata, and chances where any item has one of its own."""
    content = sha256(keys.astype("<i8").tobytes())
    content.update(codes.astype(np.uint8).tobytes())
    if chances is not None:
        content.update(np.where(np.isnan(chances), -1.0, chances).astype("<f8").tobytes())
    return content.hexdigest()[:DIGEST_DIGITS]


class _Cut(NamedTuple):
    """Cells, and those of each kind, as they are cut."""

    cells: Sequence[FrameCell]
    by_kind: Mapping[str, RankedCells]


def definition_of(
    frame: SamplingFrame,
    strata: Coded,
    chances: Numbers | None,
    *,
    rule: int,
    disputed_by: tuple[int, Sequence[int]],
    judges: Sequence[int],
    is_by_question: bool,
    excluded: Iterable[int],
) -> FrameDefinition | None:
    """Return a definition that gives the items of a frame these strata and chances; None where there is none.

    It is a proposal: whether it gives every item its own is seen when it is computed again.
    """
    if not len(frame.keys) or (frame.level is not None and frame.fitted is None):
        return None
    cut = _by_values(frame, strata, chances) if frame.level is None else _by_levels(frame, strata, chances)
    if cut is None or len(cut.cells) > MOST_CELLS:
        return None
    predictor = None
    if frame.fitted is not None:
        models_of_folds = tuple(frame.fitted.predictor.models)
        predictor = FramePredictor(tuple(judges), is_by_question, frame.fitted.scores, models_of_folds)
    words, models = disputed_by
    return FrameDefinition(
        rule=rule,
        first_item=int(frame.keys[0]),
        last_item=int(frame.keys[-1]),
        words=words,
        models=tuple(models),
        predictor=predictor,
        cells=tuple(cut.cells),
        by_kind=cut.by_kind,
        excluded=tuple(excluded),
    )


def _by_levels(frame: SamplingFrame, strata: Coded, chances: Numbers | None) -> _Cut:
    """Give each kind a cell a level: that of the first item that has both."""
    first = np.full(len(frame.kinds.names) * LEVELS, -1, dtype=np.int64)
    for block in reversed(list(blocks(len(frame.keys)))):
        numbers = frame.kinds.codes[block].astype(np.int64) * LEVELS + frame.level[block]  # type: ignore[index]
        # Of rows that share a number the one that is assigned last stays.
        first[numbers[::-1]] = np.arange(block.start, block.stop)[::-1]
    cells = _Cells(strata, chances)
    by_kind = {}
    for place, kind in enumerate(frame.kinds.names):
        rows = first[place * LEVELS : (place + 1) * LEVELS]
        known = np.flatnonzero(rows >= 0)
        by_kind[kind] = _joined(known.tolist(), [cells.place(int(row)) for row in rows[known]])
    return _Cut(cells.cells, by_kind)


def _by_values(frame: SamplingFrame, strata: Coded, chances: Numbers | None) -> _Cut | None:
    """Cut each kind at the largest value of each of its strata; None where strata of a kind overlap."""
    cells, by_kind = _Cells(strata, chances), {}
    for place, kind in enumerate(frame.kinds.names):
        of_kind = frame.kinds.codes == place
        ranges = list[tuple[float, float, int]]()
        for code in np.flatnonzero(np.bincount(strata.codes[of_kind], minlength=len(strata.names))):
            rows = of_kind & (strata.codes == code)
            values = frame.values[rows]
            ranges.append((float(values.min()), float(values.max()), cells.place(int(rows.argmax()))))
        ranges.sort(key=lambda known: known[0])
        if any(following[0] <= before[1] for before, following in pairwise(ranges)):
            return None
        by_kind[kind] = RankedCells(
            tuple(largest for _, largest, _ in ranges[:-1]), tuple(place for *_, place in ranges)
        )
    return _Cut(cells.cells, by_kind)


class _Cells:
    """Numbers the cells of a frame in the order in which they are asked for."""

    def __init__(self, strata: Coded, chances: Numbers | None) -> None:
        self._strata, self._chances = strata, chances
        self.cells = list[FrameCell]()

    def place(self, row: int) -> int:
        """Return the place of the cell of the item in this row."""
        chance = None if self._chances is None or np.isnan(self._chances[row]) else float(self._chances[row])
        cell = FrameCell(self._strata.names[self._strata.codes[row]], chance)
        if cell not in self.cells:
            self.cells.append(cell)
        return self.cells.index(cell)


def _joined(levels: Sequence[int], places: Sequence[int]) -> RankedCells:
    """Cut where the next level lies in another cell."""
    cuts, cells = list[float](), list[int](places[:1])
    for level, place, following in zip(levels, places, places[1:], strict=False):
        if following != place:
            cuts.append(float(level))
            cells.append(following)
    return RankedCells(tuple(cuts), tuple(cells))


def _predictor_to_json(predictor: FramePredictor) -> dict[str, object]:
    scores = np.where(np.isnan(predictor.labelled.table), None, predictor.labelled.table)  # type: ignore[call-overload]
    return {
        "judges": predictor.judges,
        "is_by_question": predictor.is_by_question,
        "scores": scores.tolist(),
        "fold": predictor.labelled.fold.tolist(),
        "coefficients": [
            [model.intercept, *model.slopes.tolist(), *model.missing.tolist()] for model in predictor.models
        ],
    }


def _predictor_of_json(known: Mapping[str, Any]) -> FramePredictor:
    width = 1 + len(known["judges"])
    table = np.array(known["scores"], dtype=np.float64).reshape(-1, width)
    labelled = PredictorScores(table, np.array(known["fold"], dtype=np.intp))
    coefficients = np.array(known["coefficients"], dtype=np.float64)
    models = tuple(model_of(own, scales) for own, scales in zip(coefficients, scales_of(labelled), strict=True))
    return FramePredictor(tuple(known["judges"]), known["is_by_question"], labelled, models)
