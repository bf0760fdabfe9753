"""Compute the points of the ROC and precision-recall curves, from labelled values weighted by design.

The area under the ROC curve, drawn with straight lines, is the report's AUROC: both count a tie half.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from proxy.evaluation.discrimination import Valued


class CurvePoint(NamedTuple):
    """The effect of passing the values at or above a threshold: P(pass | right), P(pass | wrong), P(right | pass).

    The first point passes nothing: its threshold is infinite, and it has no precision.
    """

    threshold: float
    sensitivity: float
    false_pass: float
    precision: float | None


def curve(labels: Valued) -> list[CurvePoint]:
    """Compute a point for each distinct value, highest first; empty where a class has no label."""
    weight, right = labels.draws.weight, labels.right
    all_right, all_wrong = float(weight @ right), float(weight @ (1 - right))
    if not all_right or not all_wrong:
        return []
    distinct, number = np.unique(-labels.values, return_inverse=True)
    hits = np.cumsum(np.bincount(number, weight * right, distinct.size))
    misses = np.cumsum(np.bincount(number, weight * (1 - right), distinct.size))
    rows = zip((-distinct).tolist(), hits.tolist(), misses.tolist(), strict=True)
    points = [CurvePoint(value, hit / all_right, miss / all_wrong, hit / (hit + miss)) for value, hit, miss in rows]
    return [CurvePoint(float("inf"), 0.0, 0.0, None), *points]


def average_precision(points: Sequence[CurvePoint]) -> float | None:
    """Sum precision × gain in sensitivity over the thresholds, highest first; None without a curve."""
    if not points:
        return None
    return sum(
        (after.sensitivity - before.sensitivity) * (after.precision or 0.0) for before, after in pairwise(points)
    )


def at_threshold(points: list[CurvePoint], threshold: float) -> CurvePoint | None:
    """Return the point of the values strictly above a threshold: the lowest value above it."""
    above = [point for point in points if point.threshold > threshold]
    return above[-1] if above else None
