"""Frame of a wave: every item with what is known of it before anyone labels, and from that its stratum.

Strata are thumbs-down, disputed, unscored, and passed and failed items cut into bins by what earlier labels let expect of them
(`Frame.ranked`); bin 1 holds the lowest. Items of equal rank are never parted, and a bin never reaches across the threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.levels import SHARES
from proxy.evaluation.predictor import PredictorScores, PredictorSource, fit
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

    `value` is what the rule makes of the item's scores, nan where it is unscored; `right` what an earlier wave's label says,
    1 or 0, nan where there is none or it is unsure; `predicted` what these labels let expect of each item, None without any,
    and `source` what predicted it, where that is to be kept.
    """

    keys: NDArray[np.int64]
    ids: Sequence[str]
    kinds: NDArray[np.str_]
    values: Numbers
    right: Numbers
    is_eligible: Mask
    predicted: Numbers | None = None
    source: PredictorSource | None = None

    @property
    def ranked(self) -> Numbers:
        """What items are ranked by: what is predicted of them, before any label the rule's value."""
        return self.values if self.predicted is None else self.predicted

    def foreseen(self, scores: PredictorScores) -> SamplingFrame:
        """Return the frame with P(right) of each item as labels of other folds and these scores of all items let expect it."""
        labelled = ~np.isnan(self.right)
        if not labelled.any():
            return self
        predictor = fit((), PredictorScores(scores.table[labelled], scores.fold[labelled]), self.right[labelled])
        return replace(self, predicted=SHARES[predictor.levels(scores)])


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
    untried = UNTRIED if frame.predicted is None else 1.0
    return {
        verdict: max(1, min(most, int(labels / (LABELS_A_BIN[verdict] * untried))))
        for verdict, most in MOST_BINS.items()
    }


def stratify(frame: SamplingFrame, labels: int) -> NDArray[np.str_]:
    """Return the stratum of each item, which depends on the labels by `bins_for` alone."""
    strata = frame.kinds.astype("U16")
    wanted = bins_for(frame, labels)
    for stratum, verdict in ((Stratum.PASSED, Verdict.PASS), (Stratum.FAILED, Verdict.FAIL)):
        bins = wanted[verdict]
        rows = np.flatnonzero(frame.kinds == stratum.value)
        if bins < 2 or not len(rows) or np.isnan(frame.ranked[rows]).any():
            continue
        numbers = bins_of(frame.ranked[rows], bins)
        if numbers.max() > 0:
            names = np.array([f"{stratum.value}_{number + 1}" for number in range(bins)])
            strata[rows] = names[numbers]
    return strata


def bins_of(values: Numbers, bins: int) -> NDArray[np.intp]:
    """Return the number of the bin of each value, from 0: cut where the cumulative counts come nearest to equal parts."""
    levels, counts = np.unique(values, return_counts=True)
    below = np.cumsum(counts)[:-1]
    if not len(below):
        return np.zeros(len(values), dtype=np.intp)
    targets = len(values) * np.arange(1, bins) / bins
    edges = np.unique([int(np.abs(below - target).argmin()) for target in targets])
    return np.searchsorted(levels[edges], values, side="left")


def count(frame: SamplingFrame, strata: NDArray[np.str_]) -> dict[str, int]:
    """Return N_h of what may still be drawn."""
    return dict(Counter(strata[frame.is_eligible].tolist()))


def known(frame: SamplingFrame, strata: NDArray[np.str_]) -> dict[str, Known]:
    """Return what the labels of earlier waves say of each stratum as it is cut now."""
    labelled = ~np.isnan(frame.right)
    names, place = np.unique(strata[labelled], return_inverse=True)
    counts, right = np.bincount(place), np.bincount(place, frame.right[labelled])
    return {str(name): Known(int(counts[n]), int(right[n])) for n, name in enumerate(names)}
