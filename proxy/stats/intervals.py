"""Compute intervals for a proportion that hold their coverage at small n and never leave [0, 1]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A two-sided interval."""

    low: float
    high: float

    def __repr__(self) -> str:
        """Write both ends in brief, as `Estimate` does."""
        return f"Interval(low {self.low:.4g}, high {self.high:.4g})"


def quantile(df: float = math.inf, confidence: float = CONFIDENCE) -> float:
    """Compute t_{df, 1 - alpha/2}; the normal quantile at infinite df."""
    from scipy.special import ndtri, stdtrit  # loaded on use: most commands compute nothing

    upper = (1 + confidence) / 2
    return float(ndtri(upper) if math.isinf(df) else stdtrit(df, upper))


def wilson(p: float, n: float, *, df: float = math.inf, confidence: float = CONFIDENCE) -> Interval:
    """Compute Wilson's interval: the p0 with |p - p0| <= z sqrt(p0 (1 - p0) / n).

    n may be an effective sample size, infinite for a census.

    Wilson (1927), JASA 22:209. With a t quantile in place of z it is the interval of Dean and Pagano (2015) for surveys.
    """
    if math.isinf(n):
        return Interval(p, p)
    z = quantile(df, confidence)
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low = 0.0 if p == 0 else max(0.0, centre - half)
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return Interval(low, high)


def joined(p: float, intervals: Sequence[Interval]) -> Interval:
    """Compute the interval for p whose error is the sum of independent errors, of each of which an interval is known.

    Each end e tells a variance in the form of Wilson's interval, (p - e)^2 = k e (1 - e); the joint end L solves
    (p - L)^2 = L (1 - L) sum k. So it lies beyond each single end, inside (0, 1) where p and they do, and is that end where
    there is but one. The variances are recovered at the ends, as by Zou and Donner (2008), Statistics in Medicine 27:1693, who
    add on the plain scale: there two errors that each end below 1 may together end above it.

    Parameters
    ----------
    p : float
        The estimate.
    intervals : Sequence of Interval
        An interval about p for each error alone.

    Returns
    -------
    Interval
    """
    return Interval(
        _joint_end(p, [interval.low for interval in intervals]),
        _joint_end(p, [interval.high for interval in intervals]),
    )


def _joint_end(p: float, ends: Sequence[float]) -> float:
    for end in ends:
        if end in (0.0, 1.0) and end != p:
            return end
    total = sum((p - end) ** 2 / (end * (1 - end)) for end in ends if end != p)
    if not total:
        return p
    around = wilson(p, quantile() ** 2 / total)
    return around.low if min(ends) < p else around.high


def clopper_pearson(x: float, n: float, *, confidence: float = CONFIDENCE) -> Interval:
    """Compute the exact binomial interval: quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x).

    Clopper and Pearson (1934), Biometrika 26:404. It covers at least the nominal share at every n and p.
    """
    from scipy.special import betaincinv

    alpha = 1 - confidence
    low = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, alpha / 2))
    high = 1.0 if x == n else float(betaincinv(x + 1, n - x, 1 - alpha / 2))
    return Interval(low, high)


def with_unknown(known: Interval, unknown_share: float) -> Interval:
    """Widen to [(1 - u) low, (1 - u) high + u]: a part u of the whole is not known, be it all wrong or all right.

    Manski (1995), Identification Problems in the Social Sciences, ch. 2.
    """
    low, high = known
    return Interval((1 - unknown_share) * low, (1 - unknown_share) * high + unknown_share)
