"""Measure how well a value that is read as P(right) is calibrated; labels are weighted by design."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.discrimination import Valued
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import mean_square
from proxy.stats.calibration.reliability import bins_for, ece, equal_mass, expected_ece

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
# Fixed, so that the same labels give the same number; the number means nothing.
SEED = 20_251
# Chosen: the Monte Carlo error of a mean of 400 is a twentieth of the standard deviation.
REPETITIONS = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationError:
    """The calibration error of a value that is read as P(right): Brier's score, and by how much it is off in `n` labels.

    `ece` and `ece_if_perfect` describe these labels and are no estimates, so they have no interval: a mean of absolute
    differences is never below 0, hence biased up, by as much as `ece_if_perfect`, what a perfectly calibrated value would show
    on as many labels. An interval around a biased number would not hold what it promises. Roelofs et al. (2022), AISTATS.
    """

    brier: Estimate
    ece: float
    ece_if_perfect: float
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """The expected calibration error in these labels, and what a perfectly calibrated value would show on as many.

    Both describe the labels; see CalibrationError.
    """

    observed: float
    if_perfect: float


def calibration_error(labels: Valued) -> CalibrationError | None:
    """Measure Brier's score and the expected calibration error; None where values are no probabilities or no bin fills."""
    bins = bins_for(len(labels.values))
    if not len(labels.values) or labels.values.min() < 0 or labels.values.max() > 1 or not bins:
        return None
    off = gap(labels, equal_mass(labels.values, bins, labels.draws.weight))
    return CalibrationError(
        brier=mean_square(labels), ece=off.observed, ece_if_perfect=off.if_perfect, n=len(labels.values)
    )


def gap(labels: Valued, bins: Indices) -> Gap:
    """Measure by how much the values are off on average, by bin."""
    weights, rng = labels.draws.weight, np.random.default_rng(SEED)
    return Gap(
        observed=ece(labels.values, labels.right, bins, weights),
        if_perfect=expected_ece(labels.values, bins, rng, weights, repetitions=REPETITIONS).mean,
    )
