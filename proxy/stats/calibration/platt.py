"""Fit P(right) as a logistic curve over a value by Platt's method, with weighted labels.

Platt (1999), Probabilistic outputs for support vector machines; the numerics of Lin, Lin and Weng (2007), Machine Learning 68.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
STEPS = 100


class Sigmoid(NamedTuple):
    """A fitted curve: P(right | value) = expit(level + slope (value - centre) / scale)."""

    level: float
    slope: float
    centre: float
    scale: float

    def at(self, values: ArrayLike) -> Numbers:
        """Compute the share right at each value."""
        from scipy.special import expit  # loaded on use: most commands fit nothing

        x = (np.asarray(values, dtype=np.float64) - self.centre) / self.scale
        return np.asarray(expit(self.level + self.slope * x), dtype=np.float64)


def platt(values: ArrayLike, right: ArrayLike, weights: ArrayLike | None = None) -> Sigmoid:
    """Maximise sum w (t log p + (1 - t) log(1 - p)), t = (n1 + 1) / (n1 + 2) for right and 1 / (n0 + 2) for wrong answers.

    The targets keep a few labels that all agree, or that a value parts without an error, from giving a cliff. n1 and n0 are the
    weighted counts, weights scaled to a mean of 1. Constant values have no slope.
    """
    from scipy.special import expit, xlog1py, xlogy

    s, y = np.asarray(values, dtype=np.float64), np.asarray(right, dtype=np.float64)
    w = np.ones_like(s) if weights is None else np.asarray(weights, dtype=np.float64)
    if s.ndim != 1 or not s.size or not s.shape == y.shape == w.shape or not np.isin(y, (0, 1)).all():
        raise ValueError(f"{s.shape} values, {y.shape} labels, {w.shape} weights: give one of each, labels 1 or 0")
    w = w / w.mean()
    n_right, n_wrong = float(np.sum(w * y)), float(np.sum(w * (1 - y)))
    target = np.where(y == 1, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))
    centre, scale = float(np.average(s, weights=w)), float(s.std())
    scale = scale if scale > 1e-12 * max(1.0, abs(centre)) else 1.0
    x = np.column_stack([np.ones_like(s), (s - centre) / scale])

    def loss(point: Numbers) -> float:
        share = expit(x @ point)
        return -float(np.sum(w * (xlogy(target, share) + xlog1py(1 - target, -share))))

    point = np.array([np.log((n_right + 1) / (n_wrong + 1)), 0.0])
    for _ in range(STEPS):
        share = expit(x @ point)
        slope = x.T @ (w * (target - share))
        curvature = (x * (w * share * (1 - share))[:, None]).T @ x + 1e-9 * np.eye(2)
        step, length, before = np.linalg.solve(curvature, slope), 1.0, loss(point)
        while length > 1e-6 and not loss(point + length * step) <= before:
            length /= 2
        point = point + length * step
        if float(np.abs(length * step).max()) < 1e-9:
            break
    return Sigmoid(float(point[0]), float(point[1]), centre, scale)
