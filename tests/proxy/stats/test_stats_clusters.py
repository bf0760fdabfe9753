"""Variances of labels that are clustered by group and by question: vectors, an independent sum over pairs, and coverage."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from proxy.stats.effective import effective_n
from proxy.stats.intervals import Interval, wilson
from proxy.stats.sampling.clusters import Ways, clustered, effective, kish_clusters, shared
from proxy.stats.sampling.survey import Draws, PostStrata, proportion
from support.draws import one_drawing

Numbers = NDArray[np.float64]


class Labels(NamedTuple):
    """Labels of two ways: right or wrong, weights, groups and questions by letter."""

    y: Numbers
    weight: Numbers
    ways: Ways

    @property
    def share(self) -> float:
        """The weighted share right."""
        return float(np.average(self.y, weights=self.weight))

    @property
    def influence(self) -> Numbers:
        """W (y - p) / sum w."""
        return self.weight * (self.y - self.share) / self.weight.sum()

    def long_run(self) -> tuple[float, Interval]:
        """The effective n, and Wilson's interval at it."""
        left, n = effective(self.ways, self.weight), float(len(self.y))
        n_e = effective_n(self.share, clustered(self.influence, self.ways).variance, n, left.clusters)
        return n_e, wilson(self.share, n_e, df=left.df)


def labels(y: str, weight: str, group: str, question: str) -> Labels:
    """From rows of digits and letters."""
    numbers = [np.array([int(digit) for digit in text], dtype=np.float64) for text in (y, weight)]
    ways = [np.array([ord(letter) for letter in text], dtype=np.intp) for text in (group, question)]
    return Labels(*numbers, Ways.of(*ways))


A1 = labels("110101110110", "222255551111", "AAABBBCCCDDD", "pqrpqsprsqst")
A2 = labels("111100110101", "222255551111", "AAABBBCCCDDD", "pqrsppqrprst")
A3 = labels("1001", "1111", "aabb", "pqpq")


def pair_sum(labelled: Labels) -> float:
    """Sum u_i u_j over all labels i, j that share a group or a question, by two loops: the two-way form without factors."""
    u, (group, question, _) = labelled.influence, labelled.ways
    rows = range(len(u))
    return float(sum(u[i] * u[j] for i in rows for j in rows if group[i] == group[j] or question[i] == question[j]))


def test_the_question_wins() -> None:
    """Vector A1: the two-way form is small, and negative without its factors."""
    spread = clustered(A1.influence, A1.ways)
    left = effective(A1.ways, A1.weight)
    n_e, (low, high) = A1.long_run()

    assert A1.share == pytest.approx(0.718750, abs=1e-6)
    assert spread == pytest.approx((0.009305, 0.018830, 0.003575, 0.018830), abs=1e-6)
    assert (kish_clusters(A1.ways.group, A1.weight), kish_clusters(A1.ways.question, A1.weight)) == pytest.approx(
        (3.303226, 4.196721), abs=1e-6
    )
    assert (left.clusters, left.df) == pytest.approx((3.303226, 2.303226), abs=1e-6)
    assert (n_e, low, high) == pytest.approx((10.735275, 0.230173, 0.956223), abs=1e-6)


def test_both_ways_together_win() -> None:
    """Vector A2."""
    spread = clustered(A2.influence, A2.ways)
    n_e, (low, high) = A2.long_run()

    assert spread == pytest.approx((0.058716, 0.065384, 0.071027, 0.071027), abs=1e-6)
    assert (n_e, low, high) == pytest.approx((3.299820, 0.074679, 0.971766), abs=1e-6)


def test_where_all_sums_are_nothing_the_clusters_are_what_is_left() -> None:
    """Vector A3: every cluster has one right and one wrong; no NaN, no zero width."""
    spread = clustered(A3.influence, A3.ways)
    n_e, (low, high) = A3.long_run()

    assert spread[:2] == (0.0, 0.0)
    assert spread.both < 0
    assert spread.variance == 0
    assert n_e == pytest.approx(2)
    assert 0 <= low < 0.5 < high <= 1


@pytest.mark.parametrize(("sample", "uncorrected"), [(A1, -0.000471), (A2, 0.048096)])
def test_the_two_way_form_is_the_sum_over_pairs(sample: Labels, uncorrected: float) -> None:
    """Without the factors C / (C - 1): by two loops, and by statsmodels' weighted least squares on a constant."""
    import statsmodels.api as sm
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    count = [int(way.max()) + 1 for way in sample.ways]
    by_way = [
        sum(float(sample.influence[way == c].sum()) ** 2 for c in range(n))
        for way, n in zip(sample.ways, count, strict=True)
    ]
    fit = sm.WLS(sample.y, np.ones(len(sample.y)), weights=sample.weight).fit()
    oracle = cov_cluster_2groups(fit, sample.ways.group, sample.ways.question, use_correction=False)[0]

    assert by_way[0] + by_way[1] - by_way[2] == pytest.approx(pair_sum(sample), abs=1e-12)
    assert pair_sum(sample) == pytest.approx(uncorrected, abs=1e-6)
    assert float(np.squeeze(oracle)) == pytest.approx(pair_sum(sample), abs=1e-12)
    factors = [n / (n - 1) for n in count]
    corrected = [factor * each for factor, each in zip(factors, by_way, strict=True)]
    assert clustered(sample.influence, sample.ways)[:3] == pytest.approx(
        (corrected[0], corrected[1], corrected[0] + corrected[1] - corrected[2]), abs=1e-12
    )


