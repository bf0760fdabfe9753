"""Watching a rate for as long as one likes: batch estimates or single labels in, bounds that hold at every look out.

An interval for a fixed n, read anew each week, raises false alarms without end. A confidence sequence holds at all looks at
once; a CUSUM answers faster and is tuned to a rate of false alarms. Both speak of labels drawn at random: a judge's pass rate
watched this way raises alarms about the judge or the traffic, not about quality.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
ALPHA = 0.05


class Bounds(NamedTuple):
    """The running mean of the batches and its bounds at each look; a one-sided sequence has a bound of -inf or inf."""

    mean: Numbers
    low: Numbers
    high: Numbers


def two_sided(
    estimates: ArrayLike, ses: ArrayLike, *, tightest_at: int, planned_se: float | None = None, alpha: float = ALPHA
) -> Bounds:
    """Mean +- sqrt(2 (V r + 1) / (t^2 r) log(sqrt(V r + 1) / alpha)), t batches, V the sum of their squared standard errors.

    Asymptotic: batches are independent with nearly normal estimates. Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024),
    Annals of Statistics 52:2613. r makes the bounds tightest at batch `tightest_at`; `planned_se` fixes it in advance, as the
    guarantee asks; without it V there is read off the batches, or carried on from those seen so far.
    """
    y, v = _checked(estimates, ses, alpha)
    t, r = np.arange(1, y.size + 1), _tuning(v, tightest_at, planned_se, alpha)
    half = np.sqrt(2 * (v * r + 1) / (t**2 * r) * np.log(np.sqrt(v * r + 1) / alpha))
    mean = np.cumsum(y) / t
    return Bounds(mean, mean - half, mean + half)


def lower(
    estimates: ArrayLike, ses: ArrayLike, *, tightest_at: int, planned_se: float | None = None, alpha: float = ALPHA
) -> Bounds:
    """Mean - sqrt(2 (V r + 1) / (t^2 r) log(1 + sqrt(V r + 1) / (2 alpha))): the running mean is not below, at any look.

    The one-sided form of `two_sided` (its appendix), tuned with 2 alpha for alpha; alpha must be below 1/2.
    """
    if not alpha < 0.5:
        raise ValueError(f"alpha {alpha}: a one-sided sequence needs one below 1/2")
    y, v = _checked(estimates, ses, alpha)
    t, r = np.arange(1, y.size + 1), _tuning(v, tightest_at, planned_se, 2 * alpha)
    width = np.sqrt(2 * (v * r + 1) / (t**2 * r) * np.log1p(np.sqrt(v * r + 1) / (2 * alpha)))
    mean = np.cumsum(y) / t
    return Bounds(mean, mean - width, np.full(y.size, np.inf))


def upper(
    estimates: ArrayLike, ses: ArrayLike, *, tightest_at: int, planned_se: float | None = None, alpha: float = ALPHA
) -> Bounds:
    """The mirror of `lower`: the running mean is not above, at any look."""
    mirrored = lower(
        -np.asarray(estimates, dtype=np.float64), ses, tightest_at=tightest_at, planned_se=planned_se, alpha=alpha
    )
    return Bounds(-mirrored.mean, np.full(mirrored.mean.size, -np.inf), -mirrored.low)


def _tuning(v: Numbers, tightest_at: int, planned_se: float | None, alpha: float) -> float:
    """R = (-2 log alpha + log(1 - 2 log alpha)) / V at the batch where the bounds are to be tightest."""
    if tightest_at < 1:
        raise ValueError(f"tightest at batch {tightest_at}: batches count from 1")
    seen = min(tightest_at, v.size)
    target = float(v[seen - 1]) * tightest_at / seen if planned_se is None else tightest_at * planned_se**2
    if not target > 0:
        raise ValueError(
            f"no variance up to batch {tightest_at}: labels that all agree need a standard error that says so (Wilson's)"
        )
    return (-2 * math.log(alpha) + math.log1p(-2 * math.log(alpha))) / target


def _checked(estimates: ArrayLike, ses: ArrayLike, alpha: float) -> tuple[Numbers, Numbers]:
    """The estimates and the running sum of the squared standard errors."""
    y, se = np.asarray(estimates, dtype=np.float64), np.asarray(ses, dtype=np.float64)
    if y.ndim != 1 or y.shape != se.shape or not y.size or not np.isfinite([y, se]).all() or (se < 0).any():
        raise ValueError(
            f"{y.shape} estimates, {se.shape} standard errors: give finite ones of one length, none negative"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha {alpha}: give the chance of a false alarm, between 0 and 1")
    return y, np.cumsum(se**2)


def cusum(right: ArrayLike, good: float, bad: float) -> Numbers:
    """S_i = max(0, S_{i-1} + log P(label | bad) / P(label | good)) of labels in order: evidence that `good` became `bad`.

    Page (1954), Biometrika 41:100. Labels must be of one random sample at one rate.
    """
    y = np.asarray(right, dtype=np.float64)
    if y.ndim != 1 or not np.isin(y, (0, 1)).all():
        raise ValueError("labels must be 0 or 1, one a row, in the order of their items")
    if not 0 < good < 1 or not 0 < bad < 1 or good == bad:
        raise ValueError(f"{good} against {bad}: give two different shares between 0 and 1")
    steps = np.where(y == 1, math.log(bad / good), math.log((1 - bad) / (1 - good)))
    path = np.cumsum(steps)
    # S_i is how far the path stands above its lowest point so far, the start included
    return np.asarray(path - np.minimum(0.0, np.minimum.accumulate(path)))


def first_alarm(path: ArrayLike, height: float) -> int | None:
    """The index of the first value above `height`; None where there is none."""
    above = np.flatnonzero(np.asarray(path, dtype=np.float64) > height)
    return int(above[0]) if above.size else None


def alarm_height(
    good: float,
    bad: float,
    labels: int,
    rng: np.random.Generator,
    *,
    false_alarms: float = ALPHA,
    repetitions: int = 4000,
) -> float:
    """The height that a CUSUM passes within `labels` labels in at most this share of histories in which `good` still holds.

    By simulation: the upper quantile of the highest point of the path, for a target such as 5 % in half a year.
    """
    if labels < 1 or not 0 < false_alarms < 1:
        raise ValueError(
            f"{labels} labels, {false_alarms} false alarms: give at least one label and a share between 0 and 1"
        )
    highest = [float(cusum(rng.random(labels) < good, good, bad).max()) for _ in range(repetitions)]
    return float(np.quantile(highest, 1 - false_alarms, method="higher"))
