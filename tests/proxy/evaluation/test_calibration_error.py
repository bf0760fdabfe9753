"""Brier's score and its interval, and a calibration error that describes labels and is no estimate."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.calibration_error import calibration_error
from proxy.evaluation.discrimination import Valued
from proxy.evaluation.reliability_curve import crossed
from proxy.evaluation.score_agreement import mean_square
from proxy.stats.calibration.platt import platt
from support.draws import one_drawing
from support.simulation import assert_covers, repeated

# Right with the chance v^2 at a value v, evenly spread: E (v - y)^2 = E v^2 - 2 E v^3 + E v^2 = 2/3 - 1/2.
LONG_RUN = 2 / 3 - 1 / 2


def traffic(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Values, and whether each answer is right."""
    values = rng.random(size)
    return values, (rng.random(size) < values**2).astype(np.float64)


def labels(values: np.ndarray, right: np.ndarray, weight: float) -> Valued:
    """A simple random sample of which each label stands for so many answers."""
    return Valued(draws=one_drawing(right, np.full(len(right), weight)), values=values)


def test_brier_is_the_mean_of_the_squares_and_what_is_off_has_no_interval() -> None:
    """As numpy has it; no score where values are no probabilities."""
    values, right = traffic(np.random.default_rng(1), 200)
    measured = calibration_error(labels(values, right, 10.0))

    assert measured is not None
    assert measured.brier.estimate == pytest.approx(np.mean((values - right) ** 2))
    assert (measured.brier.n, measured.n) == (200, 200)
    assert isinstance(measured.ece, float)
    assert calibration_error(labels(values * 2, right, 10.0)) is None


@pytest.mark.slow
@repeated(400, 4000)
@pytest.mark.parametrize("drawn", [40, 150])
def test_the_intervals_of_brier_hold_the_truth(drawn: int, repetitions: int) -> None:
    """Of 600 answers that are new each time; the long run is known by hand."""
    rng = np.random.default_rng(drawn)
    covered = {"window": 0, "long run": 0}
    for _ in range(repetitions):
        values, right = traffic(rng, 600)
        chosen = rng.choice(600, drawn, replace=False)
        brier = mean_square(labels(values[chosen], right[chosen], 600 / drawn))
        assert brier.low is not None
        assert brier.high is not None
        assert brier.long_run is not None
        covered["window"] += brier.low <= float(np.mean((values - right) ** 2)) <= brier.high
        covered["long run"] += brier.long_run.low <= LONG_RUN <= brier.long_run.high

    assert_covers({name: count / repetitions for name, count in covered.items()}, repetitions)


@pytest.mark.slow
@repeated(150, 1000)
def test_the_interval_of_a_cross_fitted_map_holds_what_it_does_on_new_answers(repetitions: int) -> None:
    """The truth is the mean loss of the five curves on 4,000 answers that took no part."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(repetitions):
        values, right = traffic(rng, 150)
        folds, new = np.arange(150) % 5, traffic(rng, 4_000)
        curve, _ = crossed(values, right, np.ones(150), folds)
        fits = [platt(values[folds != fold], right[folds != fold], np.ones(120)) for fold in range(5)]
        truth = float(np.mean([np.mean((fit.at(new[0]) - new[1]) ** 2) for fit in fits]))
        long_run = mean_square(labels(curve, right, 1_000.0)).long_run
        assert long_run is not None
        covered += long_run.low <= truth <= long_run.high

    assert_covers({"platt": covered / repetitions}, repetitions)
