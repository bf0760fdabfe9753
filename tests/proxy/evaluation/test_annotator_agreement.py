"""How far annotators agree: coefficients against other implementations and by hand, and when labels are no yardstick."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from proxy.evaluation.annotator_agreement import (
    NOBODY,
    AnnotatorAgreement,
    Reading,
    Reliability,
    agreement_between,
    freed_of_noise,
)
from proxy.evaluation.estimate import Estimate
from proxy.records import Judgement
from support.raters import THREE_RATERS, Numbers

RIGHT, WRONG, UNSURE = Judgement


def readings(table: Numbers) -> list[Reading]:
    """Items x annotators of 1, 0 and nan as readings."""
    return [
        Reading(item, f"annotator {annotator}", RIGHT if table[item, annotator] else WRONG)
        for item, annotator in np.argwhere(~np.isnan(table)).tolist()
    ]


def two_annotators(both_right: int, differ: int, both_wrong: int) -> list[Reading]:
    """Two annotators; where they differ, each is the one who says right in turn."""
    rows = [(1, 1)] * both_right + [(k % 2, 1 - k % 2) for k in range(differ)] + [(0, 0)] * both_wrong
    return readings(np.array(rows, dtype=np.float64))


def coins(seed: int, items: int) -> Numbers:
    """Two annotators who toss a coin each."""
    return np.random.default_rng(seed).integers(0, 2, (items, 2)).astype(np.float64)


@pytest.mark.parametrize(
    "given",
    [
        [],
        [Reading(1, "ann", RIGHT), Reading(2, "bob", WRONG)],
        [Reading(1, "ann", RIGHT), Reading(1, "ann", WRONG)],
        [Reading(1, "ann", RIGHT), Reading(1, "bob", UNSURE)],
    ],
    ids=["none", "apart", "one annotator twice", "unsure"],
)
def test_without_two_readings_of_an_item_nothing_is_known(given: Sequence[Reading]) -> None:
    """No number, the reason says what to do, and nothing is warned of."""
    agreement = agreement_between(given)

    for estimate in (agreement.agreement, agreement.alpha, agreement.ac1, agreement.error):
        assert (estimate.estimate, estimate.low, estimate.high, estimate.reason) == (None, None, None, NOBODY)
    assert (agreement.n, agreement.prevalence, agreement.pairs) == (0, None, ())
    assert agreement.ceiling.estimate is agreement.kappa_ceiling.estimate is None
    assert (agreement.reliability, agreement.warning) == (Reliability.UNKNOWN, None)
    assert "second annotator" in NOBODY
    assert freed_of_noise(Estimate(estimate=0.8, low=0.7, high=0.9), agreement.noise).estimate is None


def shares_of(table: Numbers) -> tuple[float, float]:
    """By definition: the agreeing pairs of each item, averaged over items, and the share of right, averaged likewise."""
    rows = [row[~np.isnan(row)] for row in table]
    pairs = [[label == earlier for k, label in enumerate(row) for earlier in row[:k]] for row in rows if len(row) > 1]
    return float(np.mean([np.mean(pair) for pair in pairs])), float(np.mean([row.mean() for row in rows]))


@pytest.mark.slow
def test_three_annotators_with_blanks_give_the_published_alpha() -> None:
    """Alpha .55 of ten items; agreement, AC1 = (a - 2 p (1 - p)) / (1 - 2 p (1 - p)) and each pair by definition."""
    agreement = agreement_between(readings(THREE_RATERS))
    agreed, share = shares_of(THREE_RATERS)
    chance = 2 * share * (1 - share)

    assert agreement.n == agreement.alpha.n == agreement.ac1.n == 10
    assert agreement.alpha.estimate == pytest.approx(0.55, abs=1e-9)
    assert agreement.agreement.estimate == pytest.approx(agreed, abs=1e-12)
    assert agreement.prevalence == pytest.approx(share, abs=1e-12)
    assert agreement.ac1.estimate == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)
    wilson = proportion_confint(agreed * 10, 10, method="wilson")
    assert (agreement.agreement.low, agreement.agreement.high) == pytest.approx(wilson, abs=1e-9)
    assert [(question_pair.first, question_pair.second) for question_pair in agreement.pairs] == [
        *(("annotator 0", "annotator 1"), ("annotator 0", "annotator 2"), ("annotator 1", "annotator 2"))
    ]
    for pair, columns in zip(agreement.pairs, ([0, 1], [0, 2], [1, 2]), strict=True):
        both = THREE_RATERS[:, columns]
        both = both[~np.isnan(both).any(axis=1)]
        table = [[int(((both[:, 0] == a) & (both[:, 1] == b)).sum()) for b in (0, 1)] for a in (0, 1)]
        assert pair.n == len(both)
        assert pair.agreement == pytest.approx((both[:, 0] == both[:, 1]).mean(), abs=1e-12)
        assert pair.kappa == pytest.approx(cohens_kappa(np.array(table)).kappa, abs=1e-12)


@pytest.mark.slow
def test_the_last_word_of_an_annotator_counts() -> None:
    """An annotator's earlier word on an item is no reading, nor is the order of annotators anything."""
    given = readings(THREE_RATERS)
    earlier = [reading._replace(judgement=WRONG if reading.judgement is RIGHT else RIGHT) for reading in given]

    assert agreement_between([*earlier, *given]) == agreement_between(given)
    assert agreement_between(sorted(given, key=lambda annotation: annotation.annotator)[::-1]) == agreement_between(
        given
    )


