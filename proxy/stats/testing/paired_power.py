"""Estimate the mean difference of pairs of which some are labelled, from scores of all pairs.

A pair is a question that two systems answered, D = right of the second minus right of the first, in [-1, 1]; every pair has a
score d of its own, and a labelled pair had a known chance P to be labelled on both sides. The rule: each form speaks of the long
run, of questions like these, and none has zero width because the labels happen to agree.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.intervals import CONFIDENCE, Interval, clopper_pearson, quantile
from proxy.stats.sampling.clusters import Members
from proxy.stats.testing.paired import DifferenceInterval

Numbers = NDArray[np.float64]
# Below it t and the tuning cost more width than a proxy gives back (see the tests of the coverage).
FEWEST_POWERED = 50
MOST_LEVERAGE = 0.5


class PoweredDifference(NamedTuple):
    """A mean difference with its interval; `slope` 0 is the form that uses the labels alone.

    `inflation` is how much larger its variance is because pairs share groups.
    """

    difference: DifferenceInterval
    slope: float
    n: int
    inflation: float = 1.0


class Inflated(NamedTuple):
    """The factor by which a variance is larger because units share groups, and its df (infinite where none does)."""

    factor: float = 1.0
    df: float = math.inf


APART = Inflated()


def paired_difference(
    differences: ArrayLike,
    scores: ArrayLike,
    chances: ArrayLike,
    everyone: tuple[int, float],
    confidence: float = CONFIDENCE,
    members: Members | None = None,
) -> PoweredDifference:
    """Choose the form to report: `powered` from FEWEST_POWERED pairs where scores help; else `weighted_bonett_price`.

    `everyone` is how many pairs there are and the mean of their scores; `members` the groups that the labelled pairs lie in.
    """
    d, f, p = _checked(differences, scores, chances)
    together = _inflated(d, 1 / p, members)
    if d.size >= FEWEST_POWERED and everyone[0] > d.size:
        tuned = powered(d, f, p, everyone, confidence, together)
        if tuned.slope > 0:
            return tuned
    return PoweredDifference(weighted_bonett_price(d, p, confidence, together), 0.0, d.size, together.factor)


def _inflated(values: Numbers, weight: Numbers, members: Members | None) -> Inflated:
    """Compute the inflation of a weighted mean of values, one per unit."""
    if members is None or not members.is_together:
        return APART
    influence = weight * (values - float(np.average(values, weights=weight))) / weight.sum()
    return Inflated(members.inflation(influence, weight), members.effective(weight).df)


def weighted_bonett_price(
    differences: ArrayLike, chances: ArrayLike, confidence: float = CONFIDENCE, together: Inflated = APART
) -> DifferenceInterval:
    """Compute the mean of w D, w = 1 / P, with Bonett and Price's interval (2012) at Kish's n.

    Kish's n = (sum w)^2 / sum w^2 stands in place of the count.

    Where pairs are together n is divided by their factor, and t at their df stands for z.

    With m+ and m- the means of D's positive and negative parts, (n m+ + 1) / (n + 2) and (n m- + 1) / (n + 2) are its p2 and p1.
    Equal chances and D in {-1, 0, 1} give `paired.bonett_price` itself, around the plain difference.
    """
    d, _, p = _checked(differences, differences, chances)
    w = 1 / p
    n = float(w.sum() ** 2 / (w**2).sum()) / together.factor
    gained, lost = (float((w * part).sum() / w.sum()) for part in (np.maximum(d, 0), np.maximum(-d, 0)))
    p2, p1 = (n * gained + 1) / (n + 2), (n * lost + 1) / (n + 2)
    half = quantile(together.df, confidence) * math.sqrt((p2 + p1 - (p2 - p1) ** 2) / (n + 2))
    return _difference(gained - lost, p2 - p1, half)


def powered(
    differences: ArrayLike,
    scores: ArrayLike,
    chances: ArrayLike,
    everyone: tuple[int, float],
    confidence: float = CONFIDENCE,
    together: Inflated = APART,
) -> PoweredDifference:
    """Estimate by PPI++ on differences: sum w (D - b d) / sum w + b mean(all d).

    w = 1 / P, b = cov(D, d) / var(d) clipped to [0, 1].

    V = sum w (w - 1) (r / (1 - h))^2 / W^2 + sum w (e / (1 - w / W))^2 / (W N): what chance chose of the N pairs, r = e - b d
    centred and h its leverages (HC3), and what the pairs are as a sample of all questions, e = D - mean; b is fitted by
    w (w - 1). As with Bonett and Price two pairs more, one of each kind, pull the centre to 0 and keep V from 0, and a V below
    that of the labels alone is pulled towards it with the weight of one pair that differs. t at n - 2; where pairs are together V
    is multiplied by their factor, and their df stands for n - 2 if it is less.
    Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453, as a regression estimator: Särndal et al. (1992), 6.4.
    """
    d, f, p = _checked(differences, scores, chances)
    w, (total, mean_of_all) = 1 / p, everyone
    whole = float(w.sum())
    mean, mean_score = float((w * d).sum() / whole), float((w * f).sum() / whole)
    e, score = d - mean, f - mean_score
    chosen = w * (w - 1)
    spread = float((chosen * score**2).sum())
    slope = min(1.0, max(0.0, float((chosen * score * e).sum()) / spread)) if spread > 1e-12 else 0.0
    leverage = np.minimum(chosen * score**2 / max(spread, 1e-12) + w / whole, MOST_LEVERAGE)
    within = float((chosen * ((e - slope * score) / (1 - leverage)) ** 2).sum()) / whole**2
    beyond = float((w * (e / (1 - np.minimum(w / whole, MOST_LEVERAGE))) ** 2).sum()) / whole / max(total, d.size)
    n, differing = whole**2 / float((w**2).sum()), float((w * np.abs(d)).sum()) / whole
    plain = (differing - mean**2) / n
    # Few pairs that differ, and all as the proxy had them, flatter it: as in `effective_n` one more would be plain.
    deff = (within + beyond) / plain if plain > 1e-12 else 1.0
    deff = deff if deff > 1 else (n * differing * deff + 1) / (n * differing + 1)
    pull = n / (n + 2)
    estimate = mean + slope * (mean_of_all - mean_score)
    variance = together.factor * (deff * max(plain, 0.0) * pull**2 + 2 * min(1.0, deff) / (n + 2) ** 2)
    half = quantile(max(1, min(d.size - 2, together.df)), confidence) * math.sqrt(variance)
    return PoweredDifference(_difference(estimate, estimate * pull, half), slope, d.size, together.factor)


class MeanWithin(NamedTuple):
    """A mean over `n` values; no interval where one value, or values that all agree, cannot give it."""

    mean: float
    low: float | None
    high: float | None
    n: int


def mean_of(values: ArrayLike, members: Members | None = None, confidence: float = CONFIDENCE) -> MeanWithin:
    """Compute mean +- t_{n-1} s / sqrt(n): of paired differences, this is the paired t interval.

    Student (1908), Biometrika 6:1.

    `members` are the groups that the values lie in: where these hold several, the variance is by cluster, with its df.
    """
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    if not _tells(x, members) or float(x.max()) == float(x.min()):
        return MeanWithin(mean, None, None, x.size)
    variance, df = _of_mean(x, members)
    half = quantile(df, confidence) * math.sqrt(variance)
    return MeanWithin(mean, mean - half, mean + half, x.size)


def welch(
    first: ArrayLike,
    second: ArrayLike,
    members: tuple[Members | None, Members | None] = (None, None),
    confidence: float = CONFIDENCE,
) -> MeanWithin:
    """Compute the mean of the second minus that of the first, of independent values; `n` is of both.

    Welch (1947), Biometrika 34:28.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    difference, n = float(b.mean() - a.mean()), a.size + b.size
    if not (_tells(a, members[0]) and _tells(b, members[1])):
        return MeanWithin(difference, None, None, n)
    parts, dfs = np.array([_of_mean(a, members[0]), _of_mean(b, members[1])]).T
    variance = float(parts.sum())
    if not variance:
        return MeanWithin(difference, None, None, n)
    df = variance**2 / float((parts**2 / dfs).sum())
    half = quantile(df, confidence) * math.sqrt(variance)
    return MeanWithin(difference, difference - half, difference + half, n)


