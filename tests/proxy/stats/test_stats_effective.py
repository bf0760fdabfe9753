"""Wilson at an effective sample size: the rule written out, its edges, and the worked example of two strata."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from proxy.stats.effective import effective_n, kish_n, wilson_effective
from proxy.stats.intervals import Interval, wilson

SEED = 20261121


def test_a_design_effect_above_one_is_taken_as_it_is() -> None:
    """Random p, V, n with deff > 1: n / deff = p (1 - p) / V, the n cancels."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        p, n = rng.uniform(0.01, 0.99), int(rng.integers(5, 500))
        variance = p * (1 - p) / n * rng.uniform(1, 9)
        assert effective_n(p, variance, n) == pytest.approx(p * (1 - p) / variance, rel=1e-12)


def test_a_design_effect_below_one_is_trusted_as_far_as_there_are_errors() -> None:
    """Random p, V, n with deff < 1: the result lies between n and n / deff and equals the rule, whichever side is rarer."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        p, n, deff = rng.uniform(0.01, 0.99), int(rng.integers(5, 500)), rng.uniform(0.05, 1)
        variance = deff * p * (1 - p) / n
        errors = n * min(p, 1 - p)
        size = effective_n(p, variance, n)
        assert size == pytest.approx(n * (errors + 1) / (errors * deff + 1), rel=1e-9)
        assert n <= size * (1 + 1e-12)
        assert size <= n / deff * (1 + 1e-12)
        assert effective_n(1 - p, variance, n) == pytest.approx(size, rel=1e-9)


def test_the_pull_of_a_window_is_towards_its_own_size() -> None:
    """At deff = pull nothing is pulled: with V = .6 p (1 - p) / n and pull = .6 the answer is n / .6."""
    assert effective_n(0.7, 0.6 * 0.21 / 80, 80, pull=0.6) == pytest.approx(80 / 0.6, rel=1e-12)
    assert effective_n(0.7, 0.3 * 0.21 / 80, 80, pull=0.6) == pytest.approx(80 / ((24 * 0.3 + 0.6) / 25), rel=1e-12)


def test_what_unequal_weights_do_not_explain_is_pulled_down_as_far_as_there_are_few_errors() -> None:
    """At p = .975 of 40 labels (one error), deff 2 with weights that make 1.2: (2 + 1.2) / 2; many errors leave deff alone."""
    one_error = 0.975 * 0.025 / 40

    assert effective_n(0.975, 2 * one_error, 40, most=1.2) == pytest.approx(40 / 1.6, rel=1e-12)
    assert effective_n(0.975, 1.1 * one_error, 40, most=1.2) == pytest.approx(40 / 1.1, rel=1e-12)
    assert effective_n(0.975, 2 * one_error, 40, most=0.5) == pytest.approx(40 / 1.5, rel=1e-12)
    assert effective_n(0.5, 2 * 0.25 / 4_000, 4_000, most=1.2) == pytest.approx(4_000 / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("p", "variance"), [(0.0, 0.01), (1.0, 0.01), (1.02, 0.01), (-0.3, 0.0), (0.5, 0.0), (0.5, 1e-33)]
)
def test_where_the_variance_says_nothing_kish_stands_in(p: float, variance: float) -> None:
    """No spread, or an estimate at or beyond an edge: Kish's n, or n where it is not given; never an infinite n."""
    assert effective_n(p, variance, 40) == 40
    assert effective_n(p, variance, 40, 17.5) == 17.5


def test_all_right_is_the_plain_wilson_interval() -> None:
    """Thirty of thirty: n / (n + z^2) below with z, n / (n + t^2) with 29 degrees of freedom."""
    assert wilson_effective(1.0, 0.0, 30, math.inf) == pytest.approx((0.8864866068, 1), abs=1e-9)
    low = 30 / (30 + stats.t.ppf(0.975, 29) ** 2)
    assert wilson_effective(1.0, 0.0, 30, 29) == pytest.approx((low, 1), abs=1e-12)
    assert low == pytest.approx(0.8776301478, abs=1e-9)


def test_an_estimate_beyond_an_edge_is_read_as_the_edge() -> None:
    """A correction may carry it there; the interval is that of 0 or 1."""
    assert wilson_effective(1.3, 0.02, 20, 19) == wilson(1.0, 20, df=19)
    assert wilson_effective(-0.1, 0.02, 20, 19, 12.5) == wilson(0.0, 12.5, df=19)


def test_the_interval_always_has_a_width_and_mirrors() -> None:
    """Random inputs: inside [0, 1], around p, wider with more confidence, and that of 1 - p is the mirror image."""
    rng = np.random.default_rng(SEED)
    for _ in range(100):
        p, n, df = rng.uniform(0, 1), float(rng.uniform(1, 300)), float(rng.uniform(1, 200))
        variance = float(rng.uniform(0, 0.3)) / n
        interval = wilson_effective(p, variance, n, df)
        mirror = wilson_effective(1 - p, variance, n, df)
        wider = wilson_effective(p, variance, n, df, confidence=0.99)
        assert interval == wilson(p, effective_n(p, variance, n), df=df)
        assert 0 <= interval.low <= p <= interval.high <= 1
        assert interval.high > interval.low
        assert Interval(1 - mirror.high, 1 - mirror.low) == pytest.approx(interval, abs=1e-9)
        assert wider.low <= interval.low
        assert wider.high >= interval.high


@pytest.mark.parametrize(
    ("p", "variance", "n"), [(0.5, -0.1, 10), (0.5, 0.1, 0), (math.nan, 0.1, 10), (0.5, math.inf, 10)]
)
def test_what_is_no_estimate_is_refused(p: float, variance: float, n: float) -> None:
    """A negative variance, no labels, or no number: an error that says what to give."""
    with pytest.raises(ValueError, match="give finite numbers"):
        effective_n(p, variance, n)


def test_kish_counts_labels_of_unequal_weight() -> None:
    """(sum w)^2 / sum w^2 = 75^2 / 2709 at the chances .5, .5, .1, .1, .02, 1; n at equal ones, whatever their scale."""
    assert kish_n(1 / np.array([0.5, 0.5, 0.1, 0.1, 0.02, 1])) == pytest.approx(75**2 / 2709, abs=1e-9)
    assert kish_n([1e300] * 7) == pytest.approx(7)
    for wrong in ([], [0, 0], [1, -1], [math.nan]):
        with pytest.raises(ValueError, match="give one"):
            kish_n(wrong)
