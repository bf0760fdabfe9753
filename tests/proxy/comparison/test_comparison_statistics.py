"""The mean difference of weighted pairs, and means of scores: against the plain forms, scipy, and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from proxy.comparison.graded import GradeScale, ScoredAnswers, compared, scale_of
from proxy.judges.llm.grading import scaled_grade
from proxy.stats.testing.paired import Pairs, bonett_price
from proxy.stats.testing.paired_power import alike, mean_of, paired_difference, powered, weighted_bonett_price, welch


def test_equal_chances_give_the_plain_interval() -> None:
    """[[60,5],[15,20]] at any one chance: Bonett-Price's own ends around the plain .10."""
    differences = [0] * 80 + [-1] * 5 + [1] * 15

    for chance in (1.0, 0.2):
        interval = weighted_bonett_price(differences, np.full(100, chance))
        assert interval.estimate == pytest.approx(0.1)
        assert (interval.low, interval.high) == pytest.approx(bonett_price(Pairs(60, 5, 15, 20))[1:])


def test_unequal_chances_count_as_kish_has_it() -> None:
    """Weights 1 and 3, five pairs each: n = 20^2 / (5 + 45) = 8; two gains of weight 3 are .3 of it."""
    interval = weighted_bonett_price([0] * 5 + [1, 1, 0, 0, 0], [1.0] * 5 + [1 / 3] * 5)
    p2, p1 = (8 * 0.3 + 1) / 10, 1 / 10
    half = stats.norm.ppf(0.975) * np.sqrt((p2 + p1 - (p2 - p1) ** 2) / 10)

    assert interval == pytest.approx((0.3, p2 - p1 - half, p2 - p1 + half))


def test_the_tuned_form_by_hand() -> None:
    """Equal chances: slope = cov(D, d) / var(d), and the estimate is that of the regression line at the mean d of all pairs."""
    rng = np.random.default_rng(1)
    score = rng.uniform(-1, 1, 80)
    difference = np.sign(score) * (rng.random(80) < 0.6)
    slope, intercept = np.polyfit(score, difference, 1)

    interval = powered(difference, score, np.full(80, 0.1), (800, 0.07))

    assert interval.slope == pytest.approx(slope)
    assert interval.difference.estimate == pytest.approx(intercept + slope * 0.07)


@pytest.mark.parametrize("score", [0.0, -1.0])
def test_a_useless_proxy_leaves_the_labels_alone(score: float) -> None:
    """Scores that are constant, or point the wrong way, have slope 0: the reported form is Bonett-Price."""
    difference = np.array([1.0] * 20 + [0.0] * 60)
    scores = score * difference
    contrast_of_rules = paired_difference(difference, scores, np.full(80, 0.5), (160, 0.0))

    assert contrast_of_rules.slope == 0
    assert contrast_of_rules.difference == weighted_bonett_price(difference, np.full(80, 0.5))


def test_a_census_is_not_tuned() -> None:
    """Where every pair is labelled the proxy has nothing to add."""
    difference = np.array([1.0] * 20 + [0.0] * 60)

    assert paired_difference(difference, difference, np.ones(80), (80, 0.25)).slope == 0


@pytest.mark.parametrize("values", [[1.0], [0.0], [-1.0], [1.0] * 60, [0.0] * 60])
def test_labels_that_agree_keep_a_width(values: list[float]) -> None:
    """One pair, or pairs all alike: an interval within [-1, 1] that is not a point."""
    for form in (paired_difference, powered):
        low, high = form(values, np.zeros(len(values)), np.full(len(values), 0.5), (200, 0.0)).difference[1:]
        assert -1 <= low < high <= 1


@pytest.mark.parametrize(
    ("difference", "chances"), [([], []), ([0.5], [0.0]), ([2.0], [1.0]), ([0.0], [1.5]), ([float("nan")], [1.0])]
)
def test_what_is_no_pair_is_refused(difference: list[float], chances: list[float]) -> None:
    """No pairs, a chance of 0 or above 1, a difference beyond 1, or none at all."""
    with pytest.raises(ValueError, match="give"):
        weighted_bonett_price(difference, chances)


def test_means_as_scipy_has_them() -> None:
    """The paired t interval and Welch's are scipy's."""
    rng = np.random.default_rng(2)
    first, second = rng.normal(0, 1, 12), rng.normal(0.5, 2, 9)
    plain = stats.ttest_1samp(first, 0).confidence_interval()
    apart = stats.ttest_ind(second, first, equal_var=False).confidence_interval()

    assert mean_of(first)[1:3] == pytest.approx((plain.low, plain.high))
    assert welch(first, second)[1:3] == pytest.approx((apart.low, apart.high))