def alike(value: float, n: int, span: tuple[float, float], confidence: float = CONFIDENCE) -> Interval:
    """Bound the mean of values within `span` where n independent ones all are `value`.

    The share of all values that are like these is at least the lower end s of Clopper and Pearson's interval of n out of n,
    (alpha / 2)^(1 / n), and the mean of the rest lies somewhere in the span: s value + (1 - s) low to s value + (1 - s) high.
    """
    share = clopper_pearson(n, n, confidence=confidence).low
    low, high = (share * value + (1 - share) * end for end in span)
    return Interval(low, high)


def _tells(x: Numbers, members: Members | None) -> bool:
    """Return whether there are at least two values, in at least two effective clusters."""
    return x.size >= 2 and (members is None or members.effective(np.ones(x.size)).reason is None)


def _of_mean(x: Numbers, members: Members | None) -> tuple[float, float]:
    """Compute the variance of the mean, and its degrees of freedom."""
    together = _inflated(x, np.ones(x.size), members)
    return together.factor * float(x.var(ddof=1)) / x.size, min(x.size - 1.0, together.df)


def _difference(estimate: float, centre: float, half: float) -> DifferenceInterval:
    """Cut the difference to [-1, 1], wide enough to hold the estimate."""
    estimate = min(1.0, max(-1.0, estimate))
    return DifferenceInterval(estimate, max(-1.0, min(centre - half, estimate)), min(1.0, max(centre + half, estimate)))


def _checked(differences: ArrayLike, scores: ArrayLike, chances: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
    d, f, p = (np.asarray(column, dtype=np.float64) for column in (differences, scores, chances))
    if not d.size or d.ndim != 1 or not d.shape == f.shape == p.shape or not np.isfinite([d, f, p]).all():
        raise ValueError(f"{d.shape} differences, {f.shape} scores, {p.shape} chances: give one of each for each pair")
    if float(p.min()) <= 0 or float(p.max()) > 1 or float(np.abs(d).max()) > 1:
        raise ValueError("give chances in (0, 1] and differences in [-1, 1]")
    return d, f, p
