"""Test whether a risk is kept among the items at hand, from a simple random sample of them: exact, whatever repeats."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def window_p_value(size: int, wrong: int, n: int, errors: int) -> float:
    """Compute P(X <= errors), X hypergeometric: `n` of `size` items drawn, `wrong` of these wrong.

    `wrong` is the fewest that break the guarantee.

    A census gives 0 or 1; nothing left to be wrong gives 1.
    """
    if not 0 <= errors <= n <= size:
        raise ValueError(f"{errors} errors of {n} labels of {size} items: count a part and its whole")
    if wrong > size:
        return 0.0
    if wrong <= 0:
        return 1.0
    x = np.arange(max(0, n - (size - wrong)), min(errors, wrong) + 1)
    if not x.size:
        return 0.0

    logs = _ways(wrong, x) + _ways(size - wrong, n - x) - _ways(size, np.array(n))
    return min(1.0, math.fsum(np.exp(logs)))


def _ways(of: int, pick: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute the logarithms of the binomial coefficients."""
    from scipy.special import gammaln

    return np.asarray(gammaln(of + 1.0) - gammaln(pick + 1.0) - gammaln(of - pick + 1.0), dtype=np.float64)
