"""Fit the share of right answers as a smooth curve over a score.

Logistic regression on the standardised value with a weak Gaussian prior on the slope, so that a few labels, or labels that
all agree, never give a cliff. Platt (1999); Hastie, Tibshirani, Friedman (2009), Elements of Statistical Learning, 4.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# scipy.special is imported where it is called for: whoever opens a store loads this file, and few come to a curve.
Numbers = NDArray[np.float64]
PRIOR = 0.5
STEPS = 50


def normal_scores(counts: Numbers) -> Numbers:
    """Compute the normal quantile of each group's mid-rank, (below + n / 2) / N.

    n are the sizes of the groups in ascending order.
    """
    from scipy.special import ndtri

    return np.asarray(ndtri((np.cumsum(counts) - counts / 2) / counts.sum()), dtype=np.float64)


def coefficients(x: Numbers, right: Numbers, precision: float | Numbers = PRIOR) -> Numbers:
    """Maximise the likelihood of expit(x b) by Newton's method; x has a row a label, b a Gaussian prior of this precision."""
    from scipy.special import expit

    beta: Numbers = np.zeros(x.shape[1])
    for _ in range(STEPS):
        share = expit(x @ beta)
        slope = x.T @ (right - share) - precision * beta
        step = np.linalg.solve(curvature(x, share, precision), slope)
        beta = beta + step
        if float(np.abs(step).max()) < 1e-10:
            break
    return beta


def curvature(x: Numbers, share: Numbers, precision: float | Numbers = PRIOR) -> Numbers:
    """Compute X' diag(share (1 - share)) X + precision: the curvature of the penalised likelihood at its maximum."""
    return np.asarray((x * (share * (1 - share))[:, None]).T @ x + precision * np.eye(x.shape[1]), dtype=np.float64)


def shift_to_mean(odds: Numbers, mean: float) -> float:
    """Find the m with mean expit(odds + m) = mean, by bisection, as the mean rises with m."""
    from scipy.special import expit

    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(expit(odds + middle).mean()) < mean else (low, middle)
    return (low + high) / 2
