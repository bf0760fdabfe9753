"""Compare how often answers are wrong on the bad and on the good side of a judge's threshold.

Every labelled draw counts by design, labels of one group or question together, and each system is compared with itself: a
system with worse passages and worse answers for another reason does not make passages look guilty. Unsure answers widen the
interval to the worst and the best that they may be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from proxy.evaluation.domains import FEWEST_LABELS
from proxy.evaluation.estimate import Estimate
from proxy.stats.effective import effective_n
from proxy.stats.intervals import CONFIDENCE, Interval, quantile, wilson, with_unknown
from proxy.stats.sampling.clusters import effective as clusters_of
from proxy.stats.sampling.survey import Draws, Indices, Mask, Numbers, design_variance
from proxy.stats.testing.detectable import POWER
from proxy.stats.testing.paired import mover_difference

METHOD = "weighted by design, clusters counted once, Wilson at the effective sample size, MOVER"
# A stage that matters makes answers wrong this much more often.
MATTERS = 0.2
GOOD, BAD, NEITHER = 0, 1, -1


class Population(NamedTuple):
    """Known counts of answers, side by system: all answers, and those that no label speaks for."""

    size: Numbers
    missing: Numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """Labelled draws with the side of the threshold (GOOD, BAD or NEITHER) and the system of each, and all answers."""

    draws: Draws
    side: Indices
    system: Indices
    population: Population

    def comparable(self) -> Numbers:
        """Compute each system's weight, n_bad n_good / n of its answers; 0 where a side has under two judged labels."""
        systems = self.population.size.shape[1]
        judged = self.draws.judged == 1
        labels = [np.bincount(self.system[judged & (self.side == side)], minlength=systems) for side in (GOOD, BAD)]
        good, bad = self.population.size
        weight = good * bad / np.maximum(good + bad, 1) * (np.minimum(*labels) >= FEWEST_LABELS)
        return np.asarray(weight / weight.sum() if weight.sum() else weight, dtype=np.float64)


@dataclass(frozen=True, kw_only=True, slots=True)
class StageContrast:
    """P(wrong) on the bad side minus P(wrong) on the good side, with the interval that holds for all comparisons at once.

    `needed` are the labels that each side lacks, bad and good, to show a difference of MATTERS with POWER; `is_possible` says
    whether there are as many answers. `missing` are the draws on both sides without a right or wrong, where not knowing them
    makes more than half of the interval's width; else 0.
    """

    difference: Estimate
    bad: float | None = None
    good: float | None = None
    needed: tuple[int, int] = (0, 0)
    is_possible: bool = True
    missing: int = 0

    @property
    def is_shown(self) -> bool:
        """Whether being wrong is shown to be likelier on the bad side."""
        return self.difference.low is not None and self.difference.low > 0


class _Rate(NamedTuple):
    p: float
    interval: Interval
    n: int
    effective: float


def is_measurable(sides: Sides) -> bool:
    """Return whether some system has labels on both sides."""
    return bool(sides.comparable().any())


def contrast(sides: Sides, comparisons: int = 1, confidence: float = CONFIDENCE) -> StageContrast:
    """Compare the two sides; `comparisons` are all that are made at once (Bonferroni).

    Notes
    -----
    P_k = sum_s W_s p_ks over systems s, W_s proportional to n_bad n_good / n of its answers (Mantel and Haenszel 1959, JNCI
    22:719), p_ks the weighted share of wrong answers; variance by linearisation, long run.
    """
    if not is_measurable(sides):
        reason = f"not measurable: label at least {FEWEST_LABELS} answers on either side of the threshold"
        return StageContrast(difference=Estimate(estimate=None, reason=reason), needed=(FEWEST_LABELS, FEWEST_LABELS))
    level = 1 - (1 - confidence) / comparisons
    wrong, unsure = sides.draws.judged * (1 - sides.draws.right), sides.draws.judged == 0
    everyone = np.ones(len(wrong))
    bad, good = (_rate(sides, side, wrong, sides.draws.judged, level) for side in (BAD, GOOD))
    # Unsure is right where that speaks against the claim, then wrong where it speaks for it.
    least = mover_difference(
        *_ends(_rate(sides, BAD, wrong, everyone, level)),
        *_ends(_rate(sides, GOOD, np.where(unsure, 1.0, wrong), everyone, level)),
    )
    most = mover_difference(
        *_ends(_rate(sides, BAD, np.where(unsure, 1.0, wrong), everyone, level)),
        *_ends(_rate(sides, GOOD, wrong, everyone, level)),
    )
    known = mover_difference(*_ends(bad), *_ends(good))
    is_widened = most.high - least.low > 2 * (known.high - known.low)
    is_missing = unsure & (sides.side != NEITHER) & (sides.comparable()[sides.system] > 0)
    needed, left = _needed(bad, good, level), sides.population.size.sum(axis=1)
    return StageContrast(
        difference=Estimate(
            estimate=bad.p - good.p, low=least.low, high=most.high, n=bad.n + good.n, method=METHOD, long_run=None
        ),
        bad=bad.p,
        good=good.p,
        needed=needed,
        is_possible=bad.n + needed[0] <= left[BAD] and good.n + needed[1] <= left[GOOD],
        missing=int(np.sum(is_missing)) if is_widened else 0,
    )


def _ends(rate: _Rate) -> tuple[float, Interval]:
    return rate.p, rate.interval


def _rate(sides: Sides, side: int, wrong: Numbers, counted: Numbers, level: float) -> _Rate:
    """Estimate P(wrong) on one side, the systems weighted alike on both."""
    shares = sides.comparable()
    here: Mask = (sides.side == side) & (counted == 1) & (shares[sides.system] > 0)
    draws, system, y = sides.draws.only(here), sides.system[here], wrong[here]
    totals = np.bincount(system, draws.weight, len(shares))
    unit = shares[system] * draws.weight / totals[system]
    means = np.bincount(system, draws.weight * y, len(shares)) / np.where(totals > 0, totals, 1)
    p = min(1.0, max(0.0, float(np.sum(shares * means))))
    # Systems answer the same questions, and so do conversations: labels count by both.
    variance = design_variance(draws, unit * (y - means[system])).long_run
    clusters = clusters_of(draws.ways, unit).clusters
    effective = effective_n(p, variance, len(y), clusters)
    interval = wilson(p, effective, df=max(1.0, clusters - 1), confidence=level)
    size, missing = sides.population.size[side], sides.population.missing[side]
    unknown = float(np.sum(shares * missing / np.maximum(size, 1)))
    low, high = with_unknown(interval, unknown)
    return _Rate(p, Interval(min(low, p), max(high, p)), int(np.sum(draws.judged)), effective)


def _needed(bad: _Rate, good: _Rate, level: float) -> tuple[int, int]:
    """Count the labels that each side lacks: n = (z_alpha + z_power)^2 2 p (1 - p) / d^2 effective ones."""
    p = min(0.9, max(0.1, (bad.p * bad.n + good.p * good.n) / (bad.n + good.n)))
    z = quantile(confidence=level) + quantile(confidence=2 * POWER - 1)
    wanted = z**2 * 2 * p * (1 - p) / MATTERS**2
    first, second = (max(0.0, wanted * max(1.0, rate.n / rate.effective) - rate.n) for rate in (bad, good))
    return 5 * math.ceil(first / 5), 5 * math.ceil(second / 5)
