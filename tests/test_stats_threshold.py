"""Thresholds that keep their word: the vectors, the oracles, weights, ties, and the guarantee itself by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from proxy.stats.threshold import (
    betting,
    binomial_p_values,
    bonferroni,
    certify,
    cut_below,
    fewest_labels,
    fixed_sequence,
    grid,
    hoeffding_bentkus,
    precision_lower_bound,
    weighted_losses,
)

N, ERRORS = [40, 60, 80, 100, 130, 160], [0, 2, 3, 5, 9, 16]
P = [0.0147808829, 0.0530450818, 0.0353062585, 0.0575768865, 0.1520680321, 0.5660542275]


def test_the_walk_gives_the_vector() -> None:
    """At 10 % it takes four steps; at 5 % one only: the third p is below .05, but the second was not."""
    found = binomial_p_values(ERRORS, N, 0.1)

    assert found == pytest.approx(P, abs=1e-9)
    assert (fixed_sequence(found, 0.10), fixed_sequence(found, 0.05)) == (4, 1)
    assert bonferroni(found, 0.10).tolist() == [True] + [False] * 5
    assert not bonferroni(found, 0.05).any()
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
    assert bonferroni([]).size == 0


def test_the_grid_is_of_scores_that_occur_strictest_first() -> None:
    """At most twenty, falling, ties once, the lowest score at the end."""
    rng = np.random.default_rng(2)
    s = np.round(rng.random(3000), 2)
    found = grid(s)

    assert len(found) <= 20
    assert (np.diff(found) < 0).all()
    assert np.isin(found, s).all()
    assert found[-1] == s.min()
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


def test_the_certificate_walks_from_where_there_are_labels_enough() -> None:
    """2 x 22 labels are needed: 40 are skipped, so the walk goes from 60 (p = .053) to 100 and stops at 130."""
    thresholds = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    scores, right = labelled(ERRORS, N, thresholds)
    found = certify(scores, right, thresholds, 0.1, 0.1)

    assert found[:3] == (0.6, 100, 5)
    assert found.p_value == pytest.approx(P[3], abs=1e-9)
    assert found.precision_low == pytest.approx(0.9092285304, abs=1e-9)
    assert found.reason is None


def test_the_order_of_the_labels_does_not_matter() -> None:
    """Rows permuted: the same certificate."""
    rng, thresholds = np.random.default_rng(3), [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    scores, right = labelled(ERRORS, N, thresholds)
    order = rng.permutation(len(scores))

    assert certify(np.array(scores)[order], np.array(right)[order], thresholds, 0.1) == certify(
        scores, right, thresholds, 0.1
    )


def test_none_found_is_an_answer_with_its_reason() -> None:
    """Too few labels, and too many errors: None, and what to do or what was seen."""
    few = certify([0.9] * 30, [1] * 30, [0.9, 0.5], 0.1, 0.1)
    wrong = certify([0.9] * 60, [1] * 50 + [0] * 10, [0.9], 0.1, 0.1)

    assert (few.threshold, wrong.threshold) == (None, None)
    assert "30 labels at the most, 44 needed" in str(few.reason)
    assert "10 of 60 labels are wrong" in str(wrong.reason)
    assert certify([], [], [0.5], 0.1).threshold is None


def test_weights_are_walked_with_their_own_test() -> None:
    """Equal weights prove less than the exact test, never more; a rare stratum of heavy errors takes the certificate away."""
    scores, right = labelled([0, 0, 2], [60, 150, 400], [0.9, 0.8, 0.7])
    even = certify(scores, right, [0.9, 0.8, 0.7], 0.1, weights=np.ones(400), weight_bound=1)
    heavy = np.where(np.array(right) == 1, 1, 25)
    uneven = certify(scores, right, [0.9, 0.8, 0.7], 0.1, weights=heavy, weight_bound=25)

    assert (even.threshold, even.n, even.errors, even.precision_low) == (0.7, 400, 2, None)
    assert even.p_value == hoeffding_bentkus(1 - np.array(right), 0.1)
    assert uneven.threshold is None
    with pytest.raises(ValueError, match="weights need their bound"):
        certify(scores, right, [0.9], 0.1, weights=heavy)


def test_the_cut_passes_exactly_the_certified_scores() -> None:
    """Score > cut and score >= t are one set for every number, its neighbours included."""
    for t in (0.5, 1.0, 0.1 + 0.2, 1e-300, 0.0):
        cut = cut_below(t)
        for score in (t, math.nextafter(t, 2), math.nextafter(t, -1), 0.0, 0.5, 1.0):
            assert (score > cut) == (score >= t)
        assert float(repr(cut)) == cut


def test_losses_turn_weights_into_one_bounded_mean() -> None:
    """Weights 1 and the bound 1: errors of what passes, `risk` elsewhere; in general their mean is risk + H / bound."""
    rng = np.random.default_rng(4)
    right, passes, weights = rng.integers(0, 2, 200), rng.random(200) < 0.6, rng.uniform(0.2, 5, 200)
    plain, weighted = (weighted_losses(right, w, passes, 0.1, b) for w, b in ((np.ones(200), 1), (weights, 5)))

    assert plain.tolist() == np.where(passes, 1 - right, 0.1).tolist()
    expected = 0.1 + np.mean(weights * passes * (1 - right - 0.1)) / 5
    assert weighted.mean() == pytest.approx(expected)
    assert ((weighted >= 0) & (weighted <= 1)).all()


def test_hoeffding_bentkus_is_its_formula() -> None:
    """Both bounds by scipy, for binary and fractional losses; 1 where the mean is above the risk."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        n, risk = int(rng.integers(5, 300)), float(rng.uniform(0.03, 0.4))
        losses = rng.random(n) ** 4 * rng.uniform(0.1, 1)
        mean = min(float(losses.mean()), risk)
        divergence = stats.entropy([mean, 1 - mean], [risk, 1 - risk])
        tail = math.e * stats.binom.cdf(math.ceil(losses.sum()), n, risk)
        assert hoeffding_bentkus(losses, risk) == pytest.approx(min(1, math.exp(-n * divergence), tail), rel=1e-6)
    assert hoeffding_bentkus(np.ones(20), 0.1) == 1.0
    assert hoeffding_bentkus(np.zeros(50), 0.1) == pytest.approx(0.9**50)


