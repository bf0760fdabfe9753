"""Fit the share of right answers as a smooth curve over a score.

Logistic regression on the standardised value with a weak Gaussian prior on the slope, so that a few labels, or labels that
all agree, never give a cliff. Platt (1999); Hastie, Tibshirani, Friedman (2009), Elements of Statistical Learning, 4.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# scipy.special is imported by the functions that use it: opening a store loads this file, and few commands need a curve.
Numbers = NDArray[np.float64]
PRIOR = 0.5
STEPS = 50


def normal_scores(counts: Numbers) -> Numbers:
    """Compute the normal quantile of each group's mid-rank, (below + n / 2) / N.

    n are the sizes of the groups in ascending order. Leading dimensions are rankings of their own.
    """
    from scipy.special import ndtri

    whole = np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    return np.asarray(ndtri((np.cumsum(counts, axis=-1) - counts / 2) / whole), dtype=np.float64)


def coefficients(x: Numbers, right: Numbers, precision: float | Numbers = PRIOR) -> Numbers:
    """Maximise the likelihood of expit(x b) by Newton's method; x has a row a label, b a Gaussian prior of this precision.

    Leading dimensions of x and of the precision are regressions of their own, done at once. A row of zeros takes no part.
    """
    from scipy.special import expit

    beta: Numbers = np.zeros((*x.shape[:-2], x.shape[-1]))
    # Each stops for itself, so that no regression depends on another, not even by a rounding error.
    is_open = np.ones(x.shape[:-2], dtype=np.bool_)
    for _ in range(STEPS):
        share = expit((x @ beta[..., None])[..., 0])
        slope = ((right - share)[..., None, :] @ x)[..., 0, :] - precision * beta
        step = np.linalg.solve(curvature(x, share, precision), slope[..., None])[..., 0]
        beta = beta + np.where(is_open[..., None], step, 0.0)
        is_open &= np.abs(step).max(axis=-1) >= 1e-10
        if not is_open.any():
            break
    return beta


def curvature(x: Numbers, share: Numbers, precision: float | Numbers = PRIOR) -> Numbers:
    """Compute X' diag(share (1 - share)) X + precision: the curvature of the penalised likelihood at its maximum."""
    prior = np.asarray(precision)[..., None] * np.eye(x.shape[-1])
    return np.asarray(np.swapaxes(x * (share * (1 - share))[..., None], -1, -2) @ x + prior, dtype=np.float64)


def shift_to_mean(odds: Numbers, mean: float) -> float:
    """Find the m with mean expit(odds + m) = mean, by Newton's method, and by bisection where a step leaves the bracket."""
    from scipy.special import expit

    low, high, shift = -50.0, 50.0, 0.0
    for _ in range(2 * STEPS):
        share = expit(odds + shift)
        excess, slope = float(share.mean()) - mean, float((share * (1 - share)).mean())
        low, high = (low, shift) if excess >= 0 else (shift, high)
        before, shift = shift, shift - excess / slope if slope else high
        if not low < shift < high:
            shift = (low + high) / 2
        if abs(shift - before) < 1e-12:
            break
    return shift
