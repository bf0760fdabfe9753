"""Compute Krippendorff's alpha, 1 - observed / expected disagreement, and intervals by resampling items.

It works on the `Tally` of kappa.py, so any number of raters and any gaps. Only items with two ratings count;
where all of those ratings are one value alpha is undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.agreement.kappa import NO_PAIR, ONE_VALUE, Coefficient, Tally
from proxy.stats.intervals import CONFIDENCE, Interval

Numbers = NDArray[np.float64]
REPETITIONS = 2000
MOST_UNDEFINED = 0.05


class Resampled(NamedTuple):
    """A coefficient with its interval over items, None with the reason; `undefined` is the share of resamples without a value."""

    coefficient: Coefficient
    interval: Interval | None
    undefined: float
    reason: str | None = None


def alpha(tally: Tally) -> Coefficient:
    """Compute 1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck, where d is 1 for unlike values and 0 for like ones.

    o are the coincidences, n_c their margins, n = sum n_c. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
    for values that are names only (nominal).
    """
    paired = tally.paired
    margins = paired @ tally.counts
    n = float(margins.sum())
    if not n:
        return Coefficient(None, 0, NO_PAIR)
    distance = 1 - np.eye(len(tally.values))
    expected = float(margins @ distance @ margins)
    if not expected:
        return Coefficient(None, int(paired.sum()), ONE_VALUE)
    weight = paired / np.maximum(tally.raters - 1, 1)
    observed = float(weight @ ((tally.counts @ distance) * tally.counts).sum(axis=1))
    return Coefficient(1 - (n - 1) * observed / expected, int(paired.sum()))


def resampled(
    tally: Tally,
    coefficient: Callable[[Tally], Coefficient],
    rng: np.random.Generator,
    *,
    repetitions: int = REPETITIONS,
    confidence: float = CONFIDENCE,
) -> Resampled:
    """Compute the percentile interval of `coefficient` over resampled items. Efron (1979), Annals of Statistics 7:1.

    Resamples in which the coefficient is undefined (one value only, no item with two ratings) are left out and their share
    told; above 5 % there is no interval, because what is left is no longer a picture of chance. Nor is there one where all
    resamples agree: items that never disagree show no spread, and a width of 0 would be a claim that they cannot make.
    """
    if repetitions < 100 or not 0 < confidence < 1:
        raise ValueError(f"{repetitions} repetitions, confidence {confidence}: give at least 100 and a share below 1")
    whole = coefficient(tally)
    if whole.estimate is None:
        return Resampled(whole, None, 1.0, whole.reason)
    drawn = rng.multinomial(int(tally.items.sum()), tally.items / tally.items.sum(), repetitions).astype(np.float64)
    # Few items make few different resamples: each is measured once.
    different, times = np.unique(drawn, axis=0, return_counts=True)
    every = [coefficient(tally._replace(items=items)).estimate for items in different]
    known = np.array([value is not None for value in every])
    defined = np.repeat(np.array([value for value in every if value is not None]), times[known])
    undefined = 1 - defined.size / repetitions
    if undefined > MOST_UNDEFINED:
        return Resampled(
            whole, None, undefined, f"undefined in {undefined:.0%} of the resamples: label more items twice"
        )
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    if high - low <= 1e-12:
        return Resampled(
            whole, None, undefined, "the items do not differ enough to show a spread: label more items twice"
        )
    return Resampled(whole, Interval(low, high), undefined)
