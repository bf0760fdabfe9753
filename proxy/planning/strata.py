"""Frame of a wave: every item with what is known of it before anyone labels, and from that its stratum.

Strata are thumbs-down, disputed, unscored, and passed and failed items cut into bins by what earlier labels let expect of them
(`Frame.ranked`); bin 1 holds the lowest. Items of equal rank are never parted, and a bin never reaches across the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.levels import SHARES, Levels
from proxy.evaluation.predictor import PredictorScores, PredictorSource, TaughtPredictor, fit
from proxy.planning.coded import Coded, looked_up
from proxy.records import Verdict

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
MOST_BINS = {Verdict.PASS: 3, Verdict.FAIL: 2}
LABELS_A_BIN = {Verdict.PASS: 20, Verdict.FAIL: 40}
UNTRIED = 2.5  # times as many labels a bin, before labels show that what bins are cut by tells right from wrong


class Stratum(StrEnum):
    """Kind that an item is sampled as; passed and failed may be cut into bins by the rule's value.

    Disputed items were passed on the word of a model that the words of their passages strongly deny (`store.scores.disputed`).
    """

    THUMBS_DOWN = "thumbs_down"
    DISPUTED = "disputed"
    UNSCORED = "unscored"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplingFrame:
    """Every item of a wave as arrays of one length. `is_eligible` is False for what an earlier wave has drawn.

    `values` is what the rule makes of the item's scores, nan where it is unscored; `right` what an earlier wave's label says,
    1 or 0, nan where there is none or it is unsure; `level` that of P(right) as these labels let expect it, None without any,
    and `source` and `fitted` what predicted it, where that is to be kept. Millions of items fit into memory: every byte an item
    counts.
    """

    keys: NDArray[np.int64]
    kinds: Coded
    values: Numbers
    right: NDArray[np.floating]
    is_eligible: Mask
    level: Levels | None = None
    source: PredictorSource | None = None
    fitted: TaughtPredictor | None = None

    @property
    def predicted(self) -> Numbers | None:
        """P(right) of each item as labels let expect it; None without any."""
        return None if self.level is None else looked_up(SHARES, self.level)

    @property
    def ranked(self) -> Numbers | Levels:
        """What items are ranked by: the level of what is predicted of them, before any label the rule's value."""
        return self.values if self.level is None else self.level

    @property
    def labelled(self) -> NDArray[np.intp]:
        """The rows of the items with a label that says right or wrong."""
        return np.flatnonzero(~np.isnan(self.right))

    def only(self, rows: NDArray[Any]) -> SamplingFrame:
        """Return these rows of the frame."""
        return replace(
            self,
            keys=self.keys[rows],
            kinds=self.kinds[rows],
            values=self.values[rows],
            right=self.right[rows],
            is_eligible=self.is_eligible[rows],
            level=None if self.level is None else self.level[rows],
        )

    def foreseen(self, scores: PredictorScores) -> SamplingFrame:
        """Return the frame with P(right) of each item as labels of other folds and these scores of all items let expect it."""
        rows = self.labelled
        if not len(rows):
            return self
        known = PredictorScores(scores.table[rows], scores.fold[rows])
        return replace(self, level=fit((), known, self.right[rows].astype(np.float64)).levels(scores))


class Known(NamedTuple):
    """Findings of earlier waves in a stratum: labels that say right or wrong, and how many say right."""

    n: int
    right: int


def kind_of(verdict: Verdict, *, is_thumbed_down: bool, is_disputed: bool) -> Stratum:
    """Return the kind of an item; a thumb down comes before a dispute, a dispute before the verdict.

    Only what passes can be disputed: an item that fails for all the model's praise is no danger, as nobody takes it for right.
    """
    if is_thumbed_down:
        return Stratum.THUMBS_DOWN
    if is_disputed and verdict is Verdict.PASS:
        return Stratum.DISPUTED
    return {
        Verdict.PASS: Stratum.PASSED,
        Verdict.FAIL: Stratum.FAILED,
        Verdict.UNSCORED: Stratum.UNSCORED,
    }[verdict]


def kind(stratum: str) -> Stratum:
    """Return the kind of a stratum: `passed_2` is passed."""
    name, _, number = stratum.rpartition("_")
    return Stratum(name if number.isdigit() else stratum)


def bins_for(frame: SamplingFrame, labels: int) -> Mapping[Verdict, int]:
    """Return how many bins passed and failed items are cut into: the more labels, the more, as few would leave them thin."""
    untried = UNTRIED if frame.level is None else 1.0
    return {
        verdict: max(1, min(most, int(labels / (LABELS_A_BIN[verdict] * untried))))
        for verdict, most in MOST_BINS.items()
    }


def stratify(frame: SamplingFrame, labels: int) -> Coded:
    """Return the stratum of each item, which depends on the labels by `bins_for` alone."""
    names, codes = list(frame.kinds.names), frame.kinds.codes.copy()
    wanted = bins_for(frame, labels)
    for stratum, verdict in ((Stratum.PASSED, Verdict.PASS), (Stratum.FAILED, Verdict.FAIL)):
        bins, rows = wanted[verdict], frame.kinds.among(stratum)
        if bins < 2 or not rows.any():
            continue
        edges = _edges(frame.ranked[rows], bins)
        if len(edges):
            codes[rows] = len(names)
            for edge in edges:
                codes += rows & (frame.ranked > edge)
            names += [f"{stratum.value}_{number + 1}" for number in range(bins)]
    return Coded(tuple(names), codes)


def bins_of(values: Numbers, bins: int) -> NDArray[np.uint8]:
    """Return the number of the bin of each value, from 0: cut where the cumulative counts come nearest to equal parts."""
    numbers = np.zeros(len(values), dtype=np.uint8)
    for edge in _edges(values.copy(), bins):
        numbers += values > edge
    return numbers


def _edges(values: Numbers | Levels, bins: int) -> list[float]:
    """Return the largest value of each bin but the last; none where none is to be parted, or one is nan. Sorts `values`."""
    values.sort()
    if not len(values) or np.isnan(values[-1]):
        return []
    edges = set[float]()
    for number in range(1, bins):
        target = len(values) * number / bins
        value = values[int(target)]
        around = (int(np.searchsorted(values, value, side)) for side in ("left", "right"))
        parted = [place for place in around if 0 < place < len(values)]
        if parted:
            edges.add(float(values[min(parted, key=lambda place: abs(place - target)) - 1]))
    return sorted(edges)


def count(frame: SamplingFrame, strata: Coded) -> dict[str, int]:
    """Return N_h of what may still be drawn."""
    return strata.count(frame.is_eligible)


def known(frame: SamplingFrame, strata: Coded) -> dict[str, Known]:
    """Return what the labels of earlier waves say of each stratum as it is cut now."""
    rows = frame.labelled
    names = strata[rows]
    right = names.count(frame.right[rows] == 1)
    return {name: Known(n, right.get(name, 0)) for name, n in names.count().items()}
