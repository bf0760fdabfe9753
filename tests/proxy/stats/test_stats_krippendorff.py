"""Krippendorff's alpha and resampling over items: published values, another implementation, the definition, the edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proxy.stats.agreement.kappa import Tally, ac1, observed_agreement, tally
from proxy.stats.agreement.krippendorff import alpha, resampled
from support.raters import random_ratings, read

# by krippendorff 0.9.0, nominal
FROZEN = [
    ("242/34_/3_2/243/4_2/_33/1_1/1_4/22_/312", 0.0927835052),
    ("334/322/424/221/444/_44/_31/2_2/441/_13/___/__3/22_", 0.3274021352),
    ("1121/2_22/2_2_/1111/_222/22_2/2111/2222/1211/12_2/22_2/_222/2_2_", 0.5816326531),
    ("_2/_3/22/22/_3/12/11/22/21", 0.3125),
    ("_2/33/11/3_/13/11/__/21/_2/31/_1/_1/_3", 0.1538461538),
    ("_213/114_/2322/3_11/3_4_/233_/2222/_1_2/4434/3331/1111/_242/1__1", 0.3181818182),
    ("111_/22__/2112/1_11/222_/2222/__11/1__1/2222/2122/1_22", 0.6071428571),
    ("22_/322/121/_1_/11_/111/111/222/321/2_2/223/22_", 0.4814814815),
]


@pytest.mark.parametrize(("text", "frozen"), FROZEN)
def test_alpha_is_that_of_the_other_implementation(text: str, frozen: float) -> None:
    """Frozen values of matrices with gaps, single ratings and an item nobody rated."""
    assert alpha(tally(read(text))).estimate == pytest.approx(frozen, abs=1e-8)


def test_alpha_is_undefined_where_nothing_was_compared_or_nothing_differs() -> None:
    """None with a reason, not 1: one value only, also where a single rating has another; no item rated twice."""
    same, alone, apart = alpha(tally(read("11/11/11"))), alpha(tally(read("11/11/0_"))), alpha(tally(read("1_/_0")))

    assert (same.estimate, alone.estimate, apart.estimate) == (None, None, None)
    assert "one value" in str(same.reason)
    assert "one value" in str(alone.reason)
    assert "two ratings" in str(apart.reason)


def test_perfect_agreement_on_both_values_is_one() -> None:
    """Nothing disagrees, something could have."""
    assert alpha(tally(read("11/00/11/00"))).estimate == 1.0


@pytest.mark.slow
def test_the_same_generator_gives_the_same_interval_around_the_estimate() -> None:
    """Seeded resampling holds its estimate and narrows with confidence."""
    matrix = random_ratings(np.random.default_rng(13), 2, 3)
    wide, again = (resampled(tally(matrix), alpha, np.random.default_rng(1)) for _ in range(2))
    narrow = resampled(tally(matrix), alpha, np.random.default_rng(1), confidence=0.8)

    assert wide == again
    assert wide.coefficient == alpha(tally(matrix))
    assert wide.interval is not None
    assert narrow.interval is not None
    assert wide.interval.low < narrow.interval.low < alpha(tally(matrix)).estimate < narrow.interval.high  # type: ignore[operator]


@pytest.mark.slow
def test_resampling_is_that_of_rows() -> None:
    """Against resampling the rows of the matrix one by one: the ends agree within the noise of 4000 repetitions."""
    matrix = random_ratings(np.random.default_rng(14), 2, 3)
    rng = np.random.default_rng(15)
    rows = [ac1(tally(matrix[rng.integers(0, 30, 30)])).estimate for _ in range(4000)]
    resampling = resampled(tally(matrix), ac1, np.random.default_rng(16), repetitions=4000)

    assert resampling.interval == pytest.approx(np.quantile(rows, [0.025, 0.975]), abs=0.03)


@pytest.mark.slow
def test_degenerate_resamples_are_counted_and_too_many_end_it() -> None:
    """One disagreement in ten: (9/10)^10 = 35 % of the resamples have one value only. AC1 is defined in all of them."""
    counts = tally(read("/".join(["11"] * 9 + ["10"])))
    kappa_like, gwet = (resampled(counts, coefficient, np.random.default_rng(2)) for coefficient in (alpha, ac1))

    assert kappa_like.interval is None
    assert kappa_like.undefined == pytest.approx(0.9**10, abs=0.04)
    assert "undefined in" in str(kappa_like.reason)
    assert gwet.undefined == 0
    assert gwet.interval is not None


def test_items_that_never_disagree_have_no_interval() -> None:
    """A width of 0 would be a claim that no resampling can make."""
    resampling = resampled(tally(read("11/00/" * 10 + "11")), observed_agreement, np.random.default_rng(3))

    assert (resampling.coefficient.estimate, resampling.interval) == (1.0, None)
    assert "spread" in str(resampling.reason)


def test_an_undefined_coefficient_passes_its_reason_on() -> None:
    """Nothing to resample."""
    resampling = resampled(tally(read("11/11")), alpha, np.random.default_rng(4))

    assert (resampling.interval, resampling.undefined) == (None, 1.0)
    assert "one value" in str(resampling.reason)
    with pytest.raises(ValueError, match="at least 100"):
        resampled(tally(read("11/10")), ac1, np.random.default_rng(4), repetitions=10)


@pytest.mark.slow
def test_resampled_intervals_cover() -> None:
    """Three annotators err in 15 % of 150 items, 65 % right: the truth is the coefficient of the expected tally."""
    rng, repetitions, votes = np.random.default_rng(17), 200, np.arange(4)
    chances = 0.65 * stats.binom.pmf(votes, 3, 0.85) + 0.35 * stats.binom.pmf(votes, 3, 0.15)
    expected = Tally(np.array([0.0, 1.0]), np.stack([3.0 - votes, votes], axis=1), chances * 1e9)
    for coefficient in (alpha, ac1):
        truth, hits = coefficient(expected).estimate, 0
        for _ in range(repetitions):
            right = rng.random((150, 1)) < 0.65
            sample = tally(right ^ (rng.random((150, 3)) < 0.15))
            interval = resampled(sample, coefficient, rng, repetitions=200).interval
            hits += interval is not None and interval.low <= truth <= interval.high
        assert hits / repetitions >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / repetitions)
