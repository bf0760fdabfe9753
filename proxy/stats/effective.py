"""Compute Wilson's interval for an estimated proportion that is no plain count, at its effective sample size.

The effective n is that of an equally precise simple random sample. Where the labels all agree the variance says
nothing, so the width is never zero.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from proxy.stats.intervals import CONFIDENCE, Interval, wilson


def effective_n(
    p: float, variance: float, n: float, kish: float | None = None, pull: float = 1.0, most: float = math.inf
) -> float:
    """Compute n / deff with deff = V n / (p (1 - p)). Korn and Graubard (1998), Survey Methodology 24:193.

    A deff below `pull` is pulled towards it with the weight of one pseudo-error, deff <- (e deff + pull) / (e + 1) with
    e = n min(p, 1 - p), because a variance estimated from few errors flatters; a window of which most was seen pulls
    less. A deff above `most` and the pull is pulled down likewise: few errors that happen to lie where labels are thin say
    as little. Where V = 0, or p is 0 or 1 (or beyond, as a correction may carry it), Kish's n = (sum w)^2 / sum w^2 stands
    in; n itself where it is not given.
    """
    if n <= 0 or variance < 0 or not math.isfinite(p) or not math.isfinite(variance):
        raise ValueError(
            f"p={p}, variance={variance}, n={n}: give finite numbers, a variance >= 0 and at least one label"
        )
    # a variance of rounding errors is none
    if not 0 < p < 1 or variance * n <= 1e-12 * p * (1 - p):
        return float(n if kish is None else kish)
    deff, errors = variance * n / (p * (1 - p)), n * min(p, 1 - p)
    nearest = min(max(deff, pull), max(most, pull))
    return n * (errors + 1) / (errors * deff + nearest)


def window_n(p: float, window: float, whole: float, n: float, kish: float) -> float:
    """Compute the effective n for the items at hand: infinite once all were seen, `effective_n` while hardly any were.

    `whole` is the variance without the finite population correction, `window` with it, f = window / whole. Kish's n counts for
    1 / f as much, and the pull towards 1 fades as 1 - (1 - f)^2, so that it is there until the census nears. Weights alone make
    deff n / kish: what is above is pulled down.
    """
    left = window / whole if whole > 0 else 0.0
    if left <= 0:
        return math.inf
    return effective_n(p, window, n, kish / left, pull=left * (2 - left), most=left * n / kish)


def wilson_effective(
    p: float, variance: float, n: float, df: float, kish: float | None = None, confidence: float = CONFIDENCE
) -> Interval:
    """Compute Wilson's interval at the effective n with t_df in place of z; a p beyond 0 or 1 is read as 0 or 1."""
    n_effective = effective_n(p, variance, n, kish)
    return wilson(min(1.0, max(0.0, p)), n_effective, df=df, confidence=confidence)


def kish_n(weights: ArrayLike) -> float:
    """Compute (sum w)^2 / sum w^2: the number of labels of equal weight that tell as much."""
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim != 1 or not w.size or not np.isfinite(w).all() or w.min() < 0 or w.sum() == 0:
        raise ValueError("give one weight at least, none negative, not all 0")
    w = w / w.max()
    return float(w.sum() ** 2 / (w**2).sum())