@pytest.mark.slow
def test_annotators_who_toss_coins_are_unreliable() -> None:
    """300 items: alpha's lower end is above 0 in 2.5 % of the cases, so at most 2 of 10 are let pass."""
    agreements = [agreement_between(readings(coins(seed, 300))) for seed in range(10)]
    caught = [measured for measured in agreements if measured.reliability is Reliability.UNRELIABLE]

    assert len(caught) >= 8
    for agreement in caught:
        assert agreement.warning is not None
        assert "the labels are unreliable" in agreement.warning
        assert f"{agreement.n} items read twice" in agreement.warning


@pytest.mark.slow
@pytest.mark.parametrize("both_right", range(12))
def test_eleven_of_twelve_alike_are_never_called_unreliable(both_right: int) -> None:
    """Wherever the one disagreement falls: [.65, .99] of the pairs agree, which is no chance."""
    agreement = agreement_between(two_annotators(both_right, 1, 11 - both_right))

    assert agreement.agreement.estimate == pytest.approx(11 / 12)
    assert agreement.reliability is not Reliability.UNRELIABLE
    assert "unreliable" not in (agreement.warning or "")


@pytest.mark.slow
def test_the_kappa_paradox_is_not_unreliable() -> None:
    """285 of 300 both right, 15 split: alpha = 1 - 599 x 30 / (2 x 585 x 15) is below 0, AC1 above .9, so read AC1."""
    agreement = agreement_between(two_annotators(285, 15, 0))
    share = 585 / 600
    chance = 2 * share * (1 - share)

    assert agreement.alpha.estimate == pytest.approx(1 - 599 * 30 / (2 * 585 * 15), abs=1e-12)
    assert agreement.alpha.estimate < 0
    assert agreement.ac1.estimate == pytest.approx((0.95 - chance) / (1 - chance), abs=1e-12)
    assert agreement.reliability is Reliability.GOOD
    assert agreement.warning is not None
    assert "nearly all annotations say right" in agreement.warning
    assert "AC1" in agreement.warning
    assert "say wrong" in (agreement_between(two_annotators(0, 15, 285)).warning or "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "reliability"),
    [
        (two_annotators(4, 1, 4), Reliability.UNKNOWN),
        (two_annotators(300, 0, 0), Reliability.UNKNOWN),
        (two_annotators(140, 20, 140), Reliability.GOOD),
        (two_annotators(110, 80, 110), Reliability.WEAK),
        (two_annotators(6, 3, 3), Reliability.OPEN),
        (two_annotators(50, 200, 50), Reliability.UNRELIABLE),
    ],
    ids=["nine items", "one word", "alpha .87", "alpha .47", "twelve items, alpha .4", "worse than chance"],
)
def test_what_alpha_says_of_the_labels(given: Iterable[Reading], reliability: Reliability) -> None:
    """Fewer than ten items or one word only say nothing; .667 is the floor; an interval that holds 0 is open or worse."""
    agreement = agreement_between(given)

    assert agreement.reliability is reliability
    assert (agreement.warning is None) is (reliability in {Reliability.UNKNOWN, Reliability.GOOD})


