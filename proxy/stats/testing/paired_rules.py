"""Compare two rules with annotators on the same items: the difference of a measure and its variance by cluster.

Each measure is linearised: its influence on every label, so that the influences of the two rules subtract and what both get
from the same labels cancels. Overlapping intervals of two rules say nothing of their difference.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.intervals import CONFIDENCE, Interval, quantile
from proxy.stats.sampling.clusters import FEWEST, Ways, clustered, effective

Numbers = NDArray[np.float64]
MEASURES = ("accuracy", "kappa")


class RuleMeasure(NamedTuple):
    """A measure of one rule, and the influence of each label on it; nan where it is undefined (one class only)."""

    value: float
    influence: Numbers


class PairedDifference(NamedTuple):
    """The measure of each rule, their difference, its variance for the long run, and the effective number of clusters."""

    first: float
    second: float
    difference: float
    influence: Numbers
    variance: float
    clusters: float

    def interval(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Compute d -+ t sqrt(V) with C* - 1 df; None with fewer than two clusters, or where no label separates the rules."""
        if math.isnan(self.difference) or self.clusters < FEWEST - 1e-9 or not self.variance > 0:
            return None
        # C* - 1 also where nothing crosses: wider, because the influences of two rules are few and uneven.
        half = quantile(self.clusters - 1, confidence) * math.sqrt(self.variance)
        return Interval(self.difference - half, self.difference + half)


def measured(name: str, right: Numbers, passed: Numbers, weight: Numbers) -> RuleMeasure:
    """Compute accuracy or Cohen's kappa of weighted labels (1 right, 1 passed), linearised.

    kappa = (po - pe) / (1 - pe), pe = a b + (1 - a) (1 - b) with a the share that passes and b the share that is right; b is
    the same for both rules and stays in both influences.
    """
    mass = weight / weight.sum()
    same = (passed == right).astype(np.float64)
    agreed = float(mass @ same)
    if name == "accuracy":
        return RuleMeasure(agreed, mass * (same - agreed))
    a, b = float(mass @ passed), float(mass @ right)
    chance = a * b + (1 - a) * (1 - b)
    if chance > 1 - 1e-12 or not 0 < b < 1:
        return RuleMeasure(math.nan, np.zeros_like(mass))
    moved = (2 * b - 1) * (passed - a) + (2 * a - 1) * (right - b)
    influence = (same - agreed) / (1 - chance) - (1 - agreed) / (1 - chance) ** 2 * moved
    return RuleMeasure((agreed - chance) / (1 - chance), mass * influence)


def difference_of_rules(
    name: str, right: Numbers, passed: Numbers, passed_by_other: Numbers, weight: Numbers, ways: Ways
) -> PairedDifference:
    """Compute the measure of one rule minus that of the other, on items that both give a verdict."""
    first, second = (measured(name, right, verdict, weight) for verdict in (passed, passed_by_other))
    influence = first.influence - second.influence
    return PairedDifference(
        first=first.value,
        second=second.value,
        difference=first.value - second.value,
        influence=influence,
        variance=clustered(influence, ways).variance,
        clusters=effective(ways, weight).clusters,
    )
