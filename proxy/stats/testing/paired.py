"""Compare two proportions: a difference with its interval, or a p-value.

Paired means that the same items were answered twice: only the items on which the two differ tell them apart. All differences
are second minus first for pairs (after minus before), first minus second for independent samples, as their names say.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from proxy.stats.intervals import CONFIDENCE, Interval, quantile


class DifferenceInterval(NamedTuple):
    """A difference with its interval."""

    estimate: float
    low: float
    high: float


class Pairs(NamedTuple):
    """Items by who was right on them: both, only the first, only the second, neither."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def n(self) -> int:
        """The number of pairs."""
        return sum(self)

    def check(self) -> None:
        """Raise ValueError unless there are pairs and no count is negative."""
        if min(self) < 0 or not self.n:
            raise ValueError(f"{tuple(self)}: give the four counts of at least one pair, none negative")


def mcnemar_exact(pairs: Pairs) -> float:
    """Compute 2 P(Bin(b + c, 1/2) <= min(b, c)), at most 1: the two-sided exact test of b = c.

    McNemar (1947), Psychometrika 12:153.
    """
    from scipy.special import bdtr

    pairs.check()
    fewer, differing = min(pairs.only_first, pairs.only_second), pairs.only_first + pairs.only_second
    return min(1.0, 2 * float(bdtr(fewer, differing, 0.5)))


def mcnemar_mid_p(pairs: Pairs) -> float:
    """Compute the exact p minus P(Bin(b + c, 1/2) = min(b, c)), or 1 minus half of it where b = c; 1 where no item differs.

    Less conservative than the exact test and hardly ever above its level. Fagerland, Lydersen and Laake (2013), BMC Med. Res.
    Methodology 13:91.
    """
    from scipy.special import bdtr

    pairs.check()
    fewer, differing = min(pairs.only_first, pairs.only_second), pairs.only_first + pairs.only_second
    if not differing:
        return 1.0
    point = float(bdtr(fewer, differing, 0.5)) - (float(bdtr(fewer - 1, differing, 0.5)) if fewer else 0.0)
    if pairs.only_first == pairs.only_second:
        return 1 - point / 2
    return mcnemar_exact(pairs) - point


def bonett_price(pairs: Pairs, confidence: float = CONFIDENCE) -> DifferenceInterval:
    """Compute p2 - p1 +- z sqrt((p2 + p1 - (p2 - p1)^2) / (n + 2)).

    p1 = (only first + 1) / (n + 2), p2 likewise.

    P(second right) - P(first right) of the same items; adjusted Wald, cut to [-1, 1]. Bonett and Price (2012), J. Educational
    and Behavioral Statistics 37:479.
    """
    pairs.check()
    first, second = ((count + 1) / (pairs.n + 2) for count in (pairs.only_first, pairs.only_second))
    difference = second - first
    half = quantile(confidence=confidence) * math.sqrt((first + second - difference**2) / (pairs.n + 2))
    return DifferenceInterval(difference, max(-1.0, difference - half), min(1.0, difference + half))


def mover_difference(
    a: float, a_in: Interval, b: float, b_in: Interval, *, correlation: float = 0.0
) -> DifferenceInterval:
    """Compute a - b from an interval of either by MOVER.

    low = a - b - sqrt(u^2 + v^2 - 2 r u v), u = a - a_low, v = b_high - b; high mirrored.

    The method of variance estimates recovery: it keeps the skewness of both. `correlation` is that of the two estimates. Zou and
    Donner (2008), Statistics in Medicine 27:1693.
    """
    _check(a, a_in, correlation)
    _check(b, b_in, correlation)
    below = _joined(a - a_in.low, b_in.high - b, -correlation)
    above = _joined(a_in.high - a, b - b_in.low, -correlation)
    return DifferenceInterval(a - b, a - b - below, a - b + above)


def _joined(u: float, v: float, correlation: float) -> float:
    return math.sqrt(max(0.0, u**2 + v**2 + 2 * correlation * u * v))


def _check(estimate: float, interval: Interval, correlation: float) -> None:
    if not interval.low <= estimate <= interval.high or not -1 <= correlation <= 1:
        raise ValueError(
            f"{estimate} in {tuple(interval)}, correlation {correlation}: give an estimate inside its interval, r in [-1, 1]"
        )
