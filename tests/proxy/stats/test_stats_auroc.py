"""Ranking: AUROC and average precision against loops and scikit-learn, DeLong's variance, intervals and their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.metrics import roc_auc_score

from proxy.stats.calibration.auroc import (
    MIN_PER_CLASS,
    areas_by_edge,
    auroc,
    auroc_interval,
    logit_interval,
    measurable,
    score_interval,
)
from proxy.stats.intervals import Interval
from proxy.stats.sampling.survey import Draws, design_variance

SEED = 20261121
RIGHT = [1] * 6 + [0] * 4
SCORES = [0.9, 0.8, 0.8, 0.7, 0.6, 0.35, 0.65, 0.5, 0.35, 0.1]
Numbers = np.ndarray


def sample(rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
    """Scores on a coarse scale (many ties), right or wrong with two of each at least, and weights."""
    n = int(rng.integers(6, 60))
    right = rng.permutation(np.concatenate([[1, 1, 0, 0], (rng.random(n) < 0.6).astype(int)]))
    scores = np.round(0.4 * right + rng.random(right.size), int(rng.integers(0, 3)))
    return scores, right, rng.uniform(0.2, 9, right.size)


def test_the_vector_of_ten_labels() -> None:
    """20.5 of 24 pairs; DeLong's .1261520981; weights 1,1,2,1,1,3,2,1,1,4 give .8263888889."""
    area = auroc(SCORES, RIGHT)
    weighted = auroc(SCORES, RIGHT, [1, 1, 2, 1, 1, 3, 2, 1, 1, 4])

    assert (area.estimate, area.se) == pytest.approx((20.5 / 24, 0.1261520981), abs=1e-9)
    assert logit_interval(area.estimate, area.variance) == pytest.approx((0.4458979606, 0.9770805355), abs=1e-9)
    assert area.interval() == pytest.approx((0.4458979606, 0.9770805355), abs=1e-9)
    assert area.estimate + 1.96 * area.se > 1, "which is why there is no such interval here"
    assert weighted.estimate == pytest.approx(0.8263888889, abs=1e-9)


@pytest.mark.slow
def test_the_area_is_that_of_scikit_learn() -> None:
    """Sixty random samples with ties, without weights and with them."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        scores, right, weights = sample(rng)
        for w in (None, weights):
            assert auroc(scores, right, w).estimate == pytest.approx(
                roc_auc_score(right, scores, sample_weight=w), abs=1e-9
            )


def test_the_variance_is_delongs() -> None:
    """Sixty random samples: S10 / m + S01 / n from the full matrix of pairs, variances with ddof 1."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        scores, right, _ = sample(rng)
        x, y = scores[right == 1], scores[right == 0]
        pairs = (x[:, None] > y).astype(float) + 0.5 * (x[:, None] == y)
        expected = pairs.mean(axis=1).var(ddof=1) / len(x) + pairs.mean(axis=0).var(ddof=1) / len(y)
        assert auroc(scores, right).variance == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_the_influence_is_the_derivative_by_the_weight() -> None:
    """DA / dw_i x w_i by central differences, and the values add up to 0."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        scores, right, weights = sample(rng)
        area = auroc(scores, right, weights)
        i = int(rng.integers(right.size))
        step = np.zeros(right.size)
        step[i] = 1e-5 * weights[i]
        ends = [roc_auc_score(right, scores, sample_weight=weights + sign * step) for sign in (1, -1)]
        assert area.influence[i] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7)
        assert area.influence.sum() == pytest.approx(0, abs=1e-12)


def test_scale_order_and_direction_change_nothing_that_they_should_not() -> None:
    """Weights times 7, labels permuted, a rising map of the scores: the same; labels flipped: 1 - A, the same variance."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        scores, right, weights = sample(rng)
        area, order = auroc(scores, right, weights), rng.permutation(right.size)
        flipped = auroc(scores, 1 - right, weights)
        for same in (
            auroc(scores, right, 7 * weights),
            auroc(np.exp(scores), right, weights),
            auroc(scores[order], right[order], weights[order]),
        ):
            assert (same.estimate, same.variance) == pytest.approx((area.estimate, area.variance), abs=1e-12)
            assert (same.n_right, same.n_wrong) == pytest.approx((area.n_right, area.n_wrong))
        assert (flipped.estimate, flipped.variance) == pytest.approx((1 - area.estimate, area.variance), abs=1e-12)
        mirror = flipped.interval()
        assert area.interval() == pytest.approx((1 - mirror.high, 1 - mirror.low), abs=1e-9)


def test_a_perfect_ranking_keeps_a_width() -> None:
    """A = 1: no logit interval; the lower end solves 1 - A0 = z sqrt(V(A0)), found by scipy's root finder."""
    area = auroc([0.9, 0.8, 0.7, 0.95, 0.85, 0.4, 0.3, 0.2, 0.1, 0.35], [1] * 5 + [0] * 5)
    z = stats.norm.ppf(0.975)

    def gap(a: float) -> float:
        spread = a * (1 - a) * (1 + 4 * ((1 - a) / (2 - a) + a / (1 + a))) / 25
        return 1 - a - z * math.sqrt(spread)

    assert (area.estimate, area.variance) == (1, 0)
    assert logit_interval(1.0, 0.0) is None
    assert area.interval() == pytest.approx((optimize.brentq(gap, 0.1, 0.999), 1), abs=1e-9)
    assert score_interval(0.0, 5, 5) == pytest.approx((0, 1 - area.interval().low), abs=1e-9)


