"""Ratings for tests: written out, random with gaps, and the example of three raters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def read(text: str) -> Numbers:
    """One item a group, one digit a rater, _ for no rating."""
    return np.array([[np.nan if rating == "_" else float(rating) for rating in item] for item in text.split("/")])


def random_ratings(rng: np.random.Generator, values: int, raters: int) -> Numbers:
    """Thirty items on which raters agree more than by chance, a fifth of the ratings missing."""
    truth = rng.integers(0, values, (30, 1))
    matrix = np.where(rng.random((30, raters)) < 0.5, truth, rng.integers(0, values, (30, raters))).astype(float)
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    return matrix


THREE_RATERS = np.array([read(rater)[0] for rater in ("11010111_0", "1100011110", "1_01010111")]).T
