"""Thresholds that keep their word: the vectors, the oracles, unequal chances, what no label speaks for, and ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from proxy.stats.calibration.stratified_risk import worst_p_value
from proxy.stats.calibration.threshold import (
    CertifiedThreshold,
    binomial_p_values,
    certify,
    fixed_sequence,
    grid,
    needs,
    number_below,
    precision_lower_bound,
)
from proxy.stats.calibration.threshold_tests import Claim, Split, fewest_labels, walk

N, ERRORS = [40, 60, 80, 100, 130, 160], [0, 2, 3, 5, 9, 16]
P = [0.0147808829, 0.0530450818, 0.0353062585, 0.0575768865, 0.1520680321, 0.5660542275]


def test_the_walk_gives_the_vector() -> None:
    """At 10 % it takes four steps; at 5 % one only: the third p is below .05, but the second was not."""
    p_values = binomial_p_values(ERRORS, N, 0.1)

    assert p_values == pytest.approx(P, abs=1e-9)
    assert (fixed_sequence(p_values, 0.10), fixed_sequence(p_values, 0.05)) == (4, 1)
    assert precision_lower_bound(5, 100, 0.10) == pytest.approx(0.9092285304, abs=1e-9)


def test_the_fewest_labels() -> None:
    """(1 - risk)^n <= delta: 22 and 29 for one in ten, 59 for one in twenty; one label fewer cannot pass clean."""
    assert [fewest_labels(0.1, 0.1), fewest_labels(0.1, 0.05), fewest_labels(0.05, 0.05)] == [22, 29, 59]
    for risk, delta in ((0.1, 0.1), (0.03, 0.2), (0.5, 0.25)):
        n = fewest_labels(risk, delta)
        assert binomial_p_values([0, 0], [n, n - 1], risk) == pytest.approx([(1 - risk) ** n, (1 - risk) ** (n - 1)])
        assert (1 - risk) ** n <= delta + 1e-12 < (1 - risk) ** (n - 1)


def test_p_values_and_bounds_agree_with_scipy_and_statsmodels() -> None:
    """Random counts, none wrong and all wrong included, also no labels at all."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        n, risk, delta = int(rng.integers(1, 400)), rng.uniform(0.01, 0.6), rng.uniform(0.01, 0.3)
        errors = int(rng.integers(0, n + 1))
        assert binomial_p_values([errors], [n], risk) == pytest.approx(stats.binom.cdf(errors, n, risk), abs=1e-10)
        expected = proportion_confint(n - errors, n, alpha=2 * delta, method="beta")[0]
        assert precision_lower_bound(errors, n, delta) == pytest.approx(expected, abs=1e-10)
    assert binomial_p_values([0], [0], 0.1).tolist() == [1.0]
    assert precision_lower_bound(0, 0) == 0.0


def test_walks_of_nothing_and_of_everything() -> None:
    """No test certifies nothing; a walk without a failure certifies all."""
    assert (fixed_sequence([]), fixed_sequence([0.01, 0.1]), fixed_sequence([0.2, 0.01])) == (0, 2, 0)


def test_the_grid_is_of_scores_that_occur_strictest_first() -> None:
    """At most twenty, falling, ties once, the lowest score at the end."""
    rng = np.random.default_rng(2)
    s = np.round(rng.random(3000), 2)
    thresholds = grid(s)

    assert len(thresholds) <= 20
    assert (np.diff(thresholds) < 0).all()
    assert np.isin(thresholds, s).all()
    assert thresholds[-1] == s.min()
    assert grid([0.5] * 9).tolist() == [0.5]
    with pytest.raises(ValueError, match="at least one score"):
        grid([])


def labelled(errors: list[int], n: list[int], thresholds: list[float]) -> tuple[list[float], list[int]]:
    """Scores and labels with these running counts at the thresholds."""
    scores, right, wrong_before, n_before = list[float](), list[int](), 0, 0
    for wrong, size, t in zip(errors, n, thresholds, strict=True):
        scores += [t] * (size - n_before)
        right += [0] * (wrong - wrong_before) + [1] * (size - n_before - wrong + wrong_before)
        wrong_before, n_before = wrong, size
    return scores, right


def certified(scores: ArrayLike, right: ArrayLike, thresholds: ArrayLike, delta: float = 0.1) -> CertifiedThreshold:
    """The certificate at a risk of .1 for labels of equal chance."""
    return certify(walk(scores, right, thresholds, 0.1, delta), Claim.LONG_RUN, delta)


