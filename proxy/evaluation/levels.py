"""Group predicted P(right) into levels, so that all traffic can be counted by it.

A level is a fixed band of P(right), even on the scale of its arcsine: finer where nearly all answers are right, or wrong. How
many items lie in each is known for all traffic, and each stands for one number, so the estimates stay valid whatever was
predicted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Chosen: bands of at most 2.5 points of P(right), which a byte holds.
LEVELS = 64
# P(right) where nothing predicts: any number does, as all items share it.
UNKNOWN = 0.5
Numbers = NDArray[np.float64]
Levels = NDArray[np.uint8]


def levels_of(predicted: Numbers) -> Levels:
    """Return the level of each P(right), from 0."""
    angle = np.arcsin(np.sqrt(np.clip(predicted, 0.0, 1.0))) / (np.pi / 2)
    return np.asarray(np.minimum(angle * LEVELS, LEVELS - 1), dtype=np.uint8)


SHARES: Numbers = np.sin((np.arange(LEVELS) + 0.5) / LEVELS * np.pi / 2) ** 2
SAME = int(levels_of(np.array([UNKNOWN]))[0])  # of every item while nothing predicts
