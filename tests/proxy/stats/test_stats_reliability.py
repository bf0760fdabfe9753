"""Calibration: isotonic regression, Brier, ECE, bins and the noise of the ECE, against vectors, libraries and loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

from proxy.stats.calibration.reliability import (
    bins_for,
    brier,
    ece,
    equal_mass,
    equal_width,
    expected_ece,
    isotonic,
    pava,
)

SEED = 20261121
P = [0.95, 0.9, 0.85, 0.79, 0.7, 0.65, 0.58, 0.41, 0.3, 0.1]
Y = [1, 1, 1, 0, 1, 1, 0, 1, 0, 0]
WEIGHTS = [1, 1, 1, 1, 1, 1, 2, 2, 3, 4]
Numbers = np.ndarray


def sample(rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
    """Scores with ties, labels and weights."""
    n = int(rng.integers(2, 120))
    scores = np.round(rng.random(n), int(rng.integers(1, 4)))
    return scores, (rng.random(n) < scores**1.5).astype(float), rng.uniform(0.1, 8, n)


def test_the_vectors_of_ten_labels() -> None:
    """Isotonic shares by ascending score, plain and with weights 1,2,1,1,3,1,1,2,1,1; Brier; ECE in five bins of both kinds."""
    ascending = [1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
    third = 2 / 3

    assert isotonic(P, Y).share == pytest.approx([0, 0, 0.5, 0.5, third, third, third, 1, 1, 1], abs=1e-12)
    weighted = isotonic(P, Y, ascending[::-1])
    assert weighted.share == pytest.approx([0, 0, 0.5, 0.5, 0.8, 0.8, 0.8, 1, 1, 1], abs=1e-12)
    assert weighted.score.tolist() == sorted(P)
    assert brier(P, Y) == pytest.approx(0.16561, abs=1e-12)
    assert ece(P, Y, equal_width(P, 5)) == pytest.approx(0.085, abs=1e-12)
    assert ece(P, Y, equal_mass(P, 5)) == pytest.approx(0.185, abs=1e-12)
    assert brier(P, Y, WEIGHTS) == pytest.approx(0.1500352941, abs=1e-9)
    assert ece(P, Y, equal_width(P, 5), WEIGHTS) == pytest.approx(0.1035294118, abs=1e-9)


@pytest.mark.slow
def test_isotonic_regression_is_that_of_scipy_and_scikit_learn() -> None:
    """Sixty random samples; ties in the score are one point, and between points the map is a straight line."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        scores, right, weights = sample(rng)
        expected = optimize.isotonic_regression(right, weights=weights).x
        assert pava(right, weights) == pytest.approx(expected, abs=1e-9)
        theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, right, sample_weight=weights)
        curve, grid = isotonic(scores, right, weights), np.linspace(0, 1, 33)
        assert curve.at(scores) == pytest.approx(theirs.predict(scores), abs=1e-9)
        assert curve.at(grid) == pytest.approx(theirs.predict(grid), abs=1e-9)
        assert (np.diff(curve.share) >= 0).all()
        assert isotonic(scores, right, 3 * weights).share == pytest.approx(curve.share, abs=1e-9)


def test_equal_width_is_the_calibration_curve_of_scikit_learn() -> None:
    """Sixty random samples: ECE from its bins' mean scores and shares; .2 belongs to the first of five, 0 too, 1 to the last."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        scores, right, _ = sample(rng)
        if np.ptp(right) == 0:
            continue
        k = int(rng.integers(1, 11))
        share, mean = calibration_curve(right, scores, n_bins=k)
        bins = equal_width(scores, k)
        counts = np.bincount(bins)
        weight = counts[counts > 0] / scores.size
        assert ece(scores, right, bins) == pytest.approx(float((weight * abs(share - mean)).sum()), abs=1e-9)
    assert equal_width([0, 0.2, 0.4, 0.6, 0.8, 1, 0.21], 5).tolist() == [0, 0, 1, 2, 3, 4, 1]


def test_equal_mass_bins_weigh_the_same() -> None:
    """Random distinct scores: a bin's weight is off by one label's at most; bins rise with the score; ties stay together."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        n, k = int(rng.integers(20, 200)), int(rng.integers(1, 10))
        scores, weights = rng.random(n), rng.uniform(0.5, 4, n)
        mass = np.bincount(equal_mass(scores, k, weights), weights, k)
        assert abs(mass - weights.sum() / k).max() <= weights.max()
        assert (np.diff(equal_mass(scores, k, weights)[np.argsort(scores)]) >= 0).all()
        coarse = np.round(scores, 1)
        bins = equal_mass(coarse, k)
        assert all(np.ptp(bins[coarse == group]) == 0 for group in np.unique(coarse))
        assert bins.max() < k
    assert np.bincount(equal_mass(np.arange(100) / 100, 10)).tolist() == [10] * 10


@pytest.mark.parametrize(("labels", "bins"), [(0, 1), (1, 1), (39, 1), (40, 2), (199, 9), (200, 10), (5000, 10)])
def test_the_number_of_bins(labels: int, bins: int) -> None:
    """One for each 20 labels, at least one, at most ten."""
    assert bins_for(labels) == bins


@pytest.mark.slow
def test_calibrated_labels_have_the_expected_ece() -> None:
    """The mean of 400 data sets is the expectation, about 95 of 100 are below `high`; sure scores expect none; seeds repeat."""
    rng = np.random.default_rng(SEED)
    scores, weights = rng.random(120), rng.uniform(1, 4, 120)
    bins = equal_mass(scores, 6, weights)
    expected = expected_ece(scores, bins, rng, weights, repetitions=4000)
    errors = np.array([ece(scores, rng.random(120) < scores, bins, weights) for _ in range(400)])

    assert expected.mean == pytest.approx(errors.mean(), rel=0.05)
    assert 0.91 <= np.mean(errors <= expected.high) <= 0.98
    assert expected_ece([0, 1, 1], np.array([0, 1, 1]), rng) == (0, 0)
    again = [expected_ece(scores, bins, np.random.default_rng(3), weights, 50) for _ in range(2)]
    assert again[0] == again[1]


def test_what_is_no_score_or_label_is_refused() -> None:
    """Scores beyond [0, 1], nan, lengths that differ, weights below 0 or all 0."""
    for scores, right, weights in (([1.2], [1], None), ([0.5], [1], [-1]), ([0.5], [1], [0]), ([], [], None)):
        with pytest.raises(ValueError, match="in \\[0, 1\\]"):
            brier(scores, right, weights)
    for scores, right in (([math.nan], [1]), ([0.5, 0.5], [1])):
        with pytest.raises(ValueError, match="one length"):
            brier(scores, right)
    with pytest.raises(ValueError, match="weights above 0"):
        pava([1, 0], [1, 0])
