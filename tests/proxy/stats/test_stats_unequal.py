"""Unequal inclusion probabilities: the vectors, the formulas by loops, census and agreement, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize
from statsmodels.stats.weightstats import DescrStatsW

from proxy.stats.intervals import Interval, wilson
from proxy.stats.sampling.horvitz_thompson import active_mean, hajek, hajek_difference, horvitz_thompson, kish_n

SEED = 20261121
Y = [1, 0, 1, 1, 1, 0]
PI = [0.5, 0.5, 0.1, 0.1, 0.02, 1]
NAN = math.nan


def test_the_vector_of_six_labels() -> None:
    """Sum y / pi = 72 of 100; sum 1 / pi = 75; 72 / 75; V = 6.0544 / 75^2 (by hand below); Kish 75^2 / 2709."""
    parts = [0.5 * 0.08**2, 0.5 * 1.92**2, 0.9 * 0.4**2, 0.9 * 0.4**2, 0.98 * 2**2, 0]
    found = hajek(Y, PI, 100)

    assert horvitz_thompson(Y, PI, 100) == pytest.approx(0.72, abs=1e-12)
    assert hajek(Y, PI).items == pytest.approx(75, abs=1e-12)
    assert found.estimate == pytest.approx(0.96, abs=1e-12)
    assert found.variance == pytest.approx(0.0010763377778, abs=1e-12)
    assert found.variance == pytest.approx(sum(parts) / 75**2, rel=1e-12)
    assert found.kish == kish_n(1 / np.array(PI)) == pytest.approx(2.0764119601, abs=1e-9)


def test_the_vector_of_the_active_form() -> None:
    """Four items, two drawn at .8: lam = .515625 / .410625, estimate .3125 + .1875 lam, se with ddof 1."""
    found = active_mean([0, 1, NAN, NAN], [0.1, 0.9, 0.5, 0.5], 0.8)

    assert found.lam == pytest.approx(1.2557077626, abs=1e-9)
    assert (found.estimate, found.se) == pytest.approx((0.5479452055, 0.2090455861), abs=1e-9)
    assert found.wald() == pytest.approx((0.1382233856, 0.9576670254), abs=1e-9)


def test_the_active_lambda_minimises_the_variance() -> None:
    """Fifty random frames: scipy's minimiser over lam finds the same, and a given lam is used as it is."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        n = int(rng.integers(10, 80))
        pi, f = rng.uniform(0.1, 1, n), rng.random(n)
        y = np.where(rng.random(n) < pi, rng.random(n) < f, NAN).astype(float)
        found = active_mean(y, f, pi)
        best = optimize.minimize_scalar(lambda x, y=y, f=f, pi=pi: active_mean(y, f, pi, lam=x).se ** 2)
        assert found.lam == pytest.approx(best.x, abs=1e-5)
        given = active_mean(y, f, pi, lam=0.4)
        values = [0.4 * a + (0 if math.isnan(b) else (b - 0.4 * a) / c) for a, b, c in zip(f, y, pi, strict=True)]
        assert given.estimate == pytest.approx(np.mean(values), rel=1e-9)
        assert given.se == pytest.approx(np.std(values, ddof=1) / math.sqrt(n), rel=1e-9)


def test_hajek_is_the_weighted_mean_of_statsmodels() -> None:
    """Fifty random samples, and with n / (n - 1) and no scores the difference estimator is the same mean."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        n = int(rng.integers(2, 80))
        y, pi = (rng.random(n) < 0.7).astype(float), rng.uniform(0.02, 1, n)
        found, plain = hajek(y, pi), hajek_difference(y, np.zeros(n), pi, 0.0, 5000)
        assert found.estimate == pytest.approx(DescrStatsW(y, 1 / pi).mean, rel=1e-12)
        assert plain.estimate == pytest.approx(found.estimate, rel=1e-12)
        assert plain.variance == pytest.approx(found.variance * n / (n - 1), rel=1e-12)


def test_the_difference_estimator_by_a_loop() -> None:
    """Lam mean_N(f) + sum w (y - lam f) / sum w and its variance, term by term."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        n, lam = int(rng.integers(3, 60)), float(rng.uniform(0, 1.2))
        f, pi = rng.random(n), rng.uniform(0.05, 1, n)
        y = (rng.random(n) < f).astype(float)
        found = hajek_difference(y, f, pi, 0.55, 3000, lam)
        total = sum(1 / c for c in pi)
        shift = sum((a - lam * b) / c for a, b, c in zip(y, f, pi, strict=True)) / total
        square = sum((1 - c) * ((a - lam * b - shift) / c) ** 2 for a, b, c in zip(y, f, pi, strict=True))
        assert found.estimate == pytest.approx(min(1, max(0, lam * 0.55 + shift)), abs=1e-12)
        assert found.variance == pytest.approx(square / total**2 * n / (n - 1), rel=1e-9)


