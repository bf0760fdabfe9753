"""Measure how well a rule's value orders right above wrong.

No threshold enters here, so rules on different scales can be compared. Labels are weighted by design; what is unscored or unsure
is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.domains import UNLABELLED, Evidence
from proxy.evaluation.estimate import Estimate
from proxy.reason import Reason
from proxy.stats.calibration.auroc import MIN_PER_CLASS, Auroc, auroc, auroc_interval, measurable
from proxy.stats.intervals import CONFIDENCE, Interval, quantile
from proxy.stats.remembered import remembered
from proxy.stats.sampling.survey import Draws, design_variance
from proxy.stats.testing.paired import mover_difference

Numbers = NDArray[np.float64]
WINDOW = "weighted Mann-Whitney, variance by design"
TOO_FEW = "not measurable: {right} right and {wrong} wrong labels: label until there are {least} of each"
ONE_VALUE = "not measurable: the score is the same on all labelled answers, so it ranks none"
# The AUROC of a score that tells nothing, and of one that tells too little to use.
CHANCE, WEAK = 0.5, 0.6


class Separation(StrEnum):
    """Whether a score separates right from wrong answers, read from an interval of its AUROC."""

    SEPARATES = "separates"  # the interval lies above CHANCE
    INVERTED = "inverted"  # it lies below CHANCE: wrong answers have the higher scores
    DOES_NOT = "does_not"  # it holds CHANCE and lies below WEAK
    OPEN = "open"  # it holds CHANCE: more labels could tell
    CONSTANT = "constant"  # it has one value, which ranks nothing
    UNMEASURABLE = "unmeasurable"  # there is no interval


def separation_of(interval: Interval | None) -> Separation:
    """Read an interval of the AUROC."""
    if interval is None:
        return Separation.UNMEASURABLE
    if interval.low > CHANCE:
        return Separation.SEPARATES
    if interval.high < CHANCE:
        return Separation.INVERTED
    return Separation.DOES_NOT if interval.high < WEAK else Separation.OPEN


# Below it a variance is what rounding left of none.
NO_VARIANCE = 1e-20


@dataclass(frozen=True, kw_only=True, slots=True)
class Valued:
    """The labelled draws that the rule gave a value: the arrays of the design, and the value of each."""

    draws: Draws
    values: Numbers

    @property
    def right(self) -> Numbers:
        """1 for each right label, 0 for each wrong one."""
        return self.draws.right


def valued(evidence: Evidence, *columns: Sequence[float | None]) -> list[Valued]:
    """Select the labelled draws that all these rules give a value; one result for each column.

    A column holds one rule's value, or None, for each item of the sample.
    """
    scored = np.array(columns, dtype=np.float64)
    returned = evidence.is_returned
    rows = np.zeros(len(returned), dtype=np.bool_)
    rows[returned] = evidence.decided
    rows &= ~np.isnan(scored).any(axis=0)
    draws = evidence.arrays.only(rows[returned])
    return [Valued(draws=draws, values=column[rows]) for column in scored]


@remembered(most=256)
def auroc_of(labels: Valued, confidence: float = CONFIDENCE) -> Estimate:
    """Estimate the AUROC: P(a right answer has the higher value than a wrong one), ties half."""
    area, reason = _auroc(labels)
    if area is None:
        return Estimate(estimate=None, n=len(labels.values), reason=reason)
    if np.ptp(labels.values) == 0:
        return Estimate(estimate=None, n=len(labels.values), reason=ONE_VALUE)
    window, long_run, no_long_run = design_variance(labels.draws, area.influence)
    low, high = _window(area, window, long_run, confidence)
    return Estimate(
        estimate=area.estimate,
        low=low,
        high=high,
        n=len(labels.values),
        method=WINDOW,
        reason=no_long_run,
        long_run=None if no_long_run else area.interval(confidence, long_run),
    )


def aurocs_of_all(scores: Sequence[Valued]) -> list[Interval | None]:
    """Return, of each score, the AUROC's long-run interval that holds for all scores at once; None where there is none.

    Bonferroni over the scores that have one: together the intervals hold the true values in 95 % of samples, however the scores
    go together. Whether a score has one follows from its number of labels, not from what they say of it.
    """
    compared = sum(auroc_of(labels).long_run is not None for labels in scores)
    level = 1 - (1 - CONFIDENCE) / max(1, compared)
    return [auroc_of(labels, level).long_run for labels in scores]


def _window(area: Auroc, window: float, long_run: float, confidence: float) -> Interval:
    """Compute the interval for the items at hand: each n counts the more, the smaller the window's variance is."""
    left = window / long_run if long_run else 1.0
    if not left:
        return Interval(area.estimate, area.estimate)
    return auroc_interval(area.estimate, window, area.n_right / left, area.n_wrong / left, confidence)


@remembered(most=256)
def auroc_difference(labels: Valued, other: Valued) -> Estimate:
    """Estimate the AUROC of one value minus that of another on the same labels, with the variance of the difference.

    The influences subtract.

    The t quantile has the rarer class's effective number less one: a ranking knows as much as its rarer class.
    """
    first, reason = _auroc(labels)
    second, _ = _auroc(other)
    if first is None or second is None:
        return Estimate(estimate=None, n=len(labels.values), reason=reason)
    variances = design_variance(labels.draws, first.influence - second.influence)
    window, long_run = (variance if variance > NO_VARIANCE else 0.0 for variance in variances[:2])
    no_long_run = variances[2]
    value, df = first.estimate - second.estimate, max(1.0, min(first.n_right, first.n_wrong) - 1)
    half = quantile(df) * math.sqrt(window)
    low, high = value - half, value + half
    if not window and not np.array_equal(labels.values, other.values):
        # Two rankings without an error on these labels: how far they may differ is what each interval leaves open.
        _, low, high = mover_difference(first.estimate, first.interval(), second.estimate, second.interval())
    behind = quantile(df) * math.sqrt(long_run) if long_run else (high - low) / 2
    return Estimate(
        estimate=value,
        low=max(-1.0, low),
        high=min(1.0, high),
        n=len(labels.values),
        method="weighted Mann-Whitney on the same labels, variance by design",
        reason=no_long_run,
        long_run=None if no_long_run else Interval(max(-1.0, value - behind), min(1.0, value + behind)),
    )


def _auroc(scored: Valued) -> tuple[Auroc | None, str]:
    if not len(scored.values):
        return None, UNLABELLED
    if measurable(scored.right):
        right = int(scored.right.sum())
        return None, Reason(TOO_FEW, right=right, wrong=len(scored.values) - right, least=MIN_PER_CLASS)
    return auroc(scored.values, scored.right, scored.draws.weight), ""
