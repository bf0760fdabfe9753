"""Quantities of the 2x2 table that need both sides: P(right | pass) and P(right | fail) in, Estimates out.

p1 and p0 are drawn from Beta(p n + .5, (1 - p) n + .5), n the effective sample size of the side, and each quantity's 2.5
and 97.5 percentiles taken: in simulation that covers better than the bootstrap or the delta method.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from proxy.estimate import Estimate
from proxy.stats import confusion
from proxy.stats.intervals import Interval, quantile
from proxy.stats.survey import Proportion

DRAWS = 4096
NOTHING_SCORED = "no item of the frame has a verdict: run `assay judge`"
# Steps of the R3 sequence, which fills the unit cube evenly: 1/g, 1/g^2 and 1/g^3 with g^4 = g + 1 (Roberts 2018).
STEPS = tuple(1.2207440846057596**-power for power in (1, 2, 3))
DERIVED: dict[str, Callable[[confusion.Cells], confusion.Numbers]] = {
    "sensitivity": confusion.sensitivity,
    "specificity": confusion.specificity,
    "accuracy": confusion.accuracy,
    "f1": confusion.f1,
    "kappa": confusion.kappa,
    "mcc": confusion.mcc,
}
WITHOUT = {
    "sensitivity": "no item was right",
    "specificity": "no item was wrong",
    "accuracy": "nothing was scored",
    "f1": "no item was right or passed",
    "kappa": "every item has the same verdict and the same label",
    "mcc": "all items have the same verdict, or the same label",
}


class Unknown(NamedTuple):
    """A side that has items but cannot be estimated."""

    reason: str
    n: int


Side = Proportion | Unknown | None


class Sides(NamedTuple):
    """What is known of passed and failed items; None means that there are none.

    `pass_share` is P(pass) among the `scored` items that people can judge.
    """

    passed: Side
    failed: Side
    pass_share: float
    scored: float


def derived(sides: Sides, clustering: float) -> dict[str, Estimate]:
    """Every quantity of DERIVED, or the reason why none can be measured."""
    unknown = [side for side in sides[:2] if isinstance(side, Unknown)]
    if unknown:
        return {name: Estimate(estimate=None, n=unknown[0].n, reason=unknown[0].reason) for name in DERIVED}
    if sides.scored == 0:
        return {name: Estimate(estimate=None, reason=NOTHING_SCORED) for name in DERIVED}
    # Even draws in place of random ones: the same labels always give the same interval, without sampling noise.
    uniform = (0.5 + np.outer(STEPS, np.arange(DRAWS))) % 1.0
    centre = table(sides)
    window = _draw_window(sides, uniform)
    long_run = _draw_long_run(sides, uniform, clustering)
    n = sum(side.n for side in sides[:2] if isinstance(side, Proportion))
    return {name: _estimate(name, centre, window, long_run, n) for name in DERIVED}


def table(sides: Sides) -> confusion.Cells:
    """The estimated 2x2 table as shares of all scored items."""
    passed, failed = (side.p if isinstance(side, Proportion) else 0.0 for side in sides[:2])
    return confusion.cells(passed, failed, sides.pass_share)


def _draw_window(sides: Sides, uniform: confusion.Numbers) -> confusion.Cells:
    """The table of these very items at DRAWS draws of what was not seen of them; the pass share is known."""
    passed, failed = (_window(side, row) for side, row in zip(sides[:2], uniform[:2], strict=True))
    return confusion.cells(passed, failed, sides.pass_share)


def _window(side: Side, uniform: confusion.Numbers) -> confusion.Numbers:
    if not isinstance(side, Proportion):
        return np.zeros_like(uniform)
    if side.rest is None:
        return np.full_like(uniform, side.p)
    rest = _jeffreys(side.rest.p, side.rest.n_window, side.rest.df, uniform)
    return side.seen_share * side.seen_p + (1 - side.seen_share) * rest


def _draw_long_run(sides: Sides, uniform: confusion.Numbers, clustering: float) -> confusion.Cells:
    """The table of the traffic behind the window: both sides and the pass share are samples of it.

    A side without items has taught nothing: its draws are those of the prior, Beta(.5, .5).
    """
    passed, failed = (_long_run(side, row, clustering) for side, row in zip(sides[:2], uniform[:2], strict=True))
    return confusion.cells(passed, failed, _jeffreys(sides.pass_share, sides.scored / clustering, math.inf, uniform[2]))


def _long_run(side: Side, uniform: confusion.Numbers, clustering: float) -> confusion.Numbers:
    if not isinstance(side, Proportion):
        return _jeffreys(0.5, 0.0, math.inf, uniform)
    return _jeffreys(side.p, side.whole.n_effective / clustering, side.whole.df, uniform)


def _jeffreys(p: float, n: float, df: float, uniform: confusion.Numbers) -> confusion.Numbers:
    """Quantiles of Beta(p n + .5, (1 - p) n + .5), n made smaller by (z / t)^2 because the variance is estimated."""
    n *= (quantile() / quantile(df)) ** 2
    return np.asarray(betaincinv(p * n + 0.5, (1 - p) * n + 0.5, uniform), dtype=np.float64)


def _estimate(
    name: str, centre: confusion.Cells, window: confusion.Cells, long_run: confusion.Cells, n: int
) -> Estimate:
    function = DERIVED[name]
    value = float(function(centre))
    if math.isnan(value):
        return Estimate(estimate=None, n=n, reason=f"undefined: {WITHOUT[name]} among the labels")
    low, high = _middle(function(window), value)
    return Estimate(
        estimate=value,
        low=low,
        high=high,
        n=n,
        method="stratified, Beta draws",
        long_run=_middle(function(long_run), value),
    )


def _middle(values: confusion.Numbers, value: float) -> Interval:
    """The middle 95 %, widened to hold the estimate where that lies at the edge of the possible."""
    defined = values[~np.isnan(values)]
    low, high = np.quantile(defined, (0.025, 0.975)) if defined.size else (value, value)
    return Interval(min(float(low), value), max(float(high), value))