@pytest.mark.parametrize("values", [[3.0], [2.0, 2.0, 2.0]])
def test_a_mean_without_spread_has_no_interval(values: list[float]) -> None:
    """One value, or values that are all alike, say nothing of how far others would lie."""
    assert mean_of(values)[1:3] == (None, None)
    assert welch(values, values)[1:3] == (None, None)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 40])
def test_the_bounds_of_values_that_all_agree_hold(n: int) -> None:
    """All n are `value` and the bounds miss the mean in at most 5 %: exactly, for every share s of `value` and any rest.

    The mean s value + (1 - s) rest is missed only where s is below the least share, and then s^n is below alpha / 2.
    """
    for value, rest, share in product((1.0, 3.0, 5.0), (1.0, 2.0, 5.0), np.linspace(0.01, 0.999, 200)):
        low, high = alike(value, n, (1.0, 5.0))
        mean = share * value + (1 - share) * rest
        missed = not low - 1e-12 <= mean <= high + 1e-12
        assert share**n <= 0.025 or not missed
    assert alike(5.0, n, (1.0, 5.0)) == pytest.approx((1 + 4 * 0.025 ** (1 / n), 5.0))


def test_different_questions_of_which_all_agree_are_not_taken_as_known() -> None:
    """Ten grades of 5 against ten of 1: both bounds at 97.5 %, so wider than the span of either at 95 %."""
    sides = tuple(
        {f"{name}{n}": ScoredAnswers([value], frozenset({f"{name}{n}"})) for n in range(10)}
        for name, value in (("a", 0.0), ("b", 1.0))
    )
    gap = compared("correctness", "s", GradeScale(None, float), sides).difference
    rest = 1 - 0.0125 ** (1 / 10)

    assert (gap.estimate, gap.n) == (1.0, 20)
    assert (gap.low, gap.high) == pytest.approx((1 - 2 * rest, 1.0))


def test_answers_of_one_conversation_give_no_interval_of_a_mean() -> None:
    """Grades that differ and share a group: the reason stands in place of the interval; that all agree counts as once."""
    mixed = {f"q{n}": ScoredAnswers([n / 4], frozenset({"g"})) for n in range(4)}
    same = {f"q{n}": ScoredAnswers([1.0], frozenset({"g"})) for n in range(4)}
    result = compared("correctness", "s", GradeScale(None, float), (mixed, same))

    assert result.first.low is None
    assert "independent conversations" in str(result.first.reason)
    assert result.second.low == pytest.approx(0.025)


def test_grades_are_known_from_the_settings_or_from_quarters() -> None:
    """A model's grades are mapped back whatever grade counts as right; a grader's quarters are grades; all else stays in [0, 1]."""
    for least in (4, 5):
        scale = scale_of("correctness", least, [])
        assert [scale.shown(scaled_grade(grade, least)) for grade in range(1, 6)] == pytest.approx([1, 2, 3, 4, 5])
    assert scale_of("correctness", None, [0.0, 0.25, 1.0]).shown(0.25) == 2
    assert scale_of("correctness", None, [0.0, 1.0]).top is None
    assert scale_of("correctness", None, [0.3, 1.0]).top is None
    assert scale_of("faithfulness", None, [0.25, 1.0]).top is None


def by_question(**values: list[float]) -> dict[str, ScoredAnswers]:
    """Scores of one side, each question a group of its own."""
    return {name: ScoredAnswers(value, frozenset({name})) for name, value in values.items()}


def test_grades_by_question() -> None:
    """Answers to one question are averaged; on other questions there are no pairs, and the interval is Welch's."""
    scale = scale_of("correctness", None, [0.25])
    grades = compared("correctness", "s", scale, (by_question(p=[0.0, 1.0], q=[0.5]), by_question(p=[1.0], q=[1.0])))
    apart = compared("correctness", "s", scale, (by_question(p=[0.0], q=[0.5]), by_question(x=[1.0], y=[0.5])))

    assert [(question.first, question.second) for question in grades.questions] == [(3, 5), (3, 5)]
    assert (grades.first.estimate, grades.second.estimate, grades.difference.estimate) == (3, 5, 2)
    assert grades.is_paired
    assert (apart.is_paired, apart.difference.estimate, apart.questions) == (False, 2, [])
    assert apart.difference.low is not None
    assert apart.difference.low >= -4
