"""Planning: numbers of labels for a width, what a proxy saves, and budgets, against vectors and an independent planner."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.stats.intervals import clopper_pearson, wilson
from proxy.stats.sampling.allocation import allocate, design_variance, neyman_variance, simple_variance, spread
from proxy.stats.sampling.power import (
    PowerPlan,
    audit_share,
    clean_labels,
    finite_labels,
    least_cost,
    most_power,
    neyman_gain,
    powered_labels,
    r2_binary,
    simple_labels,
    stratified_labels,
)


def test_the_textbook_numbers_for_plus_minus_five_points() -> None:
    """P = .8, w = .05: 246 labels at random, 198 in a window of 1000, 184 with a .9/.6 proxy, 176 in Neyman's two strata."""
    n0 = simple_labels(0.8, 0.05)

    assert n0 == pytest.approx(245.8534, abs=5e-5)
    assert finite_labels(n0, 1000) == pytest.approx(197.4958, abs=5e-5)
    assert powered_labels(n0, r2_binary(0.8, 0.9, 0.6)) == pytest.approx(184, abs=0.5)
    assert n0 / neyman_gain(0.9, 0.6) == pytest.approx(176, abs=0.5)


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "powered", "stratified"),
    [(0.8, 0.8, 1.36, 1.56), (0.9, 0.6, 1.33, 1.40), (0.9, 0.9, 2.14, 2.78), (0.95, 0.95, 3.73, 5.26)],
)
def test_gains_of_a_binary_proxy(sensitivity: float, specificity: float, powered: float, stratified: float) -> None:
    """The tabulated gains, 1 / (1 - R^2) at 80 % right and Neyman's."""
    assert 1 / (1 - r2_binary(0.8, sensitivity, specificity)) == pytest.approx(powered, abs=0.005)
    assert neyman_gain(sensitivity, specificity) == pytest.approx(stratified, abs=0.005)


def test_r2_is_the_squared_correlation_of_label_and_verdict() -> None:
    """By the four cell shares, for random proxies; flipping right and wrong changes nothing."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        p, se, sp = rng.uniform(0.02, 0.98, 3)
        cells = np.array([p * se, p * (1 - se), (1 - p) * (1 - sp), (1 - p) * sp])
        right, passed = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])
        covariance = np.cov(right, passed, aweights=cells, ddof=0)
        expected = covariance[0, 1] ** 2 / (covariance[0, 0] * covariance[1, 1])
        assert r2_binary(p, se, sp) == pytest.approx(expected, abs=1e-12)
        assert r2_binary(1 - p, sp, se) == pytest.approx(expected, abs=1e-12)


def test_the_neyman_gain_does_not_depend_on_the_share_right() -> None:
    """The variance of the two strata, passes and fails, against a random sample, at several shares right."""
    for p in (0.3, 0.75, 0.96):
        passes = p * 0.9 + (1 - p) * 0.4
        shares = [p * 0.9 / passes, p * 0.1 / (1 - passes)]
        gain = simple_variance([passes, 1 - passes], shares, 1) / neyman_variance([passes, 1 - passes], shares, 1)
        assert neyman_gain(0.9, 0.6) == pytest.approx(gain, rel=1e-9)
        wanted = (1 - passes) * spread(shares)[1] / (passes * spread(shares)[0] + (1 - passes) * spread(shares)[1])
        assert audit_share(0.9, 0.6) == pytest.approx(wanted, rel=1e-9)
    assert audit_share(0.9, 0.6) == pytest.approx(0.29, abs=0.005)


def test_edges_of_a_proxy() -> None:
    """A perfect one gains without bound and needs no particular audit; one that passes all has no R^2; a useless one none."""
    assert (neyman_gain(1, 1), audit_share(1, 1)) == (math.inf, None)
    assert r2_binary(0.8, 1.0, 0.0) is None
    assert r2_binary(0.8, 0.7, 0.3) == pytest.approx(0)
    assert neyman_gain(0.5, 0.5) == pytest.approx(1)


def test_clean_labels_prove_a_rate() -> None:
    """59 prove 5 %, 299 prove 1 %; one fewer leaves Clopper-Pearson's one-sided bound above the rate."""
    assert (clean_labels(0.05), clean_labels(0.01)) == (59, 299)
    for rate in (0.01, 0.05, 0.1, 0.3):
        n = clean_labels(rate)
        assert clopper_pearson(0, n, confidence=0.9).high <= rate < clopper_pearson(0, n - 1, confidence=0.9).high
    assert clean_labels(0.5, 0.75) == 2


def test_the_stratified_plan_is_just_enough() -> None:
    """Its whole-number allocation gives the width, within rounding; a label fewer would not."""
    for sizes, shares, half in (
        ([15500, 4500], [0.86, 0.44], 0.05),
        ([700, 300], [0.9, 0.4], 0.04),
        ([4000] * 5, [0.3, 0.6, 0.8, 0.92, 0.98], 0.03),
    ):
        n = stratified_labels(sizes, shares, half)
        p = float(np.average(shares, weights=sizes))
        variance = design_variance(sizes, spread(shares), allocate(sizes, spread(shares), n, 5), is_window=True)
        low, high = wilson(p, p * (1 - p) / variance)
        assert high - low == pytest.approx(2 * half, rel=0.01)


