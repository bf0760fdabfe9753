"""Estimate means from labels drawn with unequal, known probabilities pi, each item by its own chance (Poisson sampling).

Each label stands for w = 1 / pi items. Where labels and scores are in [0, 1] the Hajek forms get an interval that holds at
rates near 0 and 1; the published active form (`active_mean`) keeps its normal one. Hajek (1971); Kish (1965), Survey Sampling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.effective import effective_n, wilson_effective
from proxy.stats.intervals import CONFIDENCE, Interval, quantile

Numbers = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class WeightedMean:
    """An estimated mean, its variance for the items at hand, and what its n labels are worth by their weights alone.

    `items` is the number of items the estimate speaks of; `is_census` tells that none was left to chance.
    """

    estimate: float
    variance: float
    n: int
    kish: float
    items: float
    is_census: bool

    @property
    def se(self) -> float:
        """The standard error, the root of the variance."""
        return math.sqrt(self.variance)

    @property
    def df(self) -> float:
        """The degrees of freedom: the labels less one."""
        return max(1, self.n - 1)

    @property
    def n_effective(self) -> float:
        """The size of the simple random sample that would tell as much of these items; infinite for a census."""
        return math.inf if self.is_census else effective_n(self.estimate, self.variance, self.n, self.kish)

    def window(self, confidence: float = CONFIDENCE) -> Interval:
        """Compute Wilson's interval at the effective n with t_{n-1}, for the items at hand.

        A census has no width. For y in [0, 1].
        """
        if self.is_census:
            share = min(1.0, max(0.0, self.estimate))
            return Interval(share, share)
        return wilson_effective(self.estimate, self.variance, self.n, self.df, self.kish, confidence)

    def long_run(self, confidence: float = CONFIDENCE) -> Interval:
        """Compute the interval for the rate behind the items, whose own chance adds p (1 - p) / N to the variance."""
        p = min(1.0, max(0.0, self.estimate))
        behind = self.variance + p * (1 - p) / self.items
        return wilson_effective(self.estimate, behind, self.n, self.df, self.kish, confidence)


def kish_n(weights: ArrayLike) -> float:
    """Compute (sum w)^2 / sum w^2: the number of labels of equal weight that tell as much."""
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim != 1 or not w.size or not np.isfinite(w).all() or w.min() < 0 or w.sum() == 0:
        raise ValueError("give one weight at least, none negative, not all 0")
    w = w / w.max()
    return float(w.sum() ** 2 / (w**2).sum())


def horvitz_thompson(labels: ArrayLike, pi: ArrayLike, items: int) -> float:
    """Compute sum(y / pi) / N: unbiased, but it may leave [0, 1]. Horvitz and Thompson (1952), JASA 47:663."""
    y, chance = _drawn(labels, pi)
    if items <= 0:
        raise ValueError(f"{items} items: give the size of the frame")
    return float((y / chance).sum() / items)


def hajek(labels: ArrayLike, pi: ArrayLike, items: int | None = None) -> WeightedMean:
    """Compute sum(w y) / sum(w), linearised; `items` left out is sum(w).

    V = sum (1 - pi) (w (y - mean))^2 / (sum w)^2.
    """
    y, chance = _drawn(labels, pi)
    w = 1 / chance
    size = float(w.sum()) if items is None else items
    estimate = float((w * y).sum() / w.sum())
    return WeightedMean(
        estimate=estimate,
        variance=_poisson_variance(y - estimate, chance),
        n=y.size,
        kish=kish_n(w),
        items=size,
        is_census=y.size >= size and bool((chance == 1).all()),
    )


def hajek_difference(
    labels: ArrayLike, scores: ArrayLike, pi: ArrayLike, frame_mean: float, items: int, lam: float = 1.0
) -> WeightedMean:
    """Compute theta = lam mean_N(f) + sum w (y - lam f) / sum w.

    V = sum (1 - pi) (w (r - mean r))^2 / (sum w)^2 n / (n - 1).

    `scores` are those of the labelled items, `frame_mean` is over all N `items` of the frame; r = y - lam f. The scores may
    be wrong, the estimate stays right: fix lam, and what the scores are, before the labels. Not above 1 nor below 0.
    """
    y, chance = _drawn(labels, pi)
    f = np.asarray(scores, dtype=np.float64)
    if f.shape != y.shape or not np.isfinite(f).all() or not math.isfinite(frame_mean):
        raise ValueError(
            f"{f.shape} scores for {y.shape} labels: give one finite score for each, and their mean in the frame"
        )
    w, rest, n = 1 / chance, y - lam * f, y.size
    shift = float((w * rest).sum() / w.sum())
    is_census = n >= items and bool((chance == 1).all())
    return WeightedMean(
        estimate=min(1.0, max(0.0, lam * frame_mean + shift)),
        variance=_poisson_variance(rest - shift, chance) * (n / (n - 1) if n > 1 else 1),
        n=n,
        kish=kish_n(w),
        items=items,
        is_census=is_census,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveMean:
    """The published active estimate, its standard error and the lam used."""

    estimate: float
    se: float
    lam: float

    def wald(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Compute estimate +- z se, which covers too little at rates near 0 or 1.

        None where se is 0 and says nothing.
        """
        half = quantile(confidence=confidence) * self.se
        return Interval(self.estimate - half, self.estimate + half) if half else None


