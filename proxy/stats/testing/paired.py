"""Compare two proportions: a difference with its interval, or a p-value.

Paired means that the same items were answered twice: only the items on which the two differ tell them apart. All differences
are second minus first for pairs (after minus before), first minus second for independent samples, as their names say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy.special import bdtr

from proxy.stats.intervals import CONFIDENCE, Interval, quantile, wilson


class Difference(NamedTuple):
    """A difference, or a sum, with its interval."""

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
    pairs.check()
    fewer, differing = min(pairs.only_first, pairs.only_second), pairs.only_first + pairs.only_second
    return min(1.0, 2 * float(bdtr(fewer, differing, 0.5)))


def mcnemar_mid_p(pairs: Pairs) -> float:
    """Compute the exact p minus P(Bin(b + c, 1/2) = min(b, c)), or 1 minus half of it where b = c; 1 where no item differs.

    Less conservative than the exact test and hardly ever above its level. Fagerland, Lydersen and Laake (2013), BMC Med. Res.
    Methodology 13:91.
    """
    pairs.check()
    fewer, differing = min(pairs.only_first, pairs.only_second), pairs.only_first + pairs.only_second
    if not differing:
        return 1.0
    point = float(bdtr(fewer, differing, 0.5)) - (float(bdtr(fewer - 1, differing, 0.5)) if fewer else 0.0)
    if pairs.only_first == pairs.only_second:
        return 1 - point / 2
    return mcnemar_exact(pairs) - point


def bonett_price(pairs: Pairs, confidence: float = CONFIDENCE) -> Difference:
    """Compute p2 - p1 +- z sqrt((p2 + p1 - (p2 - p1)^2) / (n + 2)).

    p1 = (only first + 1) / (n + 2), p2 likewise.

    P(second right) - P(first right) of the same items; adjusted Wald, cut to [-1, 1]. Bonett and Price (2012), J. Educational
    and Behavioral Statistics 37:479.
    """
    pairs.check()
    first, second = ((count + 1) / (pairs.n + 2) for count in (pairs.only_first, pairs.only_second))
    difference = second - first
    half = quantile(confidence=confidence) * math.sqrt((first + second - difference**2) / (pairs.n + 2))
    return Difference(difference, max(-1.0, difference - half), min(1.0, difference + half))


def newcombe(x1: float, n1: float, x2: float, n2: float, confidence: float = CONFIDENCE) -> Difference:
    """Compute x1/n1 - x2/n2 of independent samples by `mover_difference` from Wilson's intervals. Newcombe (1998)."""
    p1, p2 = _share(x1, n1), _share(x2, n2)
    return mover_difference(p1, wilson(p1, n1, confidence=confidence), p2, wilson(p2, n2, confidence=confidence))


def miettinen_nurminen(x1: float, n1: float, x2: float, n2: float, confidence: float = CONFIDENCE) -> Difference:
    """Find the differences d of p1 - p2 whose score test does not reject: |x1/n1 - x2/n2 - d| <= z se(d).

    se(d)^2 = N / (N - 1) (r1 (1 - r1) / n1 + r2 (1 - r2) / n2), r the maximum likelihood under r1 - r2 = d, N = n1 + n2.
    Miettinen and Nurminen (1985), Statistics in Medicine 4:213.
    """
    return _score(x1, n1, x2, n2, confidence, slip=0.0)


def statsmodels_score(x1: float, n1: float, x2: float, n2: float, confidence: float = CONFIDENCE) -> Difference:
    """Compute the same as statsmodels 0.15 (`confint_proportions_2indep`, method "score"), for comparison with it only.

    Its cubic for r2 has x2 d where the likelihood's has n2 d (known there, unmended), so r is not the maximum and the ends
    stray by some .002.
    """
    return _score(x1, n1, x2, n2, confidence, slip=n2 - x2)


