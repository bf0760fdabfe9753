"""Labels by stratum: Neyman's optimum, the defensive mixture, bounds, whole numbers, and what a design is worth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from proxy.stats.sampling.allocation import (
    allocate,
    clipped,
    defensive,
    design_variance,
    guessed_spread,
    neyman,
    neyman_variance,
    proportional_variance,
    rounded,
    simple_variance,
    spread,
)

SIZES, SHARES = [4000] * 5, [0.3, 0.6, 0.8, 0.92, 0.98]


def test_five_strata_give_the_vector() -> None:
    """Neyman's fractions of 200 labels, and the whole numbers that largest remainders make of them."""
    found = neyman(SIZES, spread(SHARES), 200)

    assert found == pytest.approx([52.0910, 55.6877, 45.4688, 30.8384, 15.9141], abs=5e-5)
    assert rounded(found, 200).tolist() == [52, 56, 45, 31, 16]


def test_the_variances_of_three_designs_give_the_vector() -> None:
    """SRS p (1 - p) / n at p = .72; proportional mean S^2 / n; Neyman (mean S)^2 / n, which its fractions attain."""
    assert simple_variance(SIZES, SHARES, 200) == pytest.approx(0.72 * 0.28 / 200, abs=1e-12)
    assert proportional_variance(SIZES, SHARES, 200) == pytest.approx(0.0007032, abs=1e-10)
    assert neyman_variance(SIZES, SHARES, 200) == pytest.approx(0.0006191320, abs=1e-10)
    attained = design_variance(SIZES, spread(SHARES), neyman(SIZES, spread(SHARES), 200))
    assert attained == pytest.approx(neyman_variance(SIZES, SHARES, 200), rel=1e-12)


@pytest.mark.slow
def test_neyman_is_the_optimum_that_a_search_finds() -> None:
    """Minimising the variance numerically over all fractions that sum to n, for random strata."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        sizes, s = rng.integers(50, 5000, 3), spread(rng.uniform(0.05, 0.95, 3))
        found = minimize(
            lambda a, sizes=sizes, s=s: math.log(design_variance(sizes, s, 100 * np.exp(a) / np.exp(a).sum())),
            np.zeros(3),
            tol=1e-12,
        )
        best = 100 * np.exp(found.x) / np.exp(found.x).sum()
        assert neyman(sizes, s, 100) == pytest.approx(best, abs=0.01)


def test_the_defensive_mixture_bounds_every_weight() -> None:
    """No draw stands for more than N / (.2 n) items, however wrong the guess; n = all labels."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        sizes = rng.integers(1, 9000, 6)
        found = defensive(sizes, spread(rng.random(6) ** 8), 150)
        assert found.sum() == pytest.approx(150)
        assert (sizes / found).max() <= sizes.sum() / (0.2 * 150) + 1e-9


def test_clipping_solves_for_the_rate_within_bounds() -> None:
    """Free strata share one rate, others stand at a bound, and the sum is met exactly."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        want = rng.uniform(0.1, 20, 5)
        low = rng.integers(0, 5, 5)
        high = low + rng.integers(0, 40, 5)
        labels = int(rng.integers(low.sum(), high.sum() + 1))
        found = clipped(want, labels, low, high)
        free = (found > low + 1e-9) & (found < high - 1e-9)
        assert found.sum() == pytest.approx(labels)
        assert ((found >= low - 1e-12) & (found <= high + 1e-12)).all()
        rates = found / want
        if free.any():
            assert np.ptp(rates[free]) < 1e-9
            assert (rates[(found >= high - 1e-9) & (high > low)] <= rates[free].max() + 1e-9).all()
            assert (rates[(found <= low + 1e-9) & (high > low)] >= rates[free].min() - 1e-9).all()


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
        found = rounded(want, n)
        up = found > np.floor(want)
        assert found.sum() == n
        assert (np.abs(found - want) < 1).all()
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


def test_a_plan_is_whole_bounded_and_takes_small_strata_in() -> None:
    """Sums to n, at least five a stratum, never more than it holds, in any order of the strata."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        sizes, s = rng.integers(5, 400, 6), guessed_spread(rng.integers(0, 5, 6), 5)
        labels = int(rng.integers(30, sizes.sum() + 1))
        found = allocate(sizes, s, labels, 5)
        assert found.sum() == labels
        assert (found >= 5).all()
        assert (found <= sizes).all()
        order = rng.permutation(6)
        assert np.abs(allocate(sizes[order], s[order], labels, 5) - found[order]).max() <= 1
    assert allocate([1000, 50, 8], [0.5, 0.1, 0.4], 60, 5).tolist() == [50, 5, 5]
    assert allocate([30, 10], [0, 0], 40).tolist() == [30, 10]


def test_a_stratum_never_seen_is_guessed_as_wide_as_can_be() -> None:
    """(x + 1) / (n + 2): one half without labels, never 0 or 1 with them."""
    assert guessed_spread(0, 0) == 0.5
    assert guessed_spread(8, 8) == pytest.approx(math.sqrt(0.9 * 0.1))
    with pytest.raises(ValueError, match="a part and its whole"):
        guessed_spread([3], [2])


def test_no_spread_anywhere_is_divided_by_size() -> None:
    """Nothing to optimise."""
    assert neyman([300, 100], [0, 0], 40).tolist() == [30, 10]


def test_the_window_leaves_only_what_was_not_seen() -> None:
    """Each term times 1 - n_h / N_h: nothing at a census, everything at n << N; a stratum without labels is unbounded."""
    s = spread([0.8, 0.4])

    assert design_variance([100, 50], s, [100, 50], is_window=True) == 0
    expected = (2 / 3) ** 2 * 0.16 / 20 * 0.8 + (1 / 3) ** 2 * 0.24 / 10 * 0.8
    assert design_variance([100, 50], s, [20, 10], is_window=True) == pytest.approx(expected)
    assert design_variance([100, 50], s, [20, 0]) == math.inf
    assert design_variance([100, 50], spread([0.8, 1.0]), [20, 0]) < math.inf


@pytest.mark.parametrize(
    ("sizes", "shares"), [([], []), ([10, 20], [0.5]), ([10, 0], [0.5, 0.5]), ([10, 20], [0.5, 1.5])]
)
def test_strata_without_items_or_with_impossible_shares_are_refused(sizes: list[int], shares: list[float]) -> None:
    """With a message that says what each stratum needs."""
    with pytest.raises(ValueError, match="stratum"):
        neyman_variance(sizes, shares, 10)


def test_the_variance_of_a_design_is_what_its_samples_show() -> None:
    """Stratified samples of a fixed population, 20,000 times: the variance of the weighted mean, window included."""
    rng, sizes, right, drawn = np.random.default_rng(6), np.array([60, 40]), np.array([48, 12]), np.array([15, 10])
    found = [rng.hypergeometric(r, n - r, d, 20_000) / d for r, n, d in zip(right, sizes, drawn, strict=True)]
    seen = np.var(0.6 * found[0] + 0.4 * found[1])
    # S^2 of a finite stratum is N / (N - 1) p (1 - p)
    s = spread(right / sizes) * np.sqrt(sizes / (sizes - 1))

    assert design_variance(sizes, s, drawn, is_window=True) == pytest.approx(seen, rel=0.05)
