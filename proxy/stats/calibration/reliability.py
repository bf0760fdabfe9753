"""Measure whether a score in [0, 1] is calibrated: Brier score, ECE, bins and an isotonic map, all weighted.

Weights are 1 / inclusion probability. The expected calibration error (ECE) of few labels is biased upwards, so it is shown
beside what a perfectly calibrated score would have had (`expected_ece`), never alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
MAX_BINS = 10
LABELS_PER_BIN = 20
REPETITIONS = 1000


class IsotonicCurve(NamedTuple):
    """A map from score to share right: distinct scores, ascending, and the share at each, never falling."""

    score: Numbers
    share: Numbers

    def at(self, scores: ArrayLike) -> Numbers:
        """Compute the share at these scores: straight lines between the knots, constant beyond them."""
        return np.interp(np.asarray(scores, dtype=np.float64), self.score, self.share)


class ExpectedEce(NamedTuple):
    """The ECE by chance alone: its mean, and the value that 95 of 100 perfectly calibrated scores stay below."""

    mean: float
    high: float


def pava(values: ArrayLike, weights: ArrayLike | None = None) -> Numbers:
    """Compute the never-falling x that minimises sum w (x - value)^2: pool adjacent violators into their weighted mean.

    Barlow, Bartholomew, Bremner and Brunk (1972), Statistical Inference under Order Restrictions.
    """
    y = np.asarray(values, dtype=np.float64)
    w = np.ones_like(y) if weights is None else np.asarray(weights, dtype=np.float64)
    if y.ndim != 1 or y.shape != w.shape or not np.isfinite([y, w]).all() or (w <= 0).any():
        raise ValueError(f"{y.shape} values, {w.shape} weights: give finite ones of one length, the weights above 0")
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(y.tolist(), w.tolist(), strict=True):
        mean, mass, size = value, weight, 1
        while blocks and blocks[-1][0] >= mean:
            before, more, count = blocks.pop()
            mean = (before * more + mean * mass) / (more + mass)
            mass, size = more + mass, size + count
        blocks.append((mean, mass, size))
    return np.repeat([block[0] for block in blocks], [block[2] for block in blocks]).astype(np.float64)


def isotonic(scores: ArrayLike, right: ArrayLike, weights: ArrayLike | None = None) -> IsotonicCurve:
    """Fit the isotonic regression of right on score; labels of one score are one point. Weights of 0 are left out."""
    s, y, w = _checked(scores, right, weights)
    s, y, w = s[w > 0], y[w > 0], w[w > 0]
    distinct, number = np.unique(s, return_inverse=True)
    mass = np.bincount(number, w)
    return IsotonicCurve(distinct, pava(np.bincount(number, w * y) / mass, mass))


def brier(scores: ArrayLike, right: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Compute sum w (s - y)^2 / sum w. Brier (1950), Monthly Weather Review 78:1."""
    s, y, w = _checked(scores, right, weights)
    return float((w * (s - y) ** 2).sum() / w.sum())


def bins_for(labels: int) -> int:
    """Return the number of bins: one per 20 labels, at most ten, at least one."""
    return min(MAX_BINS, max(1, labels // LABELS_PER_BIN))


def equal_width(scores: ArrayLike, bins: int) -> Indices:
    """Return the bin of each score: bin k is (k / bins, (k + 1) / bins], the first with 0.

    Guo et al. (2017), arXiv 1706.04599.
    """
    edges = np.arange(1, bins) / bins
    return np.asarray(np.searchsorted(edges, np.asarray(scores, dtype=np.float64), side="left"), dtype=np.intp)


def equal_mass(scores: ArrayLike, bins: int, weights: ArrayLike | None = None) -> Indices:
    """Return the bin of each score such that all bins weigh the same, as nearly as labels allow; ties are never split.

    A distinct score goes to bin floor(bins x middle of its weight in the cumulative weight / total weight).
    """
    s = np.asarray(scores, dtype=np.float64)
    w = np.ones_like(s) if weights is None else np.asarray(weights, dtype=np.float64)
    distinct, number = np.unique(s, return_inverse=True)
    mass = np.bincount(number, w, distinct.size)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    # a middle on an edge must not depend on the last digit of a sum
    index = np.minimum(np.floor(bins * middle + 1e-9), bins - 1)
    return np.asarray(index[number], dtype=np.intp)


def ece(scores: ArrayLike, right: ArrayLike, bins: Indices, weights: ArrayLike | None = None) -> float:
    """Sum over bins their share of the weight x |mean score - share right|. Naeini et al. (2015), AAAI.

    `bins` has the bin of each label, from `equal_mass` (the one to report) or `equal_width`.
    """
    s, y, w = _checked(scores, right, weights)
    return float(np.abs(np.bincount(bins, w * (s - y))).sum() / w.sum())


def expected_ece(
    scores: ArrayLike,
    bins: Indices,
    rng: np.random.Generator,
    weights: ArrayLike | None = None,
    repetitions: int = REPETITIONS,
) -> ExpectedEce:
    """Compute the ECE of labels drawn as right with chance s, which is all noise.

    Broecker and Smith (2007), Weather and Forecasting.

    `rng` is numpy's generator. One array of bins x repetitions is kept, whatever the number of labels.
    """
    s, _, w = _checked(scores, np.zeros(np.shape(scores)), weights)
    gap = np.zeros((int(bins.max()) + 1, repetitions))
    for members in (np.flatnonzero(bins == number) for number in np.unique(bins)):
        drawn = np.array([w[members] @ (rng.random(members.size) < s[members]) for _ in range(repetitions)])
        gap[bins[members[0]]] = w[members] @ s[members] - drawn
    errors = np.abs(gap).sum(axis=0) / w.sum()
    return ExpectedEce(float(errors.mean()), float(np.quantile(errors, 0.95)))


def _checked(scores: ArrayLike, right: ArrayLike, weights: ArrayLike | None) -> tuple[Numbers, Numbers, Numbers]:
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
    w = np.ones_like(s) if weights is None else np.asarray(weights, dtype=np.float64)
    if s.ndim != 1 or not s.shape == y.shape == w.shape or not np.isfinite([s, y, w]).all():
        raise ValueError(f"{s.shape} scores, {y.shape} labels, {w.shape} weights: give finite ones of one length")
    if ((s < 0) | (s > 1) | (y < 0) | (y > 1) | (w < 0)).any() or not w.sum() > 0:
        raise ValueError("scores and labels must be in [0, 1], weights at least 0 and not all 0")
    return s, y, w
