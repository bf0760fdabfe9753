"""Measure how two weighted scores go together: Pearson, Spearman, Kendall's tau-b, mean and root mean squared distance.

Each comes with its influence, one value a row that adds up to 0: the estimate's linearisation, from which the variance of any
design follows (`survey.design_variance`), or that of clusters (`clusters.clustered`, the infinitesimal jackknife). Nothing is
resampled, so a hundred thousand rows cost what a few sorts cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.agreement.confusion import Cells
from proxy.stats.effective import effective_n
from proxy.stats.intervals import CONFIDENCE, Interval, quantile, wilson

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
TINY = 1e-12
SLOPE = 1e-6


class Association(NamedTuple):
    """An estimate, and what each row adds to its error."""

    estimate: float
    influence: Numbers


def pearson(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Association | None:
    """Compute cov(x, y) / sqrt(var x var y), weighted; None where one of them does not vary.

    Influence w (a b - r (a^2 + b^2) / 2) with a, b standardised: Devlin, Gnanadesikan and Kettenring (1975), Biometrika 62:531.
    """
    a, b, w = _checked(x, y, weights)
    a, b = _centred(a, w), _centred(b, w)
    return _ratio(w, a * b, a * a, b * b)


def spearman(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Association | None:
    """Compute Pearson's r of the weighted mid-ranks F(x) and G(y); None where one of them does not vary.

    With u = F - 1/2, v = G - 1/2 the moment E[u v] has the influence u v + E[c(x, X) v(Y)] + E[u(X) c(y, Y)] - 3 E[u v], where
    c(x, X) is 1 if X > x and 1/2 if they tie: the ranks are estimated, too.
    """
    a, b, w = _checked(x, y, weights)
    u, v = _mid_ranks(a, w), _mid_ranks(b, w)
    both = u * v + _above(a, w * v) + _above(b, w * u)
    return _ratio(w, both, u * u + 2 * _above(a, w * u), v * v + 2 * _above(b, w * v), degree=3)


def kendall(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Association | None:
    """Compute tau-b over pairs of rows; None where one of the scores does not vary.

    tau-b = E[sign(x - x') sign(y - y')] / sqrt(P(x != x') P(y != y')).

    Kendall (1945), Biometrika 33:239. Each moment is of two rows, so that its influence is twice its mean given one of them.
    """
    a, b, w = _checked(x, y, weights)
    return _ratio(w, 2 * _concordance(a, b, w), 2 * _untied(a, w), 2 * _untied(b, w), degree=2)


def mean_distance(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Association:
    """Compute the MAE: the weighted mean of |x - y|."""
    a, b, w = _checked(x, y, weights)
    return weighted_mean(np.abs(a - b), w)


def squared_distance(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Association:
    """Compute the weighted mean of (x - y)^2: the square of the RMSE, and Brier's score where y is 0 or 1."""
    a, b, w = _checked(x, y, weights)
    return weighted_mean((a - b) ** 2, w)


def of_cells(function: Callable[[Cells], Numbers], cell: Indices, weights: Numbers) -> Association | None:
    """Compute a quantity of the 2x2 table and its influence.

    The influence is w (g_c - sum p g) / sum w with g its slopes in the shares p of the cells.

    `cell` numbers the cells in their order: right_pass, wrong_pass, right_fail, wrong_fail. None where it is undefined.
    """
    w = weights / weights.sum()
    p = np.bincount(cell, w, 4)
    steps = np.vstack([p, *(p + SLOPE * (np.eye(4) - p)), *(p - SLOPE * (np.eye(4) - p))])
    values = np.asarray(function(Cells(*steps.T)), dtype=np.float64)
    if not np.isfinite(values).all():
        return None
    slopes = (values[1:5] - values[5:]) / (2 * SLOPE)
    return Association(float(values[0]), w * slopes[cell])


def weighted_mean(values: ArrayLike, weights: ArrayLike | None = None) -> Association:
    """Compute sum w v / sum w, with the influence w (v - mean) / sum w."""
    v, _, w = _checked(values, values, weights)
    mean = float(w @ v)
    return Association(mean, w * (v - mean))


def correlation_interval(r: float, variance: float, df: float, confidence: float = CONFIDENCE) -> Interval | None:
    """Compute tanh(atanh r +- t_df sqrt(V) / (1 - r^2)); None at |r| = 1 or without a variance: then it says nothing.

    Fisher (1921), Metron 1:3.
    """
    if not abs(r) < 1 - TINY or variance <= TINY**2:
        return None
    half = quantile(max(1.0, df), confidence) * math.sqrt(variance) / (1 - r * r)
    centre = math.atanh(r)
    return Interval(math.tanh(centre - half), math.tanh(centre + half))


