"""Two rules on the same items: the vector of the reference, oracles for both kappas and for the variance, and degenerate labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score

from proxy.stats.sampling.clusters import Ways
from proxy.stats.testing.paired_rules import difference_of_rules, measured

RIGHT = np.array([1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0], dtype=np.float64)
ONE = np.array([1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0], dtype=np.float64)
OTHER = np.array([1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1], dtype=np.float64)
WEIGHT = np.array([1, 1, 2, 2, 1, 1, 4, 1, 4, 2, 2, 1], dtype=np.float64)
PAIRS = np.repeat(np.arange(6), 2)


def test_the_vector() -> None:
    """Kappas, difference, influences, variance by cluster and interval of the reference, to the sixth digit."""
    difference = difference_of_rules("kappa", RIGHT, ONE, OTHER, WEIGHT, Ways.of(PAIRS))
    interval = difference.interval()

    assert (difference.first, difference.second) == pytest.approx((0.529915, 0.459016), abs=1e-6)
    assert difference.difference == pytest.approx(0.070898, abs=1e-6)
    assert difference.influence[:3] == pytest.approx([0.008686, 0.103284, -0.178698], abs=1e-6)
    assert difference.variance == pytest.approx(0.034207, abs=1e-6)
    assert difference.clusters == pytest.approx(5.148936, abs=1e-6)
    assert interval == pytest.approx((-0.435420, 0.577216), abs=1e-5)


@pytest.mark.slow
def test_an_independent_program_finds_the_same() -> None:
    """scikit-learn's kappa and accuracy; the influence is the derivative in the weights; a delete-cluster jackknife is near."""
    rng = np.random.default_rng(1)
    for name, oracle in (("kappa", cohen_kappa_score), ("accuracy", accuracy_score)):
        right, passed = rng.integers(0, 2, (2, 40)).astype(np.float64)
        weight = rng.uniform(0.5, 4, 40)
        measured_values = measured(name, right, passed, weight)
        assert measured_values.value == pytest.approx(oracle(right, passed, sample_weight=weight), abs=1e-12)
        for row in range(40):
            step = np.zeros(40)
            step[row] = 1e-6 * weight[row]
            ends = [oracle(right, passed, sample_weight=weight + sign * step) for sign in (1, -1)]
            assert measured_values.influence[row] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)
    kept = [cluster != PAIRS for cluster in range(6)]
    without = np.array(
        [
            cohen_kappa_score(RIGHT[rows], ONE[rows], sample_weight=WEIGHT[rows])
            - cohen_kappa_score(RIGHT[rows], OTHER[rows], sample_weight=WEIGHT[rows])
            for rows in kept
        ]
    )
    whole = cohen_kappa_score(RIGHT, ONE, sample_weight=WEIGHT) - cohen_kappa_score(RIGHT, OTHER, sample_weight=WEIGHT)
    jackknife = math.sqrt(5 / 6 * float(((without - whole) ** 2).sum()))
    assert jackknife == pytest.approx(0.187272, abs=1e-6)


def test_what_cannot_be_told_has_no_interval() -> None:
    """One class only, one cluster only, rules that never differ: no number that looks like knowledge."""
    ways = Ways.of(PAIRS)
    one_class = difference_of_rules("kappa", np.ones(12), ONE, OTHER, WEIGHT, ways)
    same = difference_of_rules("kappa", RIGHT, ONE, ONE, WEIGHT, ways)
    together = difference_of_rules("kappa", RIGHT, ONE, OTHER, WEIGHT, Ways.of(np.zeros(12, dtype=np.intp)))

    assert math.isnan(one_class.difference)
    assert [difference.interval() for difference in (one_class, same, together)] == [None, None, None]
    assert same.difference == 0