def test_ways_that_do_not_cross_are_the_coarser_one() -> None:
    """Questions within conversations, conversations within questions, or the same: nothing is added for the finer way."""
    rng = np.random.default_rng(1)
    coarse, influence = np.repeat(np.arange(6), 5), rng.normal(size=30)
    for fine in (np.arange(30), np.arange(30) // 2 + 100 * coarse, coarse):
        for ways in (Ways.of(coarse, fine), Ways.of(fine, coarse)):
            assert not ways.crosses
            assert clustered(influence, ways).variance == clustered(influence, Ways.of(coarse)).variance
            assert shared(influence, ways) == shared(influence, Ways.of(coarse))
            assert effective(ways, np.ones(30)).df == 5


@pytest.mark.parametrize(
    ("group", "question", "clusters"),
    [("aaaaaa", "pqrstu", 1.0), ("abcdef", "pppppp", 1.0), ("aaaaab", "pqrstu", 36 / 26), ("aaabbb", "pqrstu", None)],
)
def test_fewer_than_two_clusters_tell_nothing_of_the_long_run(
    group: str, question: str, clusters: float | None
) -> None:
    """The reason names how many there are, and what would do."""
    labelled = labels("110101", "111111", group, question)
    effective_labels = effective(labelled.ways, labelled.weight)
    assert (effective_labels.reason is None) == (clusters is None)
    if clusters is not None:
        assert f"{clusters:.1f} independent" in (effective_labels.reason or "")
        draws, cells = sampled(labelled)
        whole = proportion(draws, cells)
        assert whole.long_run() is None
        assert whole.window().low < whole.p < whole.window().high


def sampled(labelled: Labels) -> tuple[Draws, PostStrata]:
    """A random sample of a population a hundred times as large, weighted as the labels are."""
    n = len(labelled.y)
    size = 100 * float(labelled.weight.sum())
    draws = replace(
        one_drawing(labelled.y, labelled.weight * 100),
        is_fixed=np.zeros(n, dtype=np.bool_),
        cluster=labelled.ways.group,
        question=labelled.ways.question,
    )
    return draws, PostStrata(size=np.array([size]), score=np.zeros(1), of_draw=np.zeros(n, dtype=np.intp))


def long_run(labelled: Labels) -> Interval:
    """As the report gives it."""
    interval = proportion(*sampled(labelled)).long_run()
    assert interval is not None
    return interval


def one_way(labelled: Labels) -> Interval:
    """As if the question counted for nothing."""
    return long_run(labelled._replace(ways=Ways.of(labelled.ways.group)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "questions", "spread", "one_way_fails"),
    [(10, 10, (1.0, 1.0), True), (20, 20, (1.0, 1.0), True), (20, 60, (1.0, 1.0), False), (20, 20, (0.0, 0.0), False)],
)
def test_the_long_run_holds_where_questions_cross_groups(
    groups: int, questions: int, spread: tuple[float, float], *, one_way_fails: bool
) -> None:
    """200 labels of weight 1 and 3 with random effects of groups and of questions, 600 times: at least .95 - 3 standard errors."""
    rng = np.random.default_rng(groups + questions)
    base, truth_of = 1.386, np.random.default_rng(0).normal(size=400_000)
    truth = float(np.mean(1 / (1 + np.exp(-(base + np.hypot(*spread) * truth_of)))))
    held, alone = [], []
    for _ in range(600):
        group, question = rng.integers(0, groups, 200), rng.integers(0, questions, 200)
        odds = base + spread[0] * rng.normal(size=groups)[group] + spread[1] * rng.normal(size=questions)[question]
        y = (rng.random(200) < 1 / (1 + np.exp(-odds))).astype(np.float64)
        labelled = Labels(y, rng.choice([1.0, 3.0], 200), Ways.of(group, question))
        for hits, method in ((held, long_run), (alone, one_way)):
            low, high = method(labelled)
            hits.append(low <= truth <= high)
    print(groups, questions, spread, np.mean(held), np.mean(alone))
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 600)
    assert (np.mean(alone) < 0.93) or not one_way_fails
