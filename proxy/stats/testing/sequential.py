"""Watch a rate for as long as one likes, with bounds that hold at every look.

An interval for a fixed n, read anew each week, raises false alarms without end. A confidence sequence holds at all looks at
once; a CUSUM (`cusum`) answers faster and is tuned to a rate of false alarms. Both speak of labels drawn at random: a judge's
pass rate watched this way raises alarms about the judge or the traffic, not about quality.
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
    """Compute mean +- sqrt(2 (V r + 1) / (t^2 r) log(sqrt(V r + 1) / alpha)).

    t batches, V the sum of their squared standard errors.

    Asymptotic: batches are independent with nearly normal estimates. Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024),
    Annals of Statistics 52:2613. r makes the bounds tightest at batch `tightest_at`; `planned_se` fixes it in advance, as the
    guarantee asks; without it V there is read off the batches, or carried on from those seen so far.
    """
    y, v = _checked(estimates, ses, alpha)
    t, r = np.arange(1, y.size + 1), _tuning(v, tightest_at, planned_se, alpha)
    half = np.sqrt(2 * (v * r + 1) / (t**2 * r) * np.log(np.sqrt(v * r + 1) / alpha))
    mean = np.cumsum(y) / t
    return Bounds(mean, mean - half, mean + half)


def change(
    estimates: ArrayLike, ses: ArrayLike, before: tuple[float, float], *, tightest_at: float, alpha: float = ALPHA
) -> Bounds:
    """Compute the weighted running mean minus the rate before, (estimate, standard error).

    The two-sided bounds pay for both errors.

    d_t = sum(y / se^2) / J - before, J = sum(1 / se^2), has variance 1 / I with I = 1 / (1 / J + se_before^2), and I d_t runs
    like Brownian motion in the time I: Cov(d_s, d_t) = 1 / I_t for s < t. So `two_sided` holds with V = I for the sum I d_t:
    d +- sqrt(2 (I r + 1) / (I^2 r) log(sqrt(I r + 1) / alpha)), tightest where I is `tightest_at`.
    """
    return _change(estimates, ses, before, tightest_at, alpha)


def change_below(
    estimates: ArrayLike, ses: ArrayLike, before: tuple[float, float], *, tightest_at: float, alpha: float = ALPHA
) -> Bounds:
    """Compute the upper bound alone of `change`, by the one-sided form (same paper, appendix): below 0 is a drop, at any look."""
    mean, _, high = _change(estimates, ses, before, tightest_at, alpha, is_one_sided=True)
    return Bounds(mean, np.full(mean.size, -np.inf), high)


def confidence_of_a_look(n: float, tightest_at: float, alpha: float = ALPHA) -> float:
    """Compute the two-sided confidence whose lower end, taken anew at every look, is ever too high with chance alpha at most.

    The one-sided sequence of `change_below` is d - z se with z^2 = 2 (g + 1) / g log(1 + sqrt(g + 1) / (2 alpha)), g = I r. Where
    information grows with the number of labels n, g is known without knowing I, and 2 Phi(z) - 1 is returned: with it a
    quantile of t can stand for z.

    Parameters
    ----------
    n : float
        The number of labels at this look.
    tightest_at : float
        The number at which the bound is to be tightest.
    alpha : float
        The chance of a false alarm over all looks, below 1/2.
    """
    from scipy.special import ndtr

    if not (n > 0 and tightest_at > 0 and 0 < alpha < 0.5):
        raise ValueError(
            f"{n} labels, tightest at {tightest_at}, alpha {alpha}: give numbers above 0, and alpha below 1/2"
        )
    grown = _ratio(2 * alpha) * n / tightest_at
    z = math.sqrt(2 * (grown + 1) / grown * math.log1p(math.sqrt(grown + 1) / (2 * alpha)))
    return float(2 * ndtr(z) - 1)


def _change(
    estimates: ArrayLike,
    ses: ArrayLike,
    before: tuple[float, float],
    tightest_at: float,
    alpha: float,
    *,
    is_one_sided: bool = False,
) -> Bounds:
    y, _ = _checked(estimates, ses, alpha)
    squares = np.asarray(ses, dtype=np.float64) ** 2
    if not squares.all() or not tightest_at > 0 or before[1] < 0:
        raise ValueError(
            "give standard errors above 0, one of at least 0 for the rate before, and an information above 0"
        )
    if is_one_sided and not alpha < 0.5:
        raise ValueError(f"alpha {alpha}: a one-sided sequence needs one below 1/2")
    precision = 1 / squares
    weight = np.cumsum(precision)
    information = 1 / (1 / weight + before[1] ** 2)
    level = 2 * alpha if is_one_sided else alpha
    r = _ratio(level) / tightest_at
    grown = np.sqrt(information * r + 1)
    reach = np.log1p(grown / level) if is_one_sided else np.log(grown / level)
    half = np.sqrt(2 * (information * r + 1) / (information**2 * r) * reach)
    difference = np.cumsum(y * precision) / weight - before[0]
    return Bounds(difference, difference - half, difference + half)


def _ratio(alpha: float) -> float:
    """Compute -2 log alpha + log(1 - 2 log alpha): r V where the bounds are tightest."""
    return -2 * math.log(alpha) + math.log1p(-2 * math.log(alpha))


def _tuning(v: Numbers, tightest_at: int, planned_se: float | None, alpha: float) -> float:
    """Compute r = (-2 log alpha + log(1 - 2 log alpha)) / V at the batch where the bounds are to be tightest."""
    if tightest_at < 1:
        raise ValueError(f"tightest at batch {tightest_at}: batches count from 1")
    seen = min(tightest_at, v.size)
    target = float(v[seen - 1]) * tightest_at / seen if planned_se is None else tightest_at * planned_se**2
    if not target > 0:
        raise ValueError(
            f"no variance up to batch {tightest_at}: labels that all agree need a standard error that says so (Wilson's)"
        )
    return _ratio(alpha) / target


def _checked(estimates: ArrayLike, ses: ArrayLike, alpha: float) -> tuple[Numbers, Numbers]:
    """Check the estimates; return them and the running sum of the squared standard errors."""
    y, se = np.asarray(estimates, dtype=np.float64), np.asarray(ses, dtype=np.float64)
    if y.ndim != 1 or y.shape != se.shape or not y.size or not np.isfinite([y, se]).all() or (se < 0).any():
        raise ValueError(
            f"{y.shape} estimates, {se.shape} standard errors: give finite ones of one length, none negative"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha {alpha}: give the chance of a false alarm, between 0 and 1")
    return y, np.cumsum(se**2)