def test_betting_is_its_recursion_and_no_sharper_than_the_exact_test_by_much() -> None:
    """The gambler's purse, bet by bet, each stake from the past alone; p is 1 / the fullest purse."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        n, risk = int(rng.integers(20, 120)), 0.15
        losses, purse, fullest, seen = rng.random(n) * 0.25, 1.0, 1.0, list[float]()
        past, squares = 0.25, 0.0
        for loss in losses:
            stake = min(math.sqrt(2 * math.log(10) / (n * past)), 0.75 / (1 - risk))
            purse *= 1 + stake * (risk - loss)
            fullest = max(fullest, purse)
            seen.append(loss)
            squares += (loss - (0.5 + sum(seen)) / (len(seen) + 1)) ** 2
            past = (0.25 + squares) / (len(seen) + 1)
        assert betting(losses, risk) == pytest.approx(1 / fullest, rel=1e-9)
    assert betting(np.full(40, 0.9), 0.1) == 1.0


def test_betting_is_sharper_where_losses_vary_little() -> None:
    """Three hundred losses of .05 to .07 against a risk of .1."""
    losses = 0.05 + 0.02 * np.random.default_rng(7).random(300)

    assert betting(losses, 0.1) < hoeffding_bentkus(losses, 0.1)


def test_what_cannot_be_tested_is_refused() -> None:
    """With a message that says what to give."""
    for call, message in (
        (lambda: fewest_labels(0, 0.1), "between 0 and 1"),
        (lambda: binomial_p_values([3], [2], 0.1), "a part and its whole"),
        (lambda: precision_lower_bound(3, 2), "3 errors of 2"),
        (lambda: certify([0.5], [0.5], [0.5], 0.1), "one score and one label"),
        (lambda: certify([0.5], [1], [0.5, 0.6], 0.1), "strictest first"),
        (lambda: weighted_losses([1], [3.0], [True], 0.1, 2.0), "from the design"),
        (lambda: weighted_losses([1, 0], [1.0], [True], 0.1, 2.0), "one of each"),
        (lambda: hoeffding_bentkus([], 0.1), "at least one"),
        (lambda: betting([1.5], 0.1), "in \\[0, 1\\]"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.slow
def test_the_certificate_keeps_its_word_and_a_naive_choice_does_not() -> None:
    """200 labels, P(right | s) rising through .9: false certificates in at most 10 %, of the naive lowest t in over 20 %."""
    rng, repetitions = np.random.default_rng(8), 2000
    everything = np.sort(rng.random(200_000))
    chance = 0.55 + 0.45 * everything
    precision = np.cumsum(chance[::-1])[::-1] / np.arange(everything.size, 0, -1)
    thresholds = grid(everything)
    true = precision[np.searchsorted(everything, thresholds)]
    false, naive, found = 0, 0, 0
    for _ in range(repetitions):
        picked = rng.integers(0, everything.size, 200)
        s, right = everything[picked], (rng.random(200) < chance[picked]).astype(int)
        one = certify(s, right, thresholds, 0.1, 0.1)
        found += one.threshold is not None
        false += one.threshold is not None and true[thresholds == one.threshold][0] < 0.9
        share = [right[s >= t].mean() if (s >= t).any() else 0 for t in thresholds]
        good = np.flatnonzero(np.array(share) >= 0.9)
        naive += good.size > 0 and true[good[-1]] < 0.9

    assert false / repetitions <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / repetitions)
    assert naive / repetitions > 0.2
    assert found / repetitions > 0.2


@pytest.mark.slow
def test_weighted_certificates_keep_their_word() -> None:
    """Poisson draws that favour low scores, P(right | s) rising: weighted false certificates in at most 10 %.

    Above t the unweighted labels look worse than the traffic; of the 900 or so drawn enough pass for some to be certified.
    """
    rng, repetitions, found, false = np.random.default_rng(10), 400, 0, 0
    everything = np.sort(rng.random(20_000))
    chance = 0.6 + 0.4 * everything
    thresholds = grid(everything)
    inclusion = 0.06 - 0.03 * everything
    for _ in range(repetitions):
        right = rng.random(everything.size) < chance
        rows = rng.random(everything.size) < inclusion
        one = certify(
            everything[rows], right[rows], thresholds, 0.1, weights=1 / inclusion[rows], weight_bound=1 / 0.03
        )
        found += one.threshold is not None
        false += one.threshold is not None and right[everything >= one.threshold].mean() < 0.9

    assert false / repetitions <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / repetitions)
    assert found / repetitions > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("is_stratified", [False, True])
def test_weighted_p_values_are_valid_at_the_boundary(is_stratified: bool) -> None:
    """The risk above t is exactly .1, strata are sampled at unequal rates: p <= .1 in at most 10 % of the samples.

    Two halves of the traffic, each of half weight above t: errors of 16 % and 4 %, labelled 60 and 240 times.
    """
    rng, repetitions, risk = np.random.default_rng(9), 2000, 0.1
    tests = (hoeffding_bentkus,) if is_stratified else (hoeffding_bentkus, betting)
    hits = dict.fromkeys(tests, 0)
    for _ in range(repetitions):
        first = np.arange(300) < 60 if is_stratified else rng.random(300) < 0.2
        weights = np.where(first, 0.5 / 0.2, 0.5 / 0.8)
        right = (rng.random(300) >= np.where(first, 0.16, 0.04)).astype(int)
        losses = weighted_losses(right, weights, rng.random(300) < 0.5, risk, 2.5)
        for test in tests:
            hits[test] += test(losses, risk) <= 0.1

    assert max(hits.values()) / repetitions <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / repetitions)
