"""Measure how much a judge's scores move when it scores the same text twice.

Nothing here tells noise from a change of the judge: whoever brings the pairs knows that nothing but chance is between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import clopper_pearson, wilson

Numbers = NDArray[np.float64]
# Scores that differ by less have not moved: they were written in other digits.
ROUNDING = 1e-6
NOTHING = "not measurable: no text was scored twice"
COUNTED = "exact binomial; of texts scored twice"
# The variance of a number in [0, 1] is at most that of a count with the same mean.
MEAN = "Wilson for a mean of numbers in [0, 1], at least 95 %; of texts scored twice"


@dataclass(frozen=True, kw_only=True, slots=True)
class Moves:
    """The differences of `n` scores from the ones before: the share that differs, the share of verdicts that flip.

    `distance` is the mean of |after - before|, `largest` the largest.
    """

    n: int
    moved: Estimate
    flipped: Estimate
    distance: Estimate
    largest: float | None


def moves_of(before: Numbers, after: Numbers, threshold: float) -> Moves:
    """Measure the moves of scores in [0, 1], pair by pair; passing is strictly above the threshold."""
    apart = np.abs(after - before)
    flips = (before > threshold) != (after > threshold)
    return Moves(
        n=int(apart.size),
        moved=_share(int(np.sum(apart > ROUNDING)), apart.size),
        flipped=_share(int(np.sum(flips)), apart.size),
        distance=_mean(apart),
        largest=float(apart.max()) if apart.size else None,
    )


def _share(count: int, n: int) -> Estimate:
    if not n:
        return Estimate(estimate=None, reason=NOTHING)
    low, high = clopper_pearson(count, n)
    return Estimate(estimate=count / n, low=low, high=high, n=n, method=COUNTED)


def _mean(values: Numbers) -> Estimate:
    if not values.size:
        return Estimate(estimate=None, reason=NOTHING)
    mean = float(values.mean())
    low, high = wilson(mean, values.size)
    return Estimate(estimate=mean, low=low, high=high, n=int(values.size), method=MEAN)
