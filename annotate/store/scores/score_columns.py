"""Read the current items and what judges gave them, a stretch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.item_columns import GROUP, QUESTION, ItemColumns, KeptColumn
from annotate.store.engine.rollups import Row
from annotate.store.engine.stretches import all_items
from annotate.store.scores.judge_row import judge_row
from proxy.evaluation.predictor import fold_of

SCORED = "SELECT s.item, s.value FROM scores s WHERE s.judge = {judge:d} AND s.item BETWEEN {first:d} AND {last:d}"

Pair = tuple[str, str]


class ScoredStretch(NamedTuple):
    """Some current items by their rows, ascending, with the scores of judges; nan for a score that an item does not have."""

    items: NDArray[np.int64]
    scores: Mapping[Pair, NDArray[np.float64]]


class ScoreColumns(ItemColumns):
    """Read items and scores."""

    def blocks(self, pairs: Sequence[Pair], among: KeyRange | None = None) -> Iterator[ScoredStretch]:
        """Yield the current items of each stretch, of all or of these rows, with the scores under each (judge, signature)."""
        among = among or all_items(self._db)
        columns = [self._scores_of(pair, among) for pair in pairs]
        for items, *scores in zip(self.current(among), *columns, strict=True):
            of_items = [column[items - stretch.first] for stretch, column in scores]
            yield ScoredStretch(items, dict(zip(pairs, of_items, strict=True)))

    def values(self, pair: Pair) -> NDArray[np.float64]:
        """Return every score of the current items under this (judge, signature)."""
        scores = [block.scores[pair] for block in self.blocks([pair])]
        return np.concatenate([np.zeros(0), *(of_items[~np.isnan(of_items)] for of_items in scores)])

    def folds(self, *, is_by_question: bool) -> Iterator[NDArray[np.uint8]]:
        """Yield the folds of the current items of each stretch, as `blocks` yields these: by question, or else by group."""
        field = QUESTION if is_by_question else GROUP
        for numbers in self.named(field, "folds", lambda name: fold_of(name) + 1, np.uint8(0)):
            yield numbers - np.uint8(1)

    def _scores_of(self, pair: Pair, among: KeyRange) -> Iterator[tuple[KeyRange, NDArray[np.float64]]]:
        """Yield the score of each row under a signature, a stretch at a time."""
        judge = judge_row(self._db, *pair) or -1

        def read(rows: KeyRange) -> Iterable[Row]:
            query = SCORED.format(judge=judge, first=rows.first, last=rows.last)
            return self._traffic.execute_among(rows, query).fetchall()

        return self.column(KeptColumn(f"scores of {judge}", ("scores",), np.float64(np.nan)), read, among)
