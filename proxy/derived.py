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

DRAWS = 4000
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
    """What is known of passed and failed items; None means that there are none. `pass_share` is P(pass)."""

    passed: Side
    failed: Side
    pass_share: float | None


def derived(sides: Sides, clustering: float, rng: np.random.Generator) -> dict[str, Estimate]:
    """Every quantity of DERIVED, or the reason why none can be measured."""
    unknown = [side for side in sides[:2] if isinstance(side, Unknown)]
    if unknown:
        return {name: Estimate(estimate=None, n=unknown[0].n, reason=unknown[0].reason) for name in DERIVED}
    if sides.pass_share is None:
        return {name: Estimate(estimate=None, reason="no scored item is in the frame") for name in DERIVED}
    uniform = rng.random((2, DRAWS))
    centre = table(sides)
    window = _draw(sides, uniform, None)
    long_run = _draw(sides, uniform, clustering)
    n = sum(side.n for side in sides[:2] if isinstance(side, Proportion))
    return {name: _estimate(name, centre, window, long_run, n) for name in DERIVED}


def table(sides: Sides) -> confusion.Cells:
    """The estimated 2x2 table as shares of all scored items."""
    passed, failed = (side.p if isinstance(side, Proportion) else 0.0 for side in sides[:2])
    return confusion.cells(passed, failed, sides.pass_share or 0.0)


def _draw(sides: Sides, uniform: confusion.Numbers, clustering: float | None) -> confusion.Cells:
    """The table at DRAWS draws of both sides: of the window, or with a clustering of the long run."""
    drawn = [_beta(side, row, clustering) for side, row in zip(sides[:2], uniform, strict=True)]
    return confusion.cells(drawn[0], drawn[1], sides.pass_share or 0.0)


def _beta(side: Side, uniform: confusion.Numbers, clustering: float | None) -> confusion.Numbers:
    if not isinstance(side, Proportion):
        return np.zeros_like(uniform)
    if clustering is not None:
        return _jeffreys(side.p, side.whole.n_effective / clustering, side.whole.df, uniform)
    if side.rest is None:
        return np.full_like(uniform, side.p)
    rest = _jeffreys(side.rest.p, side.rest.n_window, side.rest.df, uniform)
    return side.seen_share * side.seen_p + (1 - side.seen_share) * rest


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