def _score(x1: float, n1: float, x2: float, n2: float, confidence: float, slip: float) -> Difference:
    difference, z = _share(x1, n1) - _share(x2, n2), quantile(confidence=confidence)

    def rejects(d: float) -> bool:
        return abs(difference - d) > z * _null_error(x1, n1, x2, n2, d, slip)

    return Difference(difference, _edge(difference, -1.0, rejects), _edge(difference, 1.0, rejects))


def _null_error(x1: float, n1: float, x2: float, n2: float, d: float, slip: float) -> float:
    """Compute se(d) at r2, the root of the cubic l3 r^3 + l2 r^2 + l1 r + l0 that is no less than 0 and no more than 1 - d."""
    l3, l2 = n1 + n2, (n1 + 2 * n2) * d - n1 - n2 - x1 - x2
    l1, l0 = ((n2 - slip) * d - n1 - n2 - 2 * x2) * d + x1 + x2, x2 * d * (1 - d)
    q = (l2 / (3 * l3)) ** 3 - l1 * l2 / (6 * l3**2) + l0 / (2 * l3)
    p = math.copysign(math.sqrt(max(0.0, (l2 / (3 * l3)) ** 2 - l1 / (3 * l3))), q)
    angle = (math.pi + math.acos(max(-1.0, min(1.0, q / p**3)))) / 3 if p else 0.0
    # rounding may carry the root past what r2 and r1 = r2 + d can be
    r2 = min(max(2 * p * math.cos(angle) - l2 / (3 * l3), 0.0, -d), 1.0, 1.0 - d)
    r1 = min(1.0, max(0.0, r2 + d))
    return math.sqrt(l3 / (l3 - 1) * (r1 * (1 - r1) / n1 + r2 * (1 - r2) / n2))


def _edge(inside: float, end: float, rejects: Callable[[float], bool]) -> float:
    """Find where rejection begins between a value inside and an end of the range, by bisection; the end where it never does."""
    if not rejects(end):
        return end
    outside = end
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if rejects(middle) else (middle, outside)
    return inside


def mover_difference(a: float, a_in: Interval, b: float, b_in: Interval, *, correlation: float = 0.0) -> Difference:
    """Compute a - b from an interval of either by MOVER.

    low = a - b - sqrt(u^2 + v^2 - 2 r u v), u = a - a_low, v = b_high - b; high mirrored.

    The method of variance estimates recovery: it keeps the skewness of both. `correlation` is that of the two estimates. Zou and
    Donner (2008), Statistics in Medicine 27:1693.
    """
    _check(a, a_in, correlation)
    _check(b, b_in, correlation)
    below = _joined(a - a_in.low, b_in.high - b, -correlation)
    above = _joined(a_in.high - a, b - b_in.low, -correlation)
    return Difference(a - b, a - b - below, a - b + above)


def mover_sum(a: float, a_in: Interval, b: float, b_in: Interval, *, correlation: float = 0.0) -> Difference:
    """Compute a + b from an interval of either by MOVER.

    low = a + b - sqrt(u^2 + v^2 + 2 r u v), u = a - a_low, v = b - b_low; high mirrored.
    """
    _check(a, a_in, correlation)
    _check(b, b_in, correlation)
    below = _joined(a - a_in.low, b - b_in.low, correlation)
    above = _joined(a_in.high - a, b_in.high - b, correlation)
    return Difference(a + b, a + b - below, a + b + above)


def _joined(u: float, v: float, correlation: float) -> float:
    return math.sqrt(max(0.0, u**2 + v**2 + 2 * correlation * u * v))


def _check(estimate: float, interval: Interval, correlation: float) -> None:
    if not interval.low <= estimate <= interval.high or not -1 <= correlation <= 1:
        raise ValueError(
            f"{estimate} in {tuple(interval)}, correlation {correlation}: give an estimate inside its interval, r in [-1, 1]"
        )


def _share(x: float, n: float) -> float:
    if not 0 <= x <= n or not n:
        raise ValueError(f"{x} of {n}: count a part and its whole, of at least one")
    return x / n
