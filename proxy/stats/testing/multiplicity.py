"""Adjust the p-values of many tests at once, in the same order.

Reject what is adjusted to the level or below. Everything that was tested goes in, also what came to nothing: leaving tests out
is what these adjustments protect from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


def benjamini_hochberg(p_values: ArrayLike) -> Numbers:
    """Compute min over j >= rank of p_(j) m / j.

    Rejecting up to q keeps the expected share of false ones among the rejected at q.

    For independent or positively dependent tests. Benjamini and Hochberg (1995), J. Royal Statistical Society B 57:289.
    """
    p = _checked(p_values)
    order = np.argsort(p)
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    return _in_order(np.minimum.accumulate(scaled[::-1])[::-1], order)


def holm(p_values: ArrayLike) -> Numbers:
    """Compute max over j <= rank of p_(j) (m - j + 1).

    Rejecting up to alpha keeps the chance of any false rejection at alpha.

    For any dependence. Holm (1979), Scandinavian J. of Statistics 6:65.
    """
    p = _checked(p_values)
    order = np.argsort(p)
    return _in_order(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), order)


def _in_order(sorted_values: Numbers, order: NDArray[np.intp]) -> Numbers:
    values = np.empty_like(sorted_values)
    values[order] = np.minimum(1.0, sorted_values)
    return values


def _checked(p_values: ArrayLike) -> Numbers:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p-values must be numbers in [0, 1], one a test")
    return p


def _log_choose(n: float, k: Numbers) -> Numbers:
    """Compute the logarithm of n over k."""
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


class Tables(NamedTuple):
    """The one-sided mid-p of every 2 x 2 table of the same margins: `errors` in the first row, ascending, and their p."""

    errors: Numbers
    p: Numbers

    def at(self, errors: float | Numbers) -> Numbers:
        """Compute P(more errors in the first row) + P(as many) / 2; between two tables log p is linear."""
        return np.asarray(np.exp(np.interp(np.asarray(errors), self.errors, np.log(np.maximum(self.p, 1e-300)))))


def mid_p_tables(n: float, others: float, errors: float) -> Tables:
    """Compute Fisher's test of more errors among n than among the others, for each split of all the errors.

    Margins may be effective sizes: then the tables are a whole error apart, and their chances the same products of gammas.
    Lancaster (1961), JASA 56:223, for the mid-p, which keeps its level nearly, where the exact test stays far below it.
    """
    first = max(0.0, errors - others)
    split: Numbers = np.arange(first, max(first, min(n, errors)) + 1e-9, dtype=np.float64)
    logs = _log_choose(n, split) + _log_choose(others, np.maximum(errors - split, 0.0))
    chances = np.exp(logs - logs.max())
    from_here = np.cumsum(chances[::-1])[::-1]
    return Tables(split, (from_here - chances / 2) / chances.sum())
