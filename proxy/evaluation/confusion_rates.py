"""Estimate the quantities of the 2x2 table that need both sides, from P(right | pass) and P(right | fail).

p1 and p0 are drawn from Beta(p n + .5, (1 - p) n + .5), n the effective sample size of the side, and each quantity's 2.5
and 97.5 percentiles taken: in simulation that covers better than the bootstrap or the delta method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from proxy.evaluation.domains import Part, Unknown
from proxy.evaluation.estimate import Estimate
from proxy.reason import Reason
from proxy.stats.agreement import confusion
from proxy.stats.intervals import CONFIDENCE, Interval, quantile
from proxy.stats.sampling.survey import Proportion

# Chosen: of 4,096 even draws 102 lie beyond each end of a 95 % interval.
DRAWS = 4096
# Normal scores, a twentieth apart, that hold every even draw: the furthest of 4,096 lies at 3.8.
GRID = np.linspace(-4.5, 4.5, 181)
# Chosen: leaving out so many draws moves a percentile by no more than one hundredth of the draws.
MOST_UNDEFINED = 0.01
MAY_BE_UNDEFINED = "the quantity may be undefined, as its denominator may be 0; label more items"
NOTHING_SCORED = "no item that could be drawn has a verdict: run `assay judge`"
FEW_QUESTIONS = (
    "not measurable in the long run: only {count} labels on passed answers, of too few questions or groups",
    "not measurable in the long run: only {count} labels on failed answers, of too few questions or groups",
)
Quantity = Callable[[confusion.Cells], confusion.Numbers]
DERIVED: dict[str, Quantity] = {
    "sensitivity": confusion.sensitivity,
    "specificity": confusion.specificity,
    "accuracy": confusion.accuracy,
    "f1": confusion.f1,
    "kappa": confusion.kappa,
    "mcc": confusion.mcc,
    "ac1": confusion.ac1,
}


# Draws of a share at normal scores, from an estimate, its n and its degrees of freedom.
Distribution = Callable[[float, float, float, confusion.Numbers], confusion.Numbers]


class Range(NamedTuple):
    """The values that a quantity can have, and whether a better proxy has a higher one.

    A quantity of the 2x2 table rises with P(right | pass) and falls with P(right | fail); one for which lower is better does the
    reverse.
    """

    lowest: float
    highest: float
    is_higher_better: bool = True


SHARE = Range(0.0, 1.0)
CORRELATION = Range(-1.0, 1.0)
RANGES: dict[str, Range] = {
    "sensitivity": SHARE,
    "specificity": SHARE,
    "accuracy": SHARE,
    "f1": SHARE,
    "kappa": CORRELATION,
    "mcc": CORRELATION,
    "ac1": CORRELATION,
}
UNDEFINED = {
    "sensitivity": "undefined: no item was right among the labels",
    "specificity": "undefined: no item was wrong among the labels",
    "accuracy": "undefined: nothing was scored among the labels",
    "f1": "undefined: no item was right or passed among the labels",
    "kappa": "undefined: every item has the same verdict and the same label among the labels",
    "mcc": "undefined: all items have the same verdict, or the same label among the labels",
    "ac1": "undefined: nothing was scored among the labels",
}


class VerdictProportions(NamedTuple):
    """P(right) of passed and of failed items; None where there are no such items.

    `pass_share` is P(pass) among the `scored` items that annotators can judge.
    """

    passed: Part
    failed: Part
    pass_share: float
    scored: float


def derived(
    proportions: VerdictProportions, grouping: float, draws: int = DRAWS, names: Collection[str] = tuple(DERIVED)
) -> dict[str, Estimate]:
    """Estimate the quantities of DERIVED that are asked for, or say why none can be measured.

    `grouping` is sum m^2 / sum m over the group sizes m of all items: how far the pass share is from a count of its own.
    Fewer draws are faster and a little less even.
    """
    unknown = [proportion for proportion in proportions[:2] if isinstance(proportion, Unknown)]
    if unknown:
        return {name: Estimate(estimate=None, n=unknown[0].n, reason=unknown[0].reason) for name in names}
    if proportions.scored == 0:
        return {name: Estimate(estimate=None, reason=NOTHING_SCORED) for name in names}
    return dict(_derived(proportions, grouping, draws, tuple((name, DERIVED[name]) for name in names)))


@lru_cache(maxsize=512)
def _derived(
    proportions: VerdictProportions, grouping: float, draws: int, quantities: tuple[tuple[str, Quantity], ...]
) -> tuple[tuple[str, Estimate], ...]:
    """Estimate the quantities of two sides that are known, once for all rules that give the same verdicts."""
    rows = even_draws(3, draws)
    centre = table(proportions)
    window = confusion.cells(
        draw_window(proportions.passed, rows[0]), draw_window(proportions.failed, rows[1]), proportions.pass_share
    )
    share = jeffreys(proportions.pass_share, proportions.scored / grouping, math.inf, rows[2])
    long_run = confusion.cells(
        draw_long_run(proportions.passed, rows[0]), draw_long_run(proportions.failed, rows[1]), share
    )
    n = sum(proportion.n for proportion in proportions[:2] if isinstance(proportion, Proportion))
    estimates = [(name, _estimate(name, quantity, centre, window, long_run, n)) for name, quantity in quantities]
    reason = next(
        (_no_long_run(*known) for known in zip(FEW_QUESTIONS, proportions[:2], strict=True) if _no_long_run(*known)),
        None,
    )
    return tuple((name, without_long_run(estimate, reason) if reason else estimate) for name, estimate in estimates)


def _no_long_run(template: str, proportion: Part) -> str | None:
    """Say which labels are too few, as all labels may be many."""
    return (
        Reason(template, count=proportion.n)
        if isinstance(proportion, Proportion) and proportion.whole.no_long_run
        else None
    )


def without_long_run(estimate: Estimate, reason: str) -> Estimate:
    """Return the quantity for the window alone."""
    return replace(estimate, long_run=None, reason=estimate.reason or reason)


def table(proportions: VerdictProportions) -> confusion.Cells:
    """Estimate the 2x2 table as shares of all scored items."""
    passed, failed = (proportion.p if isinstance(proportion, Proportion) else 0.0 for proportion in proportions[:2])
    return confusion.cells(passed, failed, proportions.pass_share)


@cache
def even_draws(dimensions: int, draws: int = DRAWS) -> confusion.Numbers:
    """Return normal scores of points that fill the unit cube evenly, so that the same labels give the same interval.

    Halton's sequence (1960): the digits of 1, 2, 3, ... in a prime base, mirrored at the point. Any two dimensions are even
    too, which the powers of one root (the R sequence) are not.
    """
    from scipy.special import ndtri

    points = np.zeros((dimensions, draws))
    for number, base in enumerate((2, 3, 5, 7)[:dimensions]):
        left, place = np.arange(1, draws + 1), 1.0
        while left.any():
            place /= base
            points[number] += place * (left % base)
            left = left // base
    return np.asarray(ndtri(points), dtype=np.float64)


def draw_window(proportion: Part, scores: confusion.Numbers, unseen: Distribution | None = None) -> confusion.Numbers:
    """Compute P(right) of these very items at draws of their unseen part: `jeffreys` of it, or another distribution."""
    if not isinstance(proportion, Proportion):
        return np.zeros_like(scores)
    if proportion.rest is None or math.isinf(proportion.rest.n_window):
        return np.full_like(scores, proportion.p)
    rest = (unseen or jeffreys)(proportion.rest.p, proportion.rest.n_window, proportion.rest.df_window, scores)
    return proportion.seen_share * proportion.seen_p + (1 - proportion.seen_share) * rest


def draw_long_run(proportion: Part, scores: confusion.Numbers) -> confusion.Numbers:
    """Compute P(right) behind this window at draws; for a side without items from the prior, Beta(.5, .5)."""
    if not isinstance(proportion, Proportion):
        return jeffreys(0.5, 0.0, math.inf, scores)
    return jeffreys(proportion.p, proportion.whole.n_long_run, proportion.whole.df_long_run, scores)


def jeffreys(p: float, n: float, df: float, scores: confusion.Numbers) -> confusion.Numbers:
    """Compute quantiles of Beta(p n + .5, (1 - p) n + .5) at normal scores.

    n is made smaller by (z / t)^2, as the variance is estimated.

    Interpolated between GRID: the exact quantile takes forty times as long and differs in the fifth digit.
    """
    return np.asarray(np.interp(scores, GRID, _exact(p, n * (quantile() / quantile(df)) ** 2)), dtype=np.float64)


def exact(p: float, n: float, df: float, scores: confusion.Numbers) -> confusion.Numbers:
    """Compute the ends of Clopper and Pearson's intervals at normal scores: those below 0 give the lower ends.

    At every level the interval between two draws is the exact one, so it holds the share at any n: without labels each draw
    is 0 or 1. n is made smaller as by `jeffreys`.
    """
    lower, upper = _exact_ends(p, n * (quantile() / quantile(df)) ** 2)
    return np.where(scores < 0, np.interp(scores, GRID, lower), np.interp(scores, GRID, upper))


@lru_cache(maxsize=1024)
def _exact_ends(p: float, n: float) -> tuple[confusion.Numbers, confusion.Numbers]:
    """Compute the lower and the upper ends at GRID."""
    from scipy.special import betaincinv, ndtr

    right, wrong, levels = p * n, (1 - p) * n, ndtr(GRID)
    lower = betaincinv(right, wrong + 1, levels) if right > 0 else np.zeros_like(levels)
    upper = betaincinv(right + 1, wrong, levels) if wrong > 0 else np.ones_like(levels)
    return np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)


@lru_cache(maxsize=1024)
def _exact(p: float, n: float) -> confusion.Numbers:
    """Compute the quantiles at GRID: a report asks for those of a side again for every rule, slice and worst case."""
    from scipy.special import betaincinv, ndtr

    return np.asarray(betaincinv(p * n + 0.5, (1 - p) * n + 0.5, ndtr(GRID)), dtype=np.float64)


def _estimate(
    name: str,
    quantity: Quantity,
    centre: confusion.Cells,
    window: confusion.Cells,
    long_run: confusion.Cells,
    n: int,
) -> Estimate:
    value = float(quantity(centre))
    if math.isnan(value):
        return Estimate(estimate=None, n=n, reason=UNDEFINED[name])
    inner, outer = (_defined_middle(quantity(draws), value) for draws in (window, long_run))
    low, high = inner or (None, None)
    return Estimate(
        estimate=value,
        low=low,
        high=high,
        n=n,
        method="weighted by design, Beta draws",
        reason=None if inner and outer else MAY_BE_UNDEFINED,
        long_run=outer,
    )


def _defined_middle(values: confusion.Numbers, value: float) -> Interval | None:
    """Return the central interval; None where more than MOST_UNDEFINED of the draws have no value."""
    return middle(values, value) if np.isnan(values).mean() <= MOST_UNDEFINED else None


def middle(values: confusion.Numbers, value: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the central interval of the draws, widened to hold the estimate where that lies at the edge of the possible.

    It describes the draws that have a value: a quantity that is undefined at others (nan, as its denominator is 0) is described
    only where it exists.
    """
    defined = values[~np.isnan(values)]
    ends = ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = np.quantile(defined, ends) if defined.size else (value, value)
    return Interval(min(float(low), value), max(float(high), value))
