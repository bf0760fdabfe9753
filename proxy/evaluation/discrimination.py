"""How well a rule's value orders right above wrong, and what it says of P(right): labelled values in, estimates out.

No cut enters here, so rules on different scales can be compared. Labels are weighted by design; what is unscored or unsure is
left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.domains import UNLABELLED, Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import DECIDED
from proxy.stats.calibration.auroc import Auroc, auroc, auroc_interval, measurable
from proxy.stats.calibration.reliability import bins_for, brier, ece, equal_mass, expected_ece
from proxy.stats.intervals import Interval, quantile
from proxy.stats.sampling.survey import Draws, design_variance
from proxy.stats.testing.paired import mover_difference

Numbers = NDArray[np.float64]
SEED = 20_251
WINDOW = "weighted Mann-Whitney, variance by design"


@dataclass(frozen=True, kw_only=True, slots=True)
class Valued:
    """The labelled draws that the rule gave a value: the arrays of the design, and the value of each."""

    draws: Draws
    values: Numbers

    @property
    def right(self) -> Numbers:
        """1 or 0 for each."""
        return self.draws.right


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """How far a value is from P(right), read as a probability.

    `ece` is biased up: `ece_if_perfect` is what a perfectly calibrated value would show on as many labels.
    """

    brier: float
    ece: float
    ece_if_perfect: float
    n: int


def valued(evidence: Evidence, *columns: Sequence[float | None]) -> list[Valued]:
    """What all these rules give a value, once for each rule; a column has a value, or None, for each item of the sample."""
    scored = np.array(columns, dtype=np.float64)
    returned = np.array([item.judgement is not None for item in evidence.sample], dtype=np.bool_)
    decided = np.array([item.judgement in DECIDED for item in evidence.sample], dtype=np.bool_)
    rows = decided & ~np.isnan(scored).any(axis=0)
    draws = evidence.arrays.draws.only(rows[returned])
    return [Valued(draws=draws, values=column[rows]) for column in scored]


def auroc_of(one: Valued) -> Estimate:
    """P(a right answer has the higher value than a wrong one), ties half."""
    found, reason = _auroc(one)
    if found is None:
        return Estimate(estimate=None, n=len(one.values), reason=reason)
    window, long_run, no_long_run = design_variance(one.draws, found.influence)
    low, high = _window(found, window, long_run)
    return Estimate(
        estimate=found.estimate,
        low=low,
        high=high,
        n=len(one.values),
        method=WINDOW,
        reason=no_long_run,
        long_run=None if no_long_run else found.interval(variance=long_run),
    )


def _window(found: Auroc, window: float, long_run: float) -> Interval:
    """The interval for the items at hand: every n counts for as much more as the window's variance is smaller."""
    left = window / long_run if long_run else 1.0
    if not left:
        return Interval(found.estimate, found.estimate)
    return auroc_interval(found.estimate, window, found.n_right / left, found.n_wrong / left)


def auroc_difference(one: Valued, other: Valued) -> Estimate:
    """A - B of two values of the same labels: the influences subtract, and the variance is that of the difference.

    The t quantile has the rarer class's effective number less one: a ranking knows as much as its rarer class.
    """
    first, reason = _auroc(one)
    second, _ = _auroc(other)
    if first is None or second is None:
        return Estimate(estimate=None, n=len(one.values), reason=reason)
    window, long_run, no_long_run = design_variance(one.draws, first.influence - second.influence)
    value, df = first.estimate - second.estimate, max(1.0, min(first.n_right, first.n_wrong) - 1)
    half = quantile(df) * math.sqrt(window)
    low, high = value - half, value + half
    if not window and not np.array_equal(one.values, other.values):
        # Two rankings without an error on these labels: how far they may differ is what each interval leaves open.
        _, low, high = mover_difference(first.estimate, first.interval(), second.estimate, second.interval())
    behind = quantile(df) * math.sqrt(long_run) if long_run else (high - low) / 2
    return Estimate(
        estimate=value,
        low=max(-1.0, low),
        high=min(1.0, high),
        n=len(one.values),
        method="weighted Mann-Whitney on the same labels, variance by design",
        reason=no_long_run,
        long_run=None if no_long_run else Interval(max(-1.0, value - behind), min(1.0, value + behind)),
    )


def calibration(one: Valued) -> Calibration | None:
    """Brier score and expected calibration error; None where the values are no probabilities or no bin can be filled."""
    bins = bins_for(len(one.values))
    if not len(one.values) or one.values.min() < 0 or one.values.max() > 1 or not bins:
        return None
    weights = one.draws.weight
    numbers = equal_mass(one.values, bins, weights)
    rng = np.random.default_rng(SEED)
    return Calibration(
        brier=brier(one.values, one.right, weights),
        ece=ece(one.values, one.right, numbers, weights),
        ece_if_perfect=expected_ece(one.values, numbers, rng, weights, repetitions=400).mean,
        n=len(one.values),
    )


def _auroc(one: Valued) -> tuple[Auroc | None, str]:
    if not len(one.values):
        return None, UNLABELLED
    reason = measurable(one.right)
    if reason:
        return None, f"not measurable: {reason}"
    return auroc(one.values, one.right, one.draws.weight), ""