def test_equal_probabilities_are_the_plain_share() -> None:
    """Pi = .2 for all: mean(y), V = .8 p (1 - p) / n; labels and scores flipped give the mirror image."""
    y, f, pi = np.array([1.0] * 15 + [0.0] * 5), np.linspace(0.1, 0.9, 20), np.full(20, 0.2)
    found = hajek(y, pi)
    one, other = hajek_difference(y, f, pi, 0.5, 100), hajek_difference(1 - y, 1 - f, pi, 0.5, 100)

    assert (found.estimate, found.variance) == pytest.approx((0.75, 0.8 * 0.1875 / 20), rel=1e-12)
    assert found.kish == pytest.approx(20)
    assert (other.estimate, other.variance) == pytest.approx((1 - one.estimate, one.variance), rel=1e-9)
    assert other.window() == pytest.approx((1 - one.window().high, 1 - one.window().low), abs=1e-9)


def test_labels_that_agree_keep_a_width() -> None:
    """All right: Wilson at Kish's n with n - 1 degrees of freedom, never a point."""
    found = hajek([1.0] * 6, PI, 100)

    assert found.window() == wilson(1.0, kish_n(1 / np.array(PI)), df=5)
    assert active_mean([1, 1], [0.0, 0.0], 1.0).wald() is None
    assert active_mean([1, 1], [0.0, 0.0], 1.0).lam == 0


def test_a_census_has_no_width_for_the_window() -> None:
    """Every item at pi = 1; where items are missing it is none; the long run keeps p (1 - p) / N."""
    y = [1.0] * 7 + [0.0] * 3
    found = hajek(y, np.ones(10))

    assert (found.window(), found.n_effective) == (Interval(0.7, 0.7), math.inf)
    assert found.long_run() == pytest.approx(wilson(0.7, 10, df=9), abs=1e-9)
    missing = hajek(y, np.ones(10), 20)
    assert (missing.n_effective, missing.window()) == (10, wilson(0.7, 10, df=9))


def test_what_was_not_drawn_by_chance_is_refused() -> None:
    """Pi of 0 or above 1, lengths that differ, no labels, no weights, one item, no frame."""
    for pi in ([0.0, 0.5], [0.5, 1.2], [0.5, NAN]):
        with pytest.raises(ValueError, match="outside"):
            hajek([1, 0], pi)
    for bad in (lambda: hajek([], []), lambda: hajek([1], [0.5, 0.5]), lambda: kish_n([]), lambda: kish_n([0, 0])):
        with pytest.raises(ValueError, match="give one"):
            bad()
    with pytest.raises(ValueError, match="one finite score"):
        hajek_difference([1, 0], [0.5], [0.5, 0.5], 0.5, 10)
    with pytest.raises(ValueError, match="two at least"):
        active_mean([1], [0.5], 0.5)
    with pytest.raises(ValueError, match="size of the frame"):
        horvitz_thompson([1], [0.5], 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "labels", "size"),
    [(0.6, 100, 20_000), (0.9, 200, 20_000), (0.95, 100, 20_000), (0.95, 30, 20_000), (0.8, 200, 600)],
)
def test_hajek_with_scores_covers_under_active_sampling(share: float, labels: int, size: int) -> None:
    """1,000 Poisson draws with pi = .8 n u / sum u + .2 n / N, u = sqrt(c (1 - c)), c a calibrated score."""
    rng = np.random.default_rng(SEED)
    y = (rng.random(size) < share).astype(float)
    score = np.where(y == 1, rng.beta(6, 2.2, size), rng.beta(3, 3.4, size))
    number = np.searchsorted(np.quantile(score, np.linspace(0.05, 0.95, 19)), score)
    c = ((np.bincount(number, y) + 1) / (np.bincount(number) + 2))[number]
    u = np.sqrt(c * (1 - c))
    pi = np.minimum(1, 0.8 * labels * u / u.sum() + 0.2 * labels / size)
    hits = []
    for _ in range(1000):
        drawn = rng.random(size) < pi
        found = hajek_difference(y[drawn], c[drawn], pi[drawn], c.mean(), size).window()
        hits.append(found.low <= y.mean() <= found.high)
    assert np.mean(hits) >= 0.929
