"""How two scores go together: scipy's values, weights as repetitions, influences as slopes, a hand derivation, coverage."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from proxy.stats.agreement import association, confusion
from proxy.stats.agreement.association import (
    Association,
    correlation_interval,
    kendall,
    mean_distance,
    of_cells,
    pearson,
    share_interval,
    spearman,
    squared_distance,
)
from proxy.stats.effective import kish_n
from proxy.stats.sampling.clusters import Ways, clustered

SEED = 20261122
CORRELATIONS = (pearson, spearman, kendall)
EVERY = (*CORRELATIONS, mean_distance, squared_distance)
Numbers = np.ndarray
Measure = Callable[..., Association | None]


def sample(rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
    """Two scores with many ties, and how often each row is there."""
    n = int(rng.integers(8, 90))
    x = np.round(rng.random(n), int(rng.integers(1, 4)))
    y = np.round(np.clip(0.5 * x + 0.5 * rng.random(n), 0, 1), int(rng.integers(1, 3)))
    return x, y, rng.integers(1, 4, n)


@pytest.mark.slow
def test_equal_weights_give_what_scipy_gives() -> None:
    """Sixty samples with ties: pearsonr, spearmanr, kendalltau (tau-b)."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        x, y, _ = sample(rng)
        for ours, theirs in zip(CORRELATIONS, (stats.pearsonr, stats.spearmanr, stats.kendalltau), strict=True):
            association = ours(x, y)
            assert association is not None
            assert association.estimate == pytest.approx(theirs(x, y)[0], abs=1e-10)


def test_a_weight_counts_as_so_many_rows() -> None:
    """A row of weight 3 is three rows, whatever the scale of the weights."""
    rng = np.random.default_rng(SEED)
    for _ in range(20):
        x, y, times = sample(rng)
        for measure in EVERY:
            weighted, repeated = measure(x, y, 7.5 * times), measure(np.repeat(x, times), np.repeat(y, times))
            assert weighted.estimate == pytest.approx(repeated.estimate, abs=1e-10)


