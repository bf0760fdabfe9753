"""Draws as arrays, where a test needs no store."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxy.stats.sampling.survey import Draws


def one_drawing(right: NDArray[np.float64], weight: NDArray[np.float64]) -> Draws:
    """A simple random sample, all of it judged, each item a group of its own; none is scored."""
    n = len(right)
    return Draws(
        right=right,
        judged=np.ones(n),
        weight=weight,
        step=weight,
        missed=1 - 1 / weight,
        drawing=np.zeros(n, dtype=np.intp),
        returned=np.full(n, float(n)),
        is_fixed=np.ones(n, dtype=np.bool_),
        cluster=np.arange(n),
        score=np.zeros(n),
    )
