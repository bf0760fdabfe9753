"""Allocate labels to strata, and compute the variance of a stratified design.

A stratum's spread is S = sqrt(p (1 - p)), p its share right, a guess from earlier labels. Arrays hold one number a stratum.
A plan is integer, sums exactly to its budget and never asks a stratum for more than its upper bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
NEYMAN_SHARE = 0.8


def spread(shares: ArrayLike) -> Numbers:
    """Compute sqrt(p (1 - p)), the standard deviation of a label."""
    p = np.asarray(shares, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("shares must lie in [0, 1]: give the share right of each stratum")
    return np.sqrt(p * (1 - p))


def guessed_spread(right: ArrayLike, labels: ArrayLike) -> Numbers:
    """Compute the spread at p = (x + 1) / (n + 2): x right of n earlier labels; never 0, 1/2 where there were none."""
    x, n = np.asarray(right, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if not ((x >= 0) & (x <= n)).all():
        raise ValueError("more right labels than labels: count a part and its whole in each stratum")
    return spread((x + 1) / (n + 2))


def neyman(sizes: ArrayLike, spreads: ArrayLike, labels: float) -> Numbers:
    """Compute n N_h S_h / sum(N S): the allocation of n labels that makes the variance least.

    Neyman (1934), J. Royal Statistical Society 97:558.

    In proportion to size where no stratum has any spread.
    """
    size, s = _checked(sizes, spreads)
    weight = size * s if (size * s).any() else size
    return np.asarray(labels * weight / weight.sum())


def defensive(sizes: ArrayLike, spreads: ArrayLike, labels: float, neyman_share: float = NEYMAN_SHARE) -> Numbers:
    """Mix .8 of Neyman's allocation with .2 in proportion to size.

    No weight exceeds N / (.2 n), however wrong the guessed spreads.

    Owen and Zhou (2000), J. American Statistical Association 95:135, defensive mixtures.
    """
    size, _ = _checked(sizes, spreads)
    even = labels * size / size.sum()
    return np.asarray(neyman_share * neyman(sizes, spreads, labels) + (1 - neyman_share) * even)


def clipped(wanted: ArrayLike, labels: float, low: ArrayLike, high: ArrayLike) -> Numbers:
    """Compute clip(rate x wanted, low, high) with the rate at which they sum to `labels`.

    ValueError if the bounds cannot hold that.
    """
    want, bottom, top = np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in (wanted, low, high)))
    if not ((want > 0) & (bottom >= 0) & (bottom <= top)).all():
        raise ValueError("each stratum needs a wanted number above 0 and bounds 0 <= low <= high")
    if not bottom.sum() - 1e-9 <= labels <= top.sum() + 1e-9:
        raise ValueError(f"{labels} labels do not fit: the bounds ask for {bottom.sum():g} to {top.sum():g}")
    # the sum is piecewise linear in the rate and turns only where a stratum meets a bound
    turns = np.unique(np.concatenate(([0.0], bottom / want, top / want)))
    totals = np.clip(turns[:, None] * want, bottom, top).sum(axis=1)
    after = int(np.clip(np.searchsorted(totals, labels), 1, len(turns) - 1)) if len(turns) > 1 else 0
    rate = float(np.interp(labels, totals[[after - 1, after]], turns[[after - 1, after]])) if after else turns[0]
    return np.clip(rate * want, bottom, top)


def rounded(wanted: ArrayLike, labels: int, high: ArrayLike | None = None) -> Counts:
    """Round to whole numbers that sum to `labels`: the largest remainders go up, the first of equals first, none past `high`.

    `wanted` must sum to `labels`. Hamilton's method.
    """
    want = np.asarray(wanted, dtype=np.float64)
    top = np.full(want.shape, np.inf) if high is None else np.asarray(high, dtype=np.float64)
    if abs(float(want.sum()) - labels) > 1e-6 * max(1, labels) or (want < 0).any():
        raise ValueError(
            f"{want.sum():g} wanted, {labels} labels: give numbers that are not negative and sum to the labels"
        )
    counts = np.floor(want + 1e-9)
    missing = labels - int(counts.sum())
    open_strata = counts + 1 <= top
    if missing > open_strata.sum():
        raise ValueError(f"{labels} labels do not fit under the upper bounds: plan fewer")
    remainder = np.where(open_strata, np.round(want - counts, 9), -np.inf)
    counts[np.argsort(-remainder, kind="stable")[:missing]] += 1
    return counts.astype(np.int64)


def _checked(sizes: ArrayLike, spreads: ArrayLike) -> tuple[Numbers, Numbers]:
    size, s = np.asarray(sizes, dtype=np.float64), np.asarray(spreads, dtype=np.float64)
    if size.ndim != 1 or size.shape != s.shape or not size.size or not (size > 0).all() or not (s >= 0).all():
        raise ValueError(
            f"{size.shape} sizes, {s.shape} spreads: give one of either a stratum, sizes above 0, spreads not below"
        )
    return size, s