def share_interval(p: float, variance: float, n: float, df: float, confidence: float = CONFIDENCE) -> Interval:
    """Compute Wilson's interval for a mean of values in [0, 1] at its effective n; `n` where there is none.

    The effective n is that which gives p (1 - p) / n this variance.
    """
    if variance <= TINY**2 or not 0 < p < 1:
        return wilson(min(1.0, max(0.0, p)), n, df=max(1.0, df), confidence=confidence)
    # Values between 0 and 1 vary less than counts do: what they spare is theirs, so nothing is pulled towards plain counts.
    return wilson(p, effective_n(p, variance, n, n, pull=0.0), df=max(1.0, df), confidence=confidence)


def _ratio(w: Numbers, both: Numbers, first: Numbers, second: Numbers, degree: int = 1) -> Association | None:
    """Compute E[both] / sqrt(E[first] E[second]) of moments of `degree` rows.

    The moments are given by row: their means are `degree` times the moment.
    """
    moments = [float(w @ row) / degree for row in (both, first, second)]
    top, of_first, of_second = moments
    if of_first <= TINY or of_second <= TINY:
        return None
    scale = math.sqrt(of_first * of_second)
    ratio = max(-1.0, min(1.0, top / scale))
    errors = [row - degree * moment for row, moment in zip((both, first, second), moments, strict=True)]
    influence = w * (errors[0] / scale - ratio / 2 * (errors[1] / of_first + errors[2] / of_second))
    return Association(ratio, influence)


def _centred(values: Numbers, w: Numbers) -> Numbers:
    return values - float(w @ values)


def _mid_ranks(values: Numbers, w: Numbers) -> Numbers:
    """Compute the weighted share below each, ties half, less 1/2."""
    return 0.5 - _above(values, w)


def _above(values: Numbers, amounts: Numbers) -> Numbers:
    """Sum, for each row, the amounts of rows with a higher value, ties half."""
    distinct, number = np.unique(values, return_inverse=True)
    at = np.bincount(number, amounts, distinct.size)
    below = np.cumsum(at) - at
    return np.asarray((at.sum() - below - at / 2)[number], dtype=np.float64)


def _untied(values: Numbers, w: Numbers) -> Numbers:
    """Sum, for each row, the weight of the rows with another value."""
    _, number = np.unique(values, return_inverse=True)
    return np.asarray(1 - np.bincount(number, w)[number], dtype=np.float64)


def _concordance(x: Numbers, y: Numbers, w: Numbers) -> Numbers:
    """Sum, for each row, w' sign(x - x') sign(y - y') over all others, bit by bit of the rank of x.

    Rows that share all higher bits are distinguished by this one: there y and two running sums say who is below and above.
    """
    rank = np.unique(x, return_inverse=True)[1].astype(np.int64)
    place = np.unique(y, return_inverse=True)[1].astype(np.int64)
    count = int(place.max()) + 1
    total = np.zeros(len(x))
    for level in range(int(rank.max()).bit_length()):
        group, bit = rank >> (level + 1), (rank >> level) & 1
        key = group * count + place
        order = np.argsort(key, kind="stable")
        ordered, high = key[order], bit[order] == 1
        ends = [np.searchsorted(ordered, edge) for edge in (group * count, key, key + 1, (group + 1) * count)]
        for is_high in (True, False):
            # The others' weights, summed up to each of the four ends.
            sums = np.concatenate(([0.0], np.cumsum(np.where(high != is_high, w[order], 0.0))))
            start, low, top, end = (sums[index] for index in ends)
            members = (bit == 1) == is_high
            balance = (low - start) - (end - top)
            total[members] += balance[members] if is_high else -balance[members]
    return total


def _checked(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Numbers, Numbers, Numbers]:
    """Check the values and weights; return arrays, the weights adding up to 1."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    w = np.ones_like(a) if weights is None else np.asarray(weights, dtype=np.float64)
    if a.ndim != 1 or not a.shape == b.shape == w.shape or not np.isfinite([a, b, w]).all():
        raise ValueError(f"{a.shape} and {b.shape} values, {w.shape} weights: give finite ones of one length")
    if (w < 0).any() or not w.sum() > 0:
        raise ValueError("weights must be at least 0 and not all 0")
    return a, b, w / w.sum()