def active_mean(labels: ArrayLike, scores: ArrayLike, pi: ArrayLike, *, lam: float | None = None) -> ActiveMean:
    """Estimate by active statistical inference: theta = mean(lam f + (y - lam f) xi / pi).

    se = sd / sqrt(N) with ddof 1.

    All N items of the frame: `labels` is nan where none was drawn (xi = 0). lam = None minimises the variance, unclipped:
    -cov(a, b) / var(b) with a = y xi / pi, b = f (1 - xi / pi). Zrnic and Candès (2024), arXiv 2403.03208; PPI++ tuning.
    """
    y, f = np.asarray(labels, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    chance = np.broadcast_to(np.asarray(pi, dtype=np.float64), y.shape)
    if y.ndim != 1 or y.size < 2 or y.shape != f.shape or not np.isfinite(f).all():
        raise ValueError(f"{y.shape} labels and {f.shape} scores: give one finite score for each item, two at least")
    _check_chances(chance)
    drawn = ~np.isnan(y)
    a = np.where(drawn, np.where(drawn, y, 0) / chance, 0)
    b = f * (1 - drawn / chance)
    if lam is None:
        spread = b - b.mean()
        below = float((spread**2).sum())
        lam = -float((a * spread).sum()) / below if below > 1e-24 else 0.0
    values = a + lam * b
    return ActiveMean(estimate=float(values.mean()), se=float(values.std(ddof=1)) / math.sqrt(y.size), lam=lam)


def _poisson_variance(rest: Numbers, chance: Numbers) -> float:
    """Compute sum (1 - pi) (w r)^2 / (sum w)^2."""
    w = 1 / chance
    return float(((1 - chance) * (w * rest) ** 2).sum() / w.sum() ** 2)


def _drawn(labels: ArrayLike, pi: ArrayLike) -> tuple[Numbers, Numbers]:
    y, chance = np.asarray(labels, dtype=np.float64), np.asarray(pi, dtype=np.float64)
    if y.ndim != 1 or not y.size or y.shape != chance.shape or not np.isfinite(y).all():
        raise ValueError(
            f"{y.shape} labels, {chance.shape} probabilities: give one probability for each label, one at least"
        )
    _check_chances(chance)
    return y, chance


def _check_chances(chance: Numbers) -> None:
    if not ((chance > 0) & (chance <= 1)).all():
        raise ValueError("an inclusion probability outside (0, 1]: leave out what was not drawn by chance")
