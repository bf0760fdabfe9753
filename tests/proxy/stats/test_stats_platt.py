"""Platt's curve: the oracle of scikit-learn, weights as repetitions, and labels that would give a cliff."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.stats.calibration.platt import platt


@pytest.mark.slow
def test_the_curve_is_that_of_scikit_learn() -> None:
    """Its sigmoid calibration has the same targets and maximises the same likelihood: equal to 1e-3 on random labels."""
    oracle = pytest.importorskip("sklearn.calibration")._sigmoid_calibration
    rng = np.random.default_rng(1)
    for _ in range(10):
        values = rng.normal(0.5, 0.3, 150)
        right = (rng.random(150) < 1 / (1 + np.exp(-4 * (values - 0.4)))).astype(float)
        a, b = oracle(values, right)
        at = np.linspace(-0.5, 1.5, 9)
        assert platt(values, right).at(at) == pytest.approx(1 / (1 + np.exp(a * at + b)), abs=1e-3)


def test_equal_weights_change_nothing_and_heavy_ones_pull() -> None:
    """Weights of 7 are weights of 1; more weight on right answers raises the curve."""
    rng = np.random.default_rng(2)
    values, right = rng.random(80), (rng.random(80) < 0.6).astype(float)
    plain, same = platt(values, right), platt(values, right, np.full(80, 7.0))
    heavy = platt(values, right, np.where(right == 1, 3.0, 1.0))

    assert same.at(values) == pytest.approx(plain.at(values))
    assert (heavy.at(values) > plain.at(values)).all()


def test_the_weighted_curve_meets_the_weighted_share() -> None:
    """The score equation of the level: sum w p = sum w t with Platt's targets."""
    rng = np.random.default_rng(3)
    values, right, weights = rng.random(200), (rng.random(200) < 0.7).astype(float), rng.uniform(0.2, 3, 200)
    w = weights / weights.mean()
    n1, n0 = (w * right).sum(), (w * (1 - right)).sum()
    target = np.where(right == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))

    assert (w * platt(values, right, weights).at(values)).sum() == pytest.approx((w * target).sum(), abs=1e-6)


@pytest.mark.parametrize(
    ("values", "right"),
    [([0.1, 0.2, 0.8, 0.9] * 10, [0, 0, 1, 1] * 10), ([0.1, 0.5, 0.9] * 5, [1] * 15), ([0.5] * 12, [0, 1, 1] * 4)],
)
def test_hard_cases_give_a_share_and_no_cliff(values: list[float], right: list[int]) -> None:
    """Labels that the value parts without an error, labels of one kind, and a value that never changes."""
    calibrated = platt(values, right).at([0.1, 0.5, 0.9])

    assert ((calibrated > 0) & (calibrated < 1)).all()
    assert (np.diff(calibrated) >= -1e-9).all()
    if len(set(values)) == 1:
        assert calibrated[1] == pytest.approx(9 / 14, abs=0.08)


def test_what_cannot_be_fitted_is_refused() -> None:
    """No labels, labels that are no 0 or 1."""
    for values, right in (([], []), ([0.5], [0.5]), ([0.5, 0.6], [1])):
        with pytest.raises(ValueError, match="labels 1 or 0"):
            platt(values, right)