def test_the_certificate_walks_from_where_there_are_labels_enough() -> None:
    """2 x 22 labels are needed: 40 are skipped, so the walk goes from 60 (p = .053) to 100 and stops at 130."""
    thresholds = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    scores, right = labelled(ERRORS, N, thresholds)
    certificate = certified(scores, right, thresholds)

    assert certificate[:4] == (0.6, 100, 5, 0)
    assert certified(scores, right, thresholds, 0.05).reason is not None
    assert certificate.p_value == pytest.approx(P[3], abs=1e-9)
    assert certificate.precision_low == pytest.approx(0.9092285304, abs=1e-9)
    assert certificate.reason is None


def test_none_found_is_an_answer_with_its_reason() -> None:
    """Too few labels, and too many errors: None, and what to do or what was seen."""
    few = certified([0.9] * 30, [1] * 30, [0.9, 0.5])
    wrong = certified([0.9] * 60, [1] * 50 + [0] * 10, [0.9])

    assert (few.threshold, wrong.threshold) == (None, None)
    assert "30 at the most, and 44 are needed" in str(few.reason)
    assert "10 of 60 labels are wrong" in str(wrong.reason)
    assert certified([], [], [0.5]).threshold is None


def test_what_nobody_judged_is_told_apart_from_what_is_wrong() -> None:
    """Twelve of 60 count as wrong, nine of them because nobody could tell: the reason says both, label by label and by cluster."""
    right, undecided = [1] * 48 + [0] * 12, [False] * 51 + [True] * 9
    alone = walk([0.9] * 60, right, [0.9], 0.1, undecided=undecided)
    paired = walk([0.9] * 60, right, [0.9], 0.1, undecided=undecided, ways=(np.arange(60) // 2,))

    assert [(point.undecided, point.undecided_labels) for point in (*alone, *paired)] == [(9, 9), (9, 9)]
    for steps in (alone, paired):
        for claim in Claim:
            reason = certify(steps, claim).reason
            assert reason == "already at 0.9, 12 of 60 count as wrong, 9 of them unsure or unanswered"
    thinned = walk([0.9] * 60, right, [0.9], 0.1, undecided=undecided, weights=[1] * 30 + [4] * 30, lots=[0.9] * 60)
    assert thinned[0].undecided == 9
    assert thinned[0].n == 30


def test_the_clusters_named_are_those_of_the_threshold_that_lacks_them() -> None:
    """Above .9 too few labels for any test; below 200 labels of 50 clusters, but 7 % unseen asks for 71: not "22 are needed"."""
    scores = [0.9] * 10 + [0.5] * 190
    none, some = (Split(np.zeros(200, dtype=np.intp), np.ones(1), unseen) for unseen in (0.0, 0.07))
    steps = walk(scores, [1] * 200, [0.9, 0.5], 0.1, splits=[none, some], ways=(np.arange(200) // 4,))
    certificate = certify(steps, Claim.LONG_RUN)

    assert [step.long_run for step in steps] == [None, None]
    assert certificate.clusters == pytest.approx(50)
    assert certificate.needed == math.ceil(math.log(0.1) / math.log1p(-0.03 / 0.93)) > 50
    assert (
        f"the labels are of 50 questions or groups that tell anything by themselves, and {certificate.needed} are needed"
        in str(certificate.reason)
    )


def test_clusters_that_suffice_are_not_named_as_the_reason() -> None:
    """60 labels of 60 clusters, where the design expected 30: no test was planned, and no number of questions is asked for."""
    split = Split(np.zeros(61, dtype=np.intp), np.ones(1), 0.0, 300)
    ways = (np.r_[np.arange(60), 0],)
    (step,) = walk([0.9] * 61, [1] * 61, [0.9], 0.1, weights=[10.0] * 61, splits=[split], ways=ways)
    certificate = certify([step], Claim.LONG_RUN)

    assert step.clusters > 22
    assert (step.long_run, certificate.needed, certificate.clusters) == (None, None, None)
    assert "no threshold was planned to hold the 44 labels" in str(certificate.reason)


def test_labels_of_unequal_chance_are_thinned_before_they_are_counted() -> None:
    """400 labels of weight 1 beside 100 of weight 4, lots spread evenly: a quarter of the first are kept, all of the second."""
    scores = [0.9] * 200 + [0.8] * 200 + [0.8] * 100
    weights, right = [1] * 400 + [4] * 100, [1] * 390 + [0] * 10 + [1] * 100
    lots = [*np.linspace(0, 0.999, 200), *np.linspace(0, 0.999, 200), *np.linspace(0, 0.999, 100)]
    upper, lower = walk(scores, right, [0.9, 0.8], 0.1, weights=weights, lots=lots)

    assert (upper.labels, upper.n, upper.errors) == (200, 50, 0)
    assert (lower.labels, lower.n) == (500, 200)
    assert lower.errors == sum(lot < 0.25 for lot in lots[390:400])
    assert certify([upper, lower], Claim.LONG_RUN).thinned == 300


def test_labels_of_several_classes_all_count() -> None:
    """The same labels, parted by weight: nothing is thinned, and the p-value is that of the worst risks of two equal shares."""
    scores = [0.9] * 500
    weights, right = [1] * 400 + [4] * 100, [1] * 390 + [0] * 10 + [1] * 100
    split = Split(np.repeat([0, 1], [400, 100]), np.array([0.5, 0.5]), 0.0)
    (point,) = walk(scores, right, [0.9], 0.1, weights=weights, lots=[0.999] * 500, splits=[split])

    assert (point.n, point.errors) == (500, 10)
    assert point.rate == pytest.approx(0.5 * 10 / 400)
    assert point.effective == pytest.approx(1 / (0.25 / 400 + 0.25 / 100))
    assert point.long_run == point.window == worst_p_value([0.5, 0.5], [400, 100], [10, 0], 0.1)
    certificate = certify([point], Claim.LONG_RUN)
    assert (certificate.threshold, certificate.precision_low) == (0.9, None)
    without = Split(np.zeros(500, dtype=np.intp), np.array([0.92, 0.08]), 0.0)
    (lacking,) = walk(scores, right, [0.9], 0.1, splits=[without])
    assert lacking.unseen == pytest.approx(0.08)


def test_what_no_label_speaks_for_counts_as_wrong() -> None:
    """A twentieth of the items unseen leaves (.1 - .05) / .95 = .0526 to prove; a tenth leaves nothing, so no test is made."""
    scores, right = [0.9] * 200, [1] * 200
    some = walk(scores, right, [0.9], 0.1, splits=[Split(np.zeros(200, dtype=np.intp), np.ones(1), 0.05)])
    all_of_it = walk(scores, right, [0.9], 0.1, splits=[Split(np.zeros(200, dtype=np.intp), np.ones(1), 0.1)])

    assert some[0].risk == pytest.approx(0.05 / 0.95)
    assert some[0].long_run == pytest.approx((1 - 0.05 / 0.95) ** 200)
    assert certify(some, Claim.LONG_RUN).precision_low == pytest.approx(0.95 * 0.1 ** (1 / 200))
    assert all_of_it[0].long_run is None
    assert "no label speaks" in str(certify(all_of_it, Claim.LONG_RUN).reason)


def test_what_is_still_needed_is_the_least_that_would_pass() -> None:
    """2 wrong of 30 is a rate of 2.5 / 31: at n labels ceil(n 2.5 / 31) errors must give p <= .1, and at one fewer not."""
    need = needs(walk([0.9] * 30 + [0.5] * 40, [0, 0] + [1] * 28 + [0] * 40, [0.9, 0.5], 0.1))

    assert need is not None
    assert (need.threshold, need.n, need.errors) == (0.9, 30, 2)
    n = np.arange(44, 2000)
    passes = stats.binom.cdf(np.ceil(n * 2.5 / 31), n, 0.1) <= 0.1
    assert need.more + 30 == n[passes][0]


def test_nothing_is_needed_where_no_threshold_looks_good_enough() -> None:
    """One wrong in five everywhere, and three labels without an error, which promise nothing."""
    scores, right = [0.9] * 3 + [0.5] * 100, [1] * 3 + [0, 1, 1, 1] * 25

    assert needs(walk(scores, right, [0.9, 0.5], 0.1)) is None
    assert needs([]) is None


def test_the_cut_passes_exactly_the_certified_scores() -> None:
    """Score > cut and score >= t are one set for every number, its neighbours included."""
    for t in (0.5, 1.0, 0.1 + 0.2, 1e-300, 0.0):
        threshold = number_below(t)
        for score in (t, math.nextafter(t, 2), math.nextafter(t, -1), 0.0, 0.5, 1.0):
            assert (score > threshold) == (score >= t)
        assert float(repr(threshold)) == threshold


def test_what_cannot_be_tested_is_refused() -> None:
    """With a message that says what to give."""
    for call, message in (
        (lambda: fewest_labels(0, 0.1), "between 0 and 1"),
        (lambda: binomial_p_values([3], [2], 0.1), "a part and its whole"),
        (lambda: precision_lower_bound(3, 2), "3 errors of 2"),
        (lambda: walk([0.5], [0.5], [0.5], 0.1), "one score and one label"),
        (lambda: walk([0.5], [1], [0.5, 0.6], 0.1), "strictest first"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