def misread() -> AnnotatorAgreement:
    """Annotators who each err on one in ten when nine in ten are right: 73 both right, 18 split, 9 both wrong.

    .81 + .01 = .82 agree, and .9 x .9 + .1 x .1 = .82 of the readings say right.
    """
    return agreement_between(two_annotators(73, 18, 9))


@pytest.mark.slow
def test_the_ceiling_of_kappa_goes_by_the_true_prevalence() -> None:
    """E = .1, truth (.82 - .1) / .8 = .9: a perfect proxy agrees in .9, by chance in .9 x .82 + .1 x .18, so kappa is .59."""
    agreement = misread()
    chance = 0.9 * 0.82 + 0.1 * 0.18

    assert (agreement.agreement.estimate, agreement.prevalence) == pytest.approx((0.82, 0.82), abs=1e-12)
    assert agreement.error.estimate == pytest.approx(0.1, abs=1e-9)
    assert agreement.ceiling.estimate == pytest.approx(0.9, abs=1e-9)
    assert agreement.kappa_ceiling.estimate == pytest.approx((0.9 - chance) / (1 - chance), abs=1e-9)
    assert agreement.kappa_ceiling.estimate == pytest.approx(0.59, abs=0.001)


def test_the_ceilings_have_the_ends_of_the_error_that_they_come_from() -> None:
    """Both fall as an annotator errs more: Wilson's ends for .82 of 100 are .733 and .883, so e lies in (.062, .159)."""
    measured = misread()
    error, ceiling, kappa = measured.error, measured.ceiling, measured.kappa_ceiling

    assert (error.low, error.high) == pytest.approx((0.0622, 0.1586), abs=1e-3)
    assert (ceiling.low, ceiling.high) == pytest.approx((1 - 0.1586, 1 - 0.0622), abs=1e-3)
    for end, wrong in ((kappa.low, 0.1586), (kappa.high, 0.0622)):
        right = (0.82 - wrong) / (1 - 2 * wrong)
        chance = right * 0.82 + (1 - right) * 0.18
        assert end == pytest.approx((1 - wrong - chance) / (1 - chance), abs=2e-3)
    assert ceiling.n == kappa.n == 100


def test_a_ceiling_that_may_be_that_of_coins_reaches_down_to_chance() -> None:
    """Of ten items annotators agree on seven: their error may be one half, and kappa 0."""
    measured = agreement_between(two_annotators(5, 3, 2))

    assert measured.kappa_ceiling.low == 0.0
    assert measured.kappa_ceiling.estimate is not None


@pytest.mark.slow
def test_a_rate_is_freed_of_the_errors_of_its_annotators() -> None:
    """82 % as single annotators see it is (.82 - .1) / .8 = .9 in truth; errors that are estimates widen the interval."""
    rate = Estimate(estimate=0.82, low=0.78, high=0.86, n=400, method="m")
    estimate = freed_of_noise(rate, misread().noise)

    assert estimate.estimate == pytest.approx(0.9, abs=1e-9)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < (0.78 - 0.1) / 0.8
    assert estimate.high > (0.86 - 0.1) / 0.8
    assert (estimate.n, estimate.reason) == (400, None)
    assert estimate.method.startswith("m; freed of annotator error")


@pytest.mark.slow
def test_a_rate_that_cannot_be_freed_says_why() -> None:
    """Coin-flip annotators leave nothing to correct; a rate that is not known stays as it was."""
    unknown = Estimate(estimate=None, reason="no label yet")
    lost = freed_of_noise(Estimate(estimate=0.5, low=0.4, high=0.6), agreement_between(two_annotators(5, 10, 5)).noise)

    assert freed_of_noise(unknown, misread().noise) is unknown
    assert lost.estimate is None
    assert "labels unreliable" in str(lost.reason)
