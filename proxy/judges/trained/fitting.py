"""Fit a logistic regression whose weights count only as their features mean, shrunk towards the offline judge's score.

It minimises, over weights w of standardised features z and an intercept,

    sum of c (log(1 + exp(m)) - y m) + (w_0^2 + n r sum of w_j^2 for j > 0) / 2,  m = intercept + sum of w_j z_j,

where c weighs both classes alike (n / (2 n_class)), w_0 belongs to the offline judge's score, and r is the shrinkage. Without
bound (r = infinity) all other weights are 0, so that the model ranks items just as the offline judge does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# The weight of the offline judge's score has the usual ridge penalty (C = 1).
_OF_STOCK = 1.0
_PRECISE = 1e-10

Table = NDArray[np.float64]


class Fitted(NamedTuple):
    """The weights of standardised features, and the intercept."""

    weights: NDArray[np.float64]
    intercept: float

    def log_odds(self, table: Table) -> NDArray[np.float64]:
        """Compute the log odds of rows of standardised features."""
        odds: NDArray[np.float64] = table @ self.weights + self.intercept
        return odds


def fit(table: Table, labels: NDArray[np.bool_], signs: Sequence[int], shrinkage: float) -> Fitted:
    """Fit the model.

    Parameters
    ----------
    table : array of shape (n, features)
        Standardised features, the offline judge's score first.
    labels : array of bool
        Whether the criterion is met.
    signs : sequence of int
        1 where a weight may not fall below 0, -1 where it may not rise above it, 0 where it is free.
    shrinkage : float
        r, infinite for the offline judge's score alone.
    """
    from scipy.optimize import minimize

    used = table[:, :1] if math.isinf(shrinkage) else table
    n, count = used.shape
    penalties = np.full(count, n * shrinkage if count > 1 else 0.0)
    penalties[0] = _OF_STOCK
    target = labels.astype(np.float64)
    class_weights = np.where(labels, n / (2 * labels.sum()), n / (2 * (~labels).sum()))

    def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, margins = values[:-1], used @ values[:-1] + values[-1]
        residuals = class_weights * (1 / (1 + np.exp(-margins)) - target)
        value = class_weights @ (np.logaddexp(0, margins) - target * margins) + weights @ (penalties * weights) / 2
        return float(value), np.append(used.T @ residuals + penalties * weights, residuals.sum())

    bounds = [_BOUNDS[sign] for sign in signs[:count]]
    least = minimize(
        loss,
        np.zeros(count + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[*bounds, _BOUNDS[0]],
        options={"maxiter": 10_000, "maxfun": 100_000, "ftol": 0.0, "gtol": _PRECISE},
    ).x
    weights = np.zeros(table.shape[1])
    weights[:count] = least[:-1]
    return Fitted(weights, float(least[-1]))


_BOUNDS: dict[int, tuple[float | None, float | None]] = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
