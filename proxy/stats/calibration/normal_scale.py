"""Put a score on the scale of normal quantiles, so that only its order counts.

A value's normal score is the normal quantile of its mid-rank, (below + half the ties) / all; what is missing lies in the
middle, at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

# scipy.special is imported by the function that uses it, because opening a store loads this file.
Numbers = NDArray[np.float64]


class NormalScale(NamedTuple):
    """The normal scores of the values that were seen, both ascending."""

    values: Numbers
    scores: Numbers

    @classmethod
    def of_percentiles(cls, percentiles: Sequence[tuple[float, float]]) -> Self:
        """Take the mid-ranks as they were frozen: (value, mid-rank) pairs, ascending."""
        from scipy.special import ndtri

        values, ranks = np.array(percentiles, dtype=np.float64).reshape(-1, 2).T
        return cls(values, np.asarray(ndtri(ranks), dtype=np.float64))

    def of(self, column: Numbers) -> Numbers:
        """Return the normal score of each value, between those of the nearest that were seen; 0 for nan."""
        if len(self.values) < 2:
            return np.zeros(len(column))
        return np.where(np.isnan(column), 0.0, np.interp(column, self.values, self.scores))
