"""Estimate how alike the labels of a cluster are, and how many labels an effective number of them takes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FEW_PAIRS = 10.0  # pairs that pull the correlation towards 0: a handful of pairs says next to nothing


def alikeness(right: NDArray[np.float64], cluster: NDArray[np.intp]) -> float:
    """Compute the intraclass correlation over all pairs within clusters, in [0, 1].

    It is sum (y_i - p)(y_j - p) / (pairs p (1 - p)).

    Pulled towards 0 by FEW_PAIRS. Fisher (1925), Statistical Methods for Research Workers, ch. 7; 0 where all labels agree.
    """
    if not len(right) or not 0 < (p := float(right.mean())) < 1:
        return 0.0
    _, number = np.unique(cluster, return_inverse=True)
    size, total = np.bincount(number), np.bincount(number, right - p)
    within = float(np.sum(total**2) - np.sum((right - p) ** 2))
    pairs = float(np.sum(size * (size - 1)))
    return min(1.0, max(0.0, within / ((pairs + FEW_PAIRS) * p * (1 - p))))


def design_effect(n: float, clusters: float, alike: float) -> float:
    """Compute 1 + (n / C - 1) rho for n labels spread evenly over C clusters; 1 while no cluster has two. Kish (1965), 5.4."""
    return 1 + max(0.0, n / clusters - 1) * alike if clusters else 1.0


def labels_for(effective: float, clusters: float, alike: float) -> float:
    """Compute the labels that tell as much as n0 independent ones, n0 (1 - rho) / (1 - n0 rho / C); infinite from C / rho on."""
    if not clusters or effective <= clusters:
        return effective
    left = 1 - effective * alike / clusters
    return effective * (1 - alike) / left if left > 0 else math.inf