def test_an_influence_is_the_slope_of_the_estimate_in_that_weight() -> None:
    """By finite differences, and all together they add up to 0."""
    rng = np.random.default_rng(SEED)
    for _ in range(10):
        x, y, times = sample(rng)
        w = times / times.sum()
        for measure in EVERY:
            report = measure(x, y, w)
            assert report.influence.sum() == pytest.approx(0, abs=1e-10)
            for row in (0, len(x) // 2):
                up, down = (w + step * (np.arange(len(w)) == row) for step in (1e-6, -1e-6))
                slope = (measure(x, y, up).estimate - measure(x, y, down).estimate) / 2e-6
                assert report.influence[row] == pytest.approx(w[row] * slope, abs=1e-6)


def test_three_weighted_rows_by_hand() -> None:
    """Rows (0, 0), (1/2, 1), (1, 1) of weights 1, 1, 2.

    Means 5/8 and 3/4; cov = (1/4)(1/2) + (1/2)(1) - 15/32 = 5/32, var x = 1/16 + 1/2 - 25/64 = 11/64, var y = 3/16.
    Pairs of weights: all three of x differ, 2 (1 + 2 + 2) / 16 = 10/16; y differs for 2 (1 + 2) / 16 = 6/16, all concordant.
    """
    x, y, w = [0, 0.5, 1], [0, 1, 1], [1, 1, 2]

    assert pearson(x, y, w).estimate == pytest.approx((5 / 32) / math.sqrt(11 / 64 * 3 / 16), abs=1e-12)
    assert kendall(x, y, w).estimate == pytest.approx((6 / 16) / math.sqrt(10 / 16 * 6 / 16), abs=1e-12)
    assert mean_distance(x, y, w).estimate == pytest.approx(1 / 8, abs=1e-12)
    assert squared_distance(x, y, w).estimate == pytest.approx(1 / 16, abs=1e-12)


def test_what_does_not_vary_has_no_correlation() -> None:
    """None, not 0 and not nan; distances are known all the same."""
    for measure in CORRELATIONS:
        assert measure([0.5, 0.5, 0.5], [0.0, 0.3, 1.0]) is None
        assert measure([0.2], [0.3]) is None
    assert mean_distance([0.5], [0.25]).estimate == 0.25


def test_quantities_of_the_table_are_those_of_confusion_with_their_slopes() -> None:
    """Kappa of 40, 10, 5, 45 is .7; its variance is Fleiss, Cohen and Everitt's (1969) as statsmodels has it."""
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = [40, 10, 5, 45]
    cell = np.repeat(np.arange(4), counts)
    measured_value = of_cells(confusion.kappa, cell, np.ones(100))
    oracle = cohens_kappa(np.array([[40, 10], [5, 45]]))

    assert measured_value.estimate == pytest.approx(0.7, abs=1e-12)
    assert float((measured_value.influence**2).sum()) == pytest.approx(oracle.var_kappa, rel=1e-6)
    assert of_cells(confusion.kappa, np.zeros(5, dtype=np.intp), np.ones(5)) is None


def test_clusters_of_equal_rows_count_once() -> None:
    """Every row twice: by clusters the variance is that of the rows once, without them it is half."""
    rng = np.random.default_rng(SEED)
    x, y, _ = sample(rng)
    n = len(x)
    once = pearson(x, y)
    twice = pearson(np.repeat(x, 2), np.repeat(y, 2))
    alone = clustered(once.influence, Ways.of(np.arange(n))).variance

    assert clustered(twice.influence, Ways.of(np.repeat(np.arange(n), 2))).variance == pytest.approx(alone, rel=1e-10)
    assert clustered(twice.influence, Ways.of(np.arange(2 * n))).variance == pytest.approx(alone / 2, rel=0.2)


@pytest.mark.slow
def test_the_variance_is_nearly_that_of_the_jackknife() -> None:
    """Delete-one jackknife, (n - 1) / n sum (r_i - mean)^2, on 300 rows: the infinitesimal one is within 10 %."""
    rng = np.random.default_rng(SEED)
    x = rng.random(300)
    y = np.clip(0.6 * x + 0.4 * rng.random(300), 0, 1)
    for measure in EVERY:
        left_out = np.array([measure(np.delete(x, row), np.delete(y, row)).estimate for row in range(300)])
        jackknife = 299 / 300 * float(((left_out - left_out.mean()) ** 2).sum())
        assert clustered(measure(x, y).influence, Ways.of(np.arange(300))).variance == pytest.approx(jackknife, rel=0.1)


def test_no_interval_where_nothing_speaks_of_chance() -> None:
    """A correlation of 1 has none; a mean distance of 0 has one, from the number of rows."""
    assert correlation_interval(1.0, 0.0, 9) is None
    assert correlation_interval(0.4, 0.0, 9) is None
    low, high = share_interval(0.0, 0.0, 20, 19)
    assert low == 0
    assert 0.1 < high < 0.3


def two_scores(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """A score with ties, and right or wrong that follows it."""
    truth = rng.random(n)
    return np.round(0.5 * truth + 0.5 * rng.random(n), 1), (rng.random(n) < 0.2 + 0.6 * truth).astype(np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("measure", EVERY)
def test_the_intervals_cover(measure: Measure) -> None:
    """95 % of 1,500 samples of 60 rows in 30 clusters of 2 alike; simulation error 0.56 points, so within 93 and 97 %."""
    rng = np.random.default_rng(SEED)
    truth = measure(*two_scores(rng, 200_000)).estimate
    covered = []
    for _ in range(1500):
        # Each cluster is one row seen twice: as many rows again, no more knowledge.
        x, y = (np.repeat(score, 2) for score in two_scores(rng, 60))
        report = measure(x, y)
        variance = clustered(report.influence, Ways.of(np.repeat(np.arange(60), 2))).variance
        interval = (
            correlation_interval(report.estimate, variance, 59)
            if measure in CORRELATIONS
            else share_interval(report.estimate, variance, 60, 59)
        )
        covered.append(interval.low <= truth <= interval.high)

    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("measure", EVERY)
def test_the_intervals_cover_what_unequal_chances_drew(measure: Measure) -> None:
    """Poisson draws from 4,000 rows, low scores four times as often, weights 1 / chance: the rows' own value is covered."""
    rng = np.random.default_rng(SEED)
    x, y = two_scores(rng, 4_000)
    truth = measure(x, y).estimate
    chance = np.where(x < 0.5, 0.12, 0.03)
    covered = []
    for _ in range(1000):
        rows = rng.random(4_000) < chance
        w = 1 / chance[rows]
        report = measure(x[rows], y[rows], w)
        variance = clustered(report.influence, Ways.of(np.arange(int(rows.sum())))).variance
        interval = (
            correlation_interval(report.estimate, variance, kish_n(w) - 1)
            if measure in CORRELATIONS
            else share_interval(report.estimate, variance, kish_n(w), kish_n(w) - 1)
        )
        covered.append(interval.low <= truth <= interval.high)

    assert 0.93 <= np.mean(covered) <= 0.98


def test_what_cannot_be_read_is_refused() -> None:
    """Unequal lengths, nan and negative weights."""
    for bad in (([0.1], [0.1, 0.2], None), ([math.nan], [0.1], None), ([0.1], [0.1], [-1.0]), ([0.1], [0.1], [0.0])):
        with pytest.raises(ValueError, match=r"weights"):
            association.pearson(*bad)
