"""Bounds that hold at every look and evidence that accumulates: vectors, definitions, and alarms in simulated years."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.stats.intervals import quantile
from proxy.stats.testing.sequential import change, change_below, two_sided

ESTIMATES, ERRORS = [0.80, 0.78, 0.70, 0.66], [0.05, 0.05, 0.06, 0.05]


def test_the_two_sided_sequence_is_the_published_boundary() -> None:
    """With s^2 the mean variance, rho^2 = r s^2: mean +- s sqrt(2 (t rho^2 + 1) / (t^2 rho^2) log(sqrt(t rho^2 + 1) / a))."""
    bounds = two_sided(ESTIMATES, ERRORS, tightest_at=3)
    r = (-2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)) / (0.05**2 + 0.05**2 + 0.06**2)
    for t in range(1, 5):
        s2 = float(np.mean(np.square(ERRORS[:t])))
        rho2 = r * s2
        half = math.sqrt(s2 * 2 * (t * rho2 + 1) / (t**2 * rho2) * math.log(math.sqrt(t * rho2 + 1) / 0.05))
        assert (bounds.low[t - 1], bounds.high[t - 1]) == pytest.approx(
            (np.mean(ESTIMATES[:t]) - half, np.mean(ESTIMATES[:t]) + half)
        )


def test_a_sequence_is_wider_than_one_look_and_tightest_where_it_was_tuned() -> None:
    """Against the fixed interval of each look; and no other tuning is narrower at the tuned batch."""
    y, se = np.full(26, 0.8), np.full(26, 0.06)
    half = two_sided(y, se, tightest_at=13).high - 0.8
    others = [two_sided(y, se, tightest_at=at).high[12] - 0.8 for at in range(1, 27)]

    assert (half > quantile() * 0.06 / np.sqrt(np.arange(1, 27))).all()
    assert min(others) == pytest.approx(half[12], rel=2e-3)


def test_a_plan_fixes_the_sequence_before_the_batches_come() -> None:
    """With a planned standard error later batches never move earlier bounds."""
    y, se = [0.8, 0.7, 0.9, 0.75, 0.8], [0.06, 0.05, 0.07, 0.05, 0.06]
    whole = two_sided(y, se, tightest_at=4, planned_se=0.06)
    for t in range(1, 6):
        early = two_sided(y[:t], se[:t], tightest_at=4, planned_se=0.06)
        assert early.low.tolist() == whole.low[:t].tolist()


def test_a_batch_without_spread_may_stand_beside_others_but_not_alone() -> None:
    """An error of 0 in one batch is carried by the rest; all 0 is refused with advice."""
    bounds = two_sided([0.8, 1.0], [0.05, 0.0], tightest_at=2)

    assert np.isfinite(bounds.low).all()
    with pytest.raises(ValueError, match="labels that all agree"):
        two_sided([1.0, 1.0], [0.0, 0.0], tightest_at=2)


@pytest.mark.parametrize(
    ("estimates", "errors", "at", "alpha", "message"),
    [
        ([], [], 1, 0.05, "one length"),
        ([0.8], [0.1, 0.1], 1, 0.05, "one length"),
        ([0.8], [-0.1], 1, 0.05, "none negative"),
        ([np.nan], [0.1], 1, 0.05, "finite"),
        ([0.8], [0.1], 0, 0.05, "count from 1"),
        ([0.8], [0.1], 1, 0.0, "false alarm"),
    ],
)
def test_impossible_batches_are_refused(
    estimates: list[float], errors: list[float], at: int, alpha: float, message: str
) -> None:
    """With a message that says what to give."""
    with pytest.raises(ValueError, match=message):
        two_sided(estimates, errors, tightest_at=at, alpha=alpha)


def test_a_change_from_a_known_rate_is_the_sequence_of_equal_batches() -> None:
    """With no error of the rate before and equal errors, information is the sum's variance over se^4: the same bounds.

    One-sided with V = I: d + sqrt(2 (I r + 1) / (I^2 r) log(1 + sqrt(I r + 1) / (2 alpha))), r of 2 alpha.
    """
    y, se = np.array([0.8, 0.7, 0.9, 0.6]), np.full(4, 0.05)
    bounds = change(y, se, (0.75, 0.0), tightest_at=3 / 0.05**2)
    same = two_sided(y - 0.75, se, tightest_at=3)
    below = change_below(y, se, (0.75, 0.0), tightest_at=3 / 0.05**2)
    information = np.arange(1, 5) / 0.05**2
    r = (-2 * math.log(0.1) + math.log(-2 * math.log(0.1) + 1)) / (3 / 0.05**2)
    grown = information * r + 1

    assert bounds.mean == pytest.approx(same.mean)
    assert bounds.low == pytest.approx(same.low)
    assert bounds.high == pytest.approx(same.high)
    reach = np.sqrt(2 * grown / (information**2 * r) * np.log(1 + np.sqrt(grown) / 0.1))
    assert below.high == pytest.approx(same.mean + reach)


@pytest.mark.slow
def test_a_learnt_rate_before_is_paid_for() -> None:
    """26 batches of errors .03 to .08 after a rate learnt with an error of .03: nothing moved, and in at most 5 % 0 lies outside."""
    rng, repetitions, error = np.random.default_rng(4), 2000, 0.03
    before = 0.8 + error * rng.standard_normal(repetitions)
    wrong, below, unpaid = 0, 0, 0
    for rate in before:
        se = rng.uniform(0.03, 0.08, 26)
        y = 0.8 + se * rng.standard_normal(26)
        both = change(y, se, (float(rate), error), tightest_at=500.0)
        wrong += bool(((both.low > 0) | (both.high < 0)).any())
        below += bool((change_below(y, se, (float(rate), error), tightest_at=500.0).high < 0).any())
        unpaid += bool((change_below(y, se, (float(rate), 0.0), tightest_at=5000.0).high < 0).any())

    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)
    assert wrong / repetitions <= limit
    assert below / repetitions <= limit
    assert unpaid / repetitions > 0.1


def test_impossible_changes_are_refused() -> None:
    """No error, no information, a negative error of the rate before, a one-sided level of a half."""
    for ses, before, at in (([0.0], (0.8, 0.1), 1.0), ([0.1], (0.8, 0.1), 0.0), ([0.1], (0.8, -0.1), 1.0)):
        with pytest.raises(ValueError, match="above 0"):
            change([0.8], ses, before, tightest_at=at)
    with pytest.raises(ValueError, match="below 1/2"):
        change_below([0.8], [0.1], (0.8, 0.1), tightest_at=1.0, alpha=0.5)


@pytest.mark.slow
def test_half_a_year_of_looks_raises_few_false_alarms() -> None:
    """26 weeks of 40 labels at a steady .80: the fixed interval read weekly fails often, the sequence in at most 5 %."""
    rng, repetitions, truth = np.random.default_rng(2), 2000, 0.80
    weeks = rng.binomial(40, truth, (repetitions, 26)) / 40
    # Agresti and Coull's share keeps the variance of a clean week above 0
    errors = np.sqrt((weeks * 40 + 2) / 44 * (1 - (weeks * 40 + 2) / 44) / 40)
    sides = [two_sided(y, se, tightest_at=13) for y, se in zip(weeks, errors, strict=True)]
    peeking = np.abs(weeks - truth) > quantile() * errors

    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)
    assert np.mean(peeking.any(axis=1)) > 0.4
    assert np.mean([((side.low > truth) | (side.high < truth)).any() for side in sides]) <= limit
