"""Thin labels that were drawn with unequal chances, so that those kept were drawn with equal chances.

A lot is a number in [0, 1) that knows nothing of the label, best a salted hash of what the label is of. The same lots give
nested masks: what is kept under a larger `heaviest` is kept under a smaller one too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Mask = NDArray[np.bool_]


def equal_chance(weights: ArrayLike, lots: ArrayLike, heaviest: float | None = None) -> Mask:
    """Return whether lot_i < w_i / heaviest, for arrays of one length: every item is then kept with the chance 1 / heaviest.

    `weights` are 1 / inclusion probability, and `heaviest` the largest that the design gives to what is asked about; without it
    the largest of these. Poisson draws kept so are again Poisson draws, so a simple random sample given their number; draws of
    fixed size by stratum only vary less. Särndal, Swensson, Wretman (1992), Model Assisted Survey Sampling, 3.2.
    """
    w, u = np.asarray(weights, dtype=np.float64), np.asarray(lots, dtype=np.float64)
    if w.ndim != 1 or w.shape != u.shape:
        raise ValueError(f"{w.shape} weights, {u.shape} lots: give one lot for each weight")
    if not (w > 0).all() or not ((u >= 0) & (u < 1)).all():
        raise ValueError("weights must be above 0 and lots in [0, 1)")
    most = float(w.max(initial=0.0)) if heaviest is None else heaviest
    # weights that differ by a rounding error are equal
    return np.asarray(u * most < w * (1 + 1e-9))
