"""Labels by stratum: Neyman's optimum, the defensive mixture, bounds, and whole numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from proxy.stats.sampling.allocation import (
    clipped,
    guessed_spread,
    neyman,
    rounded,
    spread,
)

SIZES, SHARES = [4000] * 5, [0.3, 0.6, 0.8, 0.92, 0.98]


def test_five_strata_give_the_vector() -> None:
    """Neyman's fractions of 200 labels, and the whole numbers that largest remainders make of them."""
    allocation = neyman(SIZES, spread(SHARES), 200)

    assert allocation == pytest.approx([52.0910, 55.6877, 45.4688, 30.8384, 15.9141], abs=5e-5)
    assert rounded(allocation, 200).tolist() == [52, 56, 45, 31, 16]


@pytest.mark.slow
def test_neyman_is_the_optimum_that_a_search_finds() -> None:
    """Minimising the variance numerically over all fractions that sum to n, for random strata."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        sizes, s = rng.integers(50, 5000, 3), spread(rng.uniform(0.05, 0.95, 3))

        def log_variance(a: NDArray[np.float64], terms: NDArray[np.float64] = (sizes * s) ** 2) -> float:
            """The log of sum (N_h S_h)^2 / n_h, Cochran (1977), 5.3, but for a constant."""
            return math.log(float((terms / (np.exp(a) / np.exp(a).sum())).sum()))

        minimum = minimize(log_variance, np.zeros(3), tol=1e-12)
        best = 100 * np.exp(minimum.x) / np.exp(minimum.x).sum()
        assert neyman(sizes, s, 100) == pytest.approx(best, abs=0.01)


def test_clipping_solves_for_the_rate_within_bounds() -> None:
    """Free strata share one rate, others stand at a bound, and the sum is met exactly."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        want = rng.uniform(0.1, 20, 5)
        low = rng.integers(0, 5, 5)
        high = low + rng.integers(0, 40, 5)
        labels = int(rng.integers(low.sum(), high.sum() + 1))
        allocation = clipped(want, labels, low, high)
        free = (allocation > low + 1e-9) & (allocation < high - 1e-9)
        assert allocation.sum() == pytest.approx(labels)
        assert ((allocation >= low - 1e-12) & (allocation <= high + 1e-12)).all()
        rates = allocation / want
        if free.any():
            assert np.ptp(rates[free]) < 1e-9
            assert (rates[(allocation >= high - 1e-9) & (high > low)] <= rates[free].max() + 1e-9).all()
            assert (rates[(allocation <= low + 1e-9) & (high > low)] >= rates[free].min() - 1e-9).all()


def test_bounds_that_cannot_hold_the_labels_are_refused() -> None:
    """The message names what the bounds ask for."""
    with pytest.raises(ValueError, match="ask for 10 to 30"):
        clipped([1.0, 1.0], 31, 5, 15)
    with pytest.raises(ValueError, match="bounds 0 <= low <= high"):
        clipped([1.0, 1.0], 10, 9, [3, 20])


def test_whole_numbers_sum_and_stay_within_one_of_the_fractions() -> None:
    """Largest remainders: each is the floor or one more, and no floor has a larger remainder than a ceiling."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(1, 500))
        want = rng.dirichlet(np.ones(7)) * n
        allocation = rounded(want, n)
        up = allocation > np.floor(want)
        assert allocation.sum() == n
        assert (np.abs(allocation - want) < 1).all()
        if up.any():
            assert (want - np.floor(want))[up].min() >= (want - np.floor(want))[~up].max() - 1e-9


def test_equal_remainders_go_to_the_first_and_full_strata_are_passed_by() -> None:
    """Three thirds of ten: 4, 3, 3. A stratum at its upper bound leaves the label to the next."""
    assert rounded([10 / 3] * 3, 10).tolist() == [4, 3, 3]
    assert rounded([10 / 3] * 3, 10, [3, 5, 5]).tolist() == [3, 4, 3]
    assert rounded([0.1 + 0.2, 0.7], 1).tolist() == [0, 1]
    with pytest.raises(ValueError, match="sum to the labels"):
        rounded([1.0, 2.0], 4)
    with pytest.raises(ValueError, match="plan fewer"):
        rounded([1.5, 1.5], 3, [1, 1])


def test_a_stratum_never_seen_is_guessed_as_wide_as_can_be() -> None:
    """(x + 1) / (n + 2): one half without labels, never 0 or 1 with them."""
    assert guessed_spread(0, 0) == 0.5
    assert guessed_spread(8, 8) == pytest.approx(math.sqrt(0.9 * 0.1))
    with pytest.raises(ValueError, match="a part and its whole"):
        guessed_spread([3], [2])


def test_no_spread_anywhere_is_divided_by_size() -> None:
    """Nothing to optimise."""
    assert neyman([300, 100], [0, 0], 40).tolist() == [30, 10]


@pytest.mark.parametrize(
    ("sizes", "shares"), [([], []), ([10, 20], [0.5]), ([10, 0], [0.5, 0.5]), ([10, 20], [0.5, 1.5])]
)
def test_strata_without_items_or_with_impossible_shares_are_refused(sizes: list[int], shares: list[float]) -> None:
    """With a message that says what each stratum needs."""
    with pytest.raises(ValueError, match="stratum"):
        neyman(sizes, spread(shares), 10)