def test_no_interval_leaves_the_unit_range_or_loses_its_estimate() -> None:
    """Also for huge and tiny variances, one label a class, and estimates next to 0 and 1; more confidence is wider."""
    for estimate in (0.0, 1e-9, 0.2, 0.5, 0.999, 1.0):
        for variance in (0.0, 1e-12, 0.01, 4.0):
            for n_right, n_wrong in ((1.0, 1.0), (5.5, 200.0), (1000.0, 3.2)):
                interval = auroc_interval(estimate, variance, n_right, n_wrong)
                wider = auroc_interval(estimate, variance, n_right, n_wrong, 0.99)
                assert 0 <= interval.low <= estimate <= interval.high <= 1
                assert interval.high > interval.low
                assert Interval(min(wider.low, interval.low), max(wider.high, interval.high)) == wider


def test_few_labels_of_a_class_are_not_measurable_and_none_is_undefined() -> None:
    """Six right and four wrong compute, but a report refuses; one class only has no ranking at all."""
    assert MIN_PER_CLASS == 5
    assert measurable(RIGHT) == "right labels: 6, wrong labels: 4; label until there are 5 of each"
    assert measurable([1] * 5 + [0] * 5) is None
    assert auroc([0.1, 0.9], [1, 1]) is None
    assert auroc([0.1, 0.9], [1, 0], [1, 0]) is None
    assert auroc([0.9, 0.1, 0.5], [1, 0, 0]).interval().high == 1
    with pytest.raises(ValueError, match="finite ones of one length"):
        auroc([0.1, math.nan], [1, 0])


@pytest.mark.parametrize("is_right_below", [True, False])
def test_the_area_at_every_edge_is_that_of_the_labels_there(is_right_below: bool) -> None:
    """With many ties; nan where a class has too few labels."""
    rng = np.random.default_rng(SEED)
    known = 0
    for _ in range(40):
        scores, right, weights = sample(rng)
        is_open = rng.random(len(scores)) < rng.random()
        edges = np.array([-np.inf, *np.unique(scores[is_open])])
        areas = areas_by_edge(scores, right, weights, is_open, edges, is_right_below=is_right_below)
        for edge, area in zip(edges, areas, strict=True):
            filled = np.where(is_open, (scores <= edge) == is_right_below, right)
            if measurable(filled):
                assert math.isnan(area)
                continue
            known += 1
            assert area == pytest.approx(auroc(scores, filled, weights).estimate, abs=1e-12)
    assert known > 100


def in_strata(stratum: np.ndarray, fraction: np.ndarray | float = 0.0) -> Draws:
    """The design of labels that were drawn by stratum, each of weight 1."""
    _, number, counts = np.unique(stratum, return_inverse=True, return_counts=True)
    ones = np.ones(len(stratum))
    return Draws(
        right=ones,
        judged=ones,
        weight=ones,
        step=ones,
        missed=ones - fraction,
        drawing=number,
        returned=counts[number].astype(float),
        is_fixed=ones > 0,
        cluster=np.arange(len(stratum)),
        score=0 * ones,
    )


def test_the_design_variance_is_that_of_stratified_sampling() -> None:
    """One stratum: n var(z) with ddof 1, times 1 - f; several add up."""
    rng = np.random.default_rng(SEED)
    z, stratum = rng.normal(size=30), np.array([7] * 12 + [3] * 18)
    parts = [12 * z[:12].var(ddof=1) * 0.9, 18 * z[12:].var(ddof=1) * 0.6]
    fraction = np.array([0.1] * 12 + [0.4] * 18)

    assert design_variance(in_strata(np.zeros(30)), z)[0] == pytest.approx(30 * z.var(ddof=1), rel=1e-12)
    assert design_variance(in_strata(stratum, fraction), z)[0] == pytest.approx(sum(parts), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.7, 0.85, 0.95, 0.98])
@pytest.mark.parametrize(("labels", "share"), [(30, 0.5), (30, 0.75), (60, 0.8), (100, 0.9), (200, 0.9)])
def test_the_interval_covers(truth: float, labels: int, share: float) -> None:
    """1,000 random samples, binormal scores of known area; samples below five of a class are refused and do not count."""
    rng, hits = np.random.default_rng(SEED), list[bool]()
    shift = math.sqrt(2) * stats.norm.ppf(truth)
    while len(hits) < 1000:
        right = rng.random(labels) < share
        if measurable(right):
            continue
        interval = auroc(rng.normal(size=labels) + shift * right, right).interval()
        hits.append(interval.low <= truth <= interval.high)
    assert np.mean(hits) >= 0.929


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "levels", "strength"), [(60, 5, 0.3), (100, 4, 0.5), (200, 100, 0.4), (200, 3, 0.7)]
)
def test_the_interval_covers_for_strata_and_coarse_scores(labels: int, levels: int, strength: float) -> None:
    """1,000 draws, three quarters of the labels on items that pass (above .5), weights N_h / n_h, the design's variance."""
    rng, size, hits = np.random.default_rng(SEED), 8000, list[bool]()
    right = rng.random(size) < 0.75
    scores = np.ceil(levels * np.clip(0.2 + strength * right + rng.normal(0, 0.2, size), 0.001, 1)) / levels
    truth = roc_auc_score(right, scores)
    items = [np.flatnonzero(scores > 0.5), np.flatnonzero(scores <= 0.5)]
    n = [labels * 3 // 4, labels // 4]
    stratum = np.repeat([0, 1], n)
    weights = np.repeat([items[0].size / n[0], items[1].size / n[1]], n)
    while len(hits) < 1000:
        drawn = np.concatenate([rng.choice(i, k, replace=False) for i, k in zip(items, n, strict=True)])
        if measurable(right[drawn]):
            continue
        area = auroc(scores[drawn], right[drawn], weights)
        interval = area.interval(variance=design_variance(in_strata(stratum), area.influence)[0])
        hits.append(interval.low <= truth <= interval.high)
    assert np.mean(hits) >= 0.929, (truth, np.mean(hits))
