"""The learned rule: roles that no label decides, the regression it writes down, its threshold, and the bound for all looks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score

from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.learned_rule import NotLearned, is_training_unit, learn
from proxy.evaluation.predictor import PENALTY
from proxy.evaluation.rule_comparison import PairedLabels
from proxy.evaluation.rule_contrast import TIGHTEST_AT, contrast
from proxy.rule import Rule, evaluate, percentile_knots
from proxy.stats.calibration.normal_scale import NormalScale
from proxy.stats.intervals import quantile
from proxy.stats.sampling.clusters import Ways
from proxy.stats.testing.paired_rules import difference_of_rules
from proxy.stats.testing.sequential import change_below, confidence_of_a_look

JUDGES = [JudgeKey(judge=name, signature="1") for name in ("good", "noise")]
Scores = dict[tuple[str, str], np.ndarray]


def known(n: int = 400, gaps: float = 0.0) -> tuple[Scores, np.ndarray]:
    rng = np.random.default_rng(3)
    right = (rng.random(n) < 0.7).astype(float)
    good, noise = ndtr(rng.normal(size=n) + 2 * (right - 0.5)), rng.random(n)
    good[rng.random(n) < gaps * (1 - right)] = np.nan
    return {("good", "1"): good, ("noise", "1"): noise}, right


def learned(scores: Scores, right: np.ndarray, weight: np.ndarray | None = None) -> Rule | NotLearned:
    percentiles = {judge: percentile_knots(values[~np.isnan(values)]) for (judge, _), values in scores.items()}
    return learn(JUDGES, percentiles, scores, right, np.ones(len(right)) if weight is None else weight)


def test_a_question_has_its_role_for_ever() -> None:
    """Known values, so that a changed hash is noticed; half of the questions teach."""
    roles = [is_training_unit(f"q{number}") for number in range(4_000)]

    assert roles[:8] == [False, True, False, True, False, True, False, False]
    assert abs(sum(roles) - 2_000) < 4 * 4_000**0.5 / 2


def test_the_rule_is_the_regression_that_it_prints() -> None:
    """scikit-learn's on the same normal scores, to the three digits that are printed; what is printed is what is evaluated."""
    scores, right = known()
    made = learned(scores, right)
    assert isinstance(made, Rule)
    columns = np.column_stack(
        [NormalScale.of_percentiles(percentile_knots(values)).of(values) for values in scores.values()]
    )
    oracle = LogisticRegression(C=1 / PENALTY, tol=1e-10, max_iter=10_000).fit(columns, right)

    assert evaluate(made, scores, len(right))[1] == pytest.approx(oracle.predict_proba(columns)[:, 1], abs=2e-3)
    assert made.is_calibrated


def test_a_gap_has_a_coefficient_of_its_own() -> None:
    """Only wrong answers lack the score: an item without it is predicted wrong, and still has a verdict."""
    made = learned(*known(gaps=0.5))
    assert isinstance(made, Rule)
    assert "missing(good)" in made.expression
    value = evaluate(made, {("good", "1"): np.array([np.nan]), ("noise", "1"): np.array([0.5])}, 1)[1]

    assert 0 < value[0] < 0.3


@pytest.mark.slow
def test_the_threshold_is_where_the_expected_kappa_is_highest() -> None:
    """Oracle: scikit-learn's kappa over every cut, each item once as right with weight p and once as wrong with 1 - p."""
    scores, right = known(120)
    weight = np.random.default_rng(1).choice([1.0, 3.0], 120)
    made = learned(scores, right, weight)
    assert isinstance(made, Rule)
    values = evaluate(made, scores, 120)[1]

    def expected(threshold: float) -> float:
        passed = (values > threshold).astype(int)
        truth = np.repeat([1, 0], 120)
        both = np.concatenate([weight * values, weight * (1 - values)])
        return float(cohen_kappa_score(truth, np.tile(passed, 2), sample_weight=both))

    assert expected(made.threshold) == pytest.approx(max(map(expected, np.sort(values)[:-1])), abs=1e-3)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("all right", NotLearned.ONE_KIND),
        ("no label", NotLearned.NO_JUDGE),
        ("constant", NotLearned.NO_SLOPE),
        ("only gaps tell", NotLearned.ONE_VALUE),
        ("separable", None),
        ("doubled", None),
    ],
)
def test_poor_labels_teach_nothing_or_sense(kind: str, reason: NotLearned | None) -> None:
    """No crash and no nan: the reason where nothing can be told apart."""
    scores, right = known(60)
    if kind == "all right":
        right[:] = 1
    elif kind == "no label":
        scores, right = {pair: values[:0] for pair, values in scores.items()}, right[:0]
    elif kind == "constant":
        scores = {pair: np.full(60, 0.5) for pair in scores}
    elif kind == "only gaps tell":
        scores = {pair: np.where(right == 1, 0.5, np.nan) for pair in scores}
    elif kind == "separable":
        scores["good", "1"] = (1 + right) / 3
    else:
        scores["noise", "1"] = scores["good", "1"]
    made = learned(scores, right)

    assert made == reason if reason else isinstance(made, Rule)
    if isinstance(made, Rule):
        assert 0 < made.threshold < 1
        assert np.isfinite(evaluate(made, scores, len(right))[1]).all()


@pytest.mark.parametrize("n", [40, 100, 260])
def test_the_confidence_of_a_look_is_that_of_the_sequence(n: int) -> None:
    """One label each, of variance 1: the bound of `change_below` with a rate that was known before, at n labels."""
    sequence = change_below(np.zeros(n), np.ones(n), (0.0, 0.0), tightest_at=TIGHTEST_AT, alpha=0.05)
    z = quantile(confidence=confidence_of_a_look(n, TIGHTEST_AT))

    assert z / n**0.5 == pytest.approx(sequence.high[-1], rel=1e-9)


def test_a_contrast_is_that_of_the_paired_rules_with_a_bound_below() -> None:
    """Vector E of the paired rules, and the bound of its one look; with more rules compared the bound lies lower."""
    right, first, second = (np.array(list(map(float, row))) for row in ("111001010110", "110011010100", "101111000111"))
    ways = Ways.of(np.arange(12) // 2)
    labels = PairedLabels(
        right=right,
        passed=first,
        passed_by_other=second,
        weight=np.array([1, 1, 2, 2, 1, 1, 4, 1, 4, 2, 2, 1.0]),
        ways=ways,
    )
    difference, of_two = contrast(labels), contrast(labels, 2)
    paired = difference_of_rules("kappa", right, first, second, labels.weight, ways)
    df = paired.clusters - 1
    half = quantile(df, confidence_of_a_look(12, TIGHTEST_AT)) * paired.variance**0.5

    assert difference.estimate.estimate == pytest.approx(0.070898, abs=1e-6)
    assert (difference.estimate.low, difference.estimate.high) == pytest.approx((-0.435420, 0.577216), abs=1e-6)
    assert difference.lowest == pytest.approx(0.070898 - half, abs=1e-6)
    assert of_two.lowest is not None
    assert of_two.lowest < difference.lowest < difference.estimate.low
    assert not difference.is_better


def test_rules_that_never_differ_are_not_better() -> None:
    """Without a label that parts them there is no bound, and no zero width."""
    right = np.array([1.0, 0, 1, 0])
    difference = contrast(
        PairedLabels(right=right, passed=right, passed_by_other=right, weight=np.ones(4), ways=Ways.of(np.arange(4)))
    )

    assert (difference.lowest, difference.differ, difference.is_better, difference.draws) == (None, 0, False, None)
