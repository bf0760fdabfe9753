"""Labels that a plain random sample needs for a width, with an assurance: what every plan is held against.

The width is that of the same form as every estimate: Wilson at the effective n with t, finite population counted. What the
labels may turn out to be is summed exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.intervals import quantile

Numbers = NDArray[np.float64]
STAYS = 3  # the chance saws: it is to hold for so many labels more, too
MOST_SAWING = 60


class Belief(NamedTuple):
    """The share of right answers, as far as it is known: Beta with this mean and weight; infinite weight is a known share."""

    mean: float
    weight: float

    @classmethod
    def of(cls, shares: Numbers) -> Belief:
        """Return the Beta with the mean and the variance of these shares."""
        mean, variance = float(shares.mean()), float(shares.var())
        return cls(mean, mean * (1 - mean) / variance - 1 if variance > 1e-12 else np.inf)

    def chances(self, n: int) -> Numbers:
        """Compute P(x of n labels say right) for x = 0 ... n: binomial where the share is known, else beta-binomial."""
        from scipy.special import betaln, gammaln, xlog1py, xlogy

        x = np.arange(n + 1.0)
        ways = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
        if np.isinf(self.weight):
            return np.asarray(np.exp(ways + xlogy(x, self.mean) + xlog1py(n - x, -self.mean)), dtype=np.float64)
        a, b = self.mean * self.weight, (1 - self.mean) * self.weight
        return np.asarray(np.exp(ways + betaln(x + a, n - x + b) - betaln(a, b)), dtype=np.float64)


def widths(n: int, size: int) -> Numbers:
    """Compute the width of the 95 % interval for this window at x = 0 ... n right of n labels of `size` items.

    deff = (1 - f) n / (n - 1), f = n / size, is pulled to (1 - f) (1 + f) where it is below; Wilson at n / deff, t with n - 1.
    """
    if n >= size:
        return np.zeros(n + 1)
    left = 1 - n / size
    p = np.arange(n + 1) / n
    errors, pull = n * np.minimum(p, 1 - p), left * (2 - left)
    plain = left * n / (n - 1)
    deff = np.where(plain < pull, (errors * plain + pull) / (errors + 1), plain)
    effective, z = n / np.where(errors > 0, deff, left), quantile(n - 1)
    return np.asarray(
        2 * z / (1 + z**2 / effective) * np.sqrt(p * (1 - p) / effective + (z / (2 * effective)) ** 2), dtype=np.float64
    )


def reached(n: int, size: int, wanted: float, belief: Belief) -> float:
    """Compute P(the interval of n labels is at most as wide as wanted)."""
    return float(belief.chances(n)[widths(n, size) <= wanted + 1e-12].sum())


def plain_labels(size: int, wanted: float, assurance: float, belief: Belief) -> int:
    """Return the fewest labels of a plain random sample that reach the width with this assurance; `size` where only all do.

    Fewest is the least n that reaches it as n + 1 to n + STAYS do: the chance saws, because x is whole.
    """
    low, high = 1, 2
    while high < size and reached(high, size, wanted, belief) < assurance:
        low, high = high, 2 * high
    high = min(high, size)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle, size, wanted, belief) >= assurance else (middle, high)
    streak = 0
    for n in range(max(2, high - MOST_SAWING), size):
        streak = streak + 1 if reached(n, size, wanted, belief) >= assurance else 0
        if streak > STAYS:
            return n - STAYS
    return size - streak