def test_more_width_never_takes_more_labels_and_strata_never_more_than_none() -> None:
    """Monotone in the width, close to the closed form for one stratum, and at least a fifth better for good strata."""
    found = [stratified_labels([15500, 4500], [0.86, 0.44], w) for w in (0.02, 0.05, 0.1, 0.2)]

    assert found == sorted(found, reverse=True)
    assert stratified_labels([10**7], [0.8], 0.05) == pytest.approx(simple_labels(0.8, 0.05), abs=4)
    one = stratified_labels([20000], [0.5], 0.04)
    assert stratified_labels([10000, 10000], [0.9, 0.1], 0.04) < 0.5 * one


def test_a_window_can_always_be_labelled_whole_the_long_run_not() -> None:
    """300 items cannot show a long-run rate within a point; for the window all 300 do."""
    assert stratified_labels([200, 100], [0.8, 0.5], 0.01, is_window=False) is None
    assert 200 < stratified_labels([200, 100], [0.8, 0.5], 0.01) <= 300
    assert stratified_labels([3], [1.0], 0.4) == 3


def test_strata_expected_to_agree_do_not_promise_a_width_of_nothing() -> None:
    """All right everywhere: the labels count as a simple random sample, n / (n + z^2) above 1 - 2w."""
    n = stratified_labels([10**6, 10**6], [1.0, 1.0], 0.01, is_window=False)

    assert wilson(1.0, n).low >= 0.98 > wilson(1.0, n - 1).low


def test_the_budget_vector() -> None:
    """Correlation .5, labels 1, scores .01, budget 200: n 189, N 903, worth 238."""
    assert most_power(0.5, 200, label_cost=1, score_cost=0.01) == PowerPlan(189, 903, 238, pytest.approx(199.92))


# correlation, budget or worth, item, label and score cost, most items; n, N, effective n, cost by ppi-python 0.2.3
BUDGETS = [
    (-0.79, 731, 0, 1, 0.002, None, 691, 19223, 1738, 730.828),
    (-0.77, 578, 0.01, 1, 0.01, None, 494, 3720, 1036, 578.28),
    (-0.65, 146, 0.2, 5, 0.002, 349, 25, 81, 37, 146.412),
    (0.03, 616, 0.01, 2.5, 0.01, None, 245, 0, 245, 614.95),
    (0.45, 291, 0.2, 5, 0.5, None, 56, 0, 56, 291.2),
    (0.37, 847, 0.01, 5, 0.01, 60, 60, 0, 60, 300.6),
    (-0.89, 368, 0, 5, 0.1, 222, 69, 153, 152, 367.2),
    (0.25, 680, 0, 1, 0.01, None, 663, 1049, 689, 680.12),
]
WORTHS = [
    (-0.79, 182, 0, 1, 0.002, None, 72, 2012, 181, 76.168),
    (-0.77, 144, 0.01, 1, 0.01, None, 69, 517, 145, 80.72),
    (0.03, 154, 0.01, 2.5, 0.01, None, 154, 0, 154, 386.54),
    (0.9, 79, 0.2, 1, 0.002, None, 29, 104, 79, 55.866),
    (-0.89, 92, 0, 5, 0.1, 222, 28, 194, 91, 162.2),
    (0.25, 170, 0, 1, 0.01, None, 163, 259, 170, 167.22),
]


@pytest.mark.parametrize(
    ("plan", "row"), [(most_power, row) for row in BUDGETS] + [(least_cost, row) for row in WORTHS]
)
def test_plans_are_those_of_ppi_python(plan: object, row: tuple[float, ...]) -> None:
    """Frozen values, with and without a limit to the items, also where labels alone are cheaper."""
    correlation, amount, item, label, score, most, *expected = row
    found = plan(correlation, amount, label_cost=label, score_cost=score, item_cost=item, most_items=most)  # type: ignore[operator]

    assert found == pytest.approx(expected, abs=1e-6)


def test_no_other_mixture_is_worth_more() -> None:
    """Every whole number of labels with the scores that the rest of the budget buys."""
    best = most_power(0.7, 300, label_cost=1, score_cost=0.02)
    n = np.arange(1, 295)
    others = (300 - n * 1.02) / 0.02
    worth = n * (n + others) / (n + (1 - 0.49) * others)

    assert best.effective == pytest.approx(worth[others >= 0].max(), abs=1)
    assert best.labels == pytest.approx(n[others >= 0][np.argmax(worth[others >= 0])], abs=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: most_power(1.0, 10, label_cost=1, score_cost=1), "between -1 and 1"),
        (lambda: most_power(0.5, 10, label_cost=1, score_cost=0), "cost nothing"),
        (lambda: most_power(0.5, 0, label_cost=1, score_cost=1), "budget 0: give one above 0"),
        (lambda: least_cost(0.5, 0, label_cost=1, score_cost=1), "0 effective labels"),
        (lambda: least_cost(0.5, 500, label_cost=1, score_cost=0.01, most_items=400), "bring more items"),
        (lambda: simple_labels(0.5, 0), "give one above 0"),
        (lambda: simple_labels(1.5, 0.1), "shares"),
        (lambda: stratified_labels([10], [0.5], 0), "half width"),
        (lambda: finite_labels(10, 0), "size of the window"),
        (lambda: clean_labels(0), "between 0 and 1"),
    ],
)
def test_impossible_plans_are_refused_with_advice(call: object, message: str) -> None:
    """Each message says what to give instead."""
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
