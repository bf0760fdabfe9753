"""The predictor: folds that no label decides, no label that predicts its own question, and sense on poor data."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from proxy.evaluation import predictor
from proxy.evaluation.levels import LEVELS, SHARES, levels_of
from proxy.evaluation.predictor import FOLDS, FoldModel, PredictorScores, fit, fold_of
from proxy.stats.calibration.logistic import normal_scores

COLUMNS = ("rule", "a", "b")


def known(rng: np.random.Generator, n: int = 200, width: int = 3) -> tuple[PredictorScores, np.ndarray]:
    """Scores of `n` items of as many questions, and labels that go with the second column."""
    table = rng.random((n, width))
    right = (rng.random(n) < table[:, 1]).astype(float)
    return PredictorScores(table, np.array([fold_of(f"q{k}") for k in range(n)])), right


def whole(table: np.ndarray, right: np.ndarray) -> FoldModel:
    """The model of a fold that has no label of its own."""
    return fit((), PredictorScores(table, np.ones(len(table), dtype=np.intp)), right).models[0]


def test_a_fold_is_that_of_the_question_for_ever() -> None:
    """Known values, so that a changed hash is noticed; all folds about as large."""
    folds = [fold_of(f"q{k}") for k in range(5_000)]

    assert folds[:8] == [0, 7, 0, 1, 9, 2, 6, 3]
    assert np.bincount(folds, minlength=FOLDS).min() > 0.8 * 5_000 / FOLDS
    assert fold_of("\ud800 broken") in range(FOLDS)


@pytest.mark.parametrize("seed", range(3))
def test_no_label_predicts_its_own_fold(seed: int) -> None:
    """All labels of a fold turned round: what is predicted of that fold's items stays, of the others it changes."""
    rng = np.random.default_rng(seed)
    scores, right = known(rng)
    own = scores.fold == 3
    before = fit(COLUMNS, scores, right).predict(scores)
    after = fit(COLUMNS, scores, np.where(own, 1 - right, right)).predict(scores)

    assert (before[own] == after[own]).all()
    assert (before[~own] != after[~own]).any()


def test_the_model_is_a_ridge_regression_on_normal_scores() -> None:
    """scikit-learn's on the same columns; with labels enough nothing is held back."""
    rng = np.random.default_rng(4)
    scores, right = known(rng, 400)
    ranked = np.column_stack([normal_scores(np.ones(400))[np.argsort(np.argsort(column))] for column in scores.table.T])
    oracle = LogisticRegression(C=1 / predictor.PENALTY, tol=1e-10, max_iter=10_000).fit(ranked, right)

    assert whole(scores.table, right).predict(scores.table) == pytest.approx(
        oracle.predict_proba(ranked)[:, 1], abs=2e-3
    )


def test_few_labels_leave_the_value_of_the_rule() -> None:
    """The same evidence for both columns: with 20 labels the second counts for less than with 400, beside the first."""

    def beside(n: int) -> float:
        rng = np.random.default_rng(5)
        right = rng.random(n) < 0.5
        table = rng.normal(size=(n, 2)) + right[:, None]
        slopes = whole(table, right.astype(float)).slopes
        return float(slopes[1] / slopes[0])

    assert beside(20) < 0.5 * beside(400)


@pytest.mark.parametrize("change", [np.exp, np.cbrt, lambda x: x * 1e-9])
def test_no_monotone_change_of_a_scale_changes_what_is_predicted(change: np.ufunc) -> None:
    """Only the order of the values that were seen counts."""
    scores, right = known(np.random.default_rng(6))
    changed = PredictorScores(change(scores.table), scores.fold)

    assert whole(changed.table, right).predict(changed.table) == pytest.approx(
        whole(scores.table, right).predict(scores.table), abs=1e-9
    )


def hostile(kind: str) -> tuple[PredictorScores, np.ndarray]:
    """Scores and labels that break a careless regression."""
    rng = np.random.default_rng(7)
    scores, right = known(rng, 60)
    table = scores.table
    if kind == "separable":
        right = (table[:, 1] > 0.5).astype(float)
    elif kind == "all right":
        right[:] = 1.0
    elif kind == "one wrong":
        right[:] = 1.0
        right[0] = 0.0
    elif kind == "constant":
        table[:] = 0.5
    elif kind == "doubled":
        table[:, 2] = table[:, 1]
    elif kind == "missing":
        table[rng.random(table.shape) < 0.6] = np.nan
    elif kind == "no score":
        table[:] = np.nan
    elif kind == "no column":
        scores = PredictorScores(table[:, :0], scores.fold)
    elif kind == "one label":
        scores, right = PredictorScores(table[:1], scores.fold[:1]), right[:1]
    return scores, right


@pytest.mark.parametrize(
    "kind",
    ["separable", "all right", "one wrong", "constant", "doubled", "missing", "no score", "no column", "one label"],
)
def test_poor_data_are_predicted_within_0_and_1(kind: str) -> None:
    """No nan, no warning, no certainty; twice the same."""
    scores, right = hostile(kind)
    every = PredictorScores(
        np.vstack([scores.table, np.full((1, scores.table.shape[1]), np.nan)]), np.append(scores.fold, 0)
    )
    with np.errstate(all="raise", under="ignore"):
        made = fit(COLUMNS, scores, right)
        predicted = made.predict(every)

    assert np.isfinite(predicted).all()
    assert predicted.min() > 0
    assert predicted.max() < 1
    assert fit(COLUMNS, scores, right).signature == made.signature


def test_that_a_score_is_missing_says_something() -> None:
    """Wrong answers are those that a judge could not score: the gap predicts."""
    rng = np.random.default_rng(8)
    right = (rng.random(300) < 0.5).astype(float)
    table = np.column_stack([rng.random(300), np.where(right == 1, rng.random(300), np.nan)])
    predicted = whole(table, right).predict(table)

    assert predicted[right == 1].min() > 0.8
    assert predicted[right == 0].max() < 0.2


def test_a_level_stands_for_what_was_predicted() -> None:
    """Even steps of the arcsine: within .025 everywhere, within .005 where nearly all are right."""
    shares = np.linspace(0, 1, 2_001)
    levels = levels_of(shares)

    assert (np.diff(levels.astype(int)) >= 0).all()
    assert set(levels.tolist()) == set(range(LEVELS))
    assert np.abs(SHARES[levels] - shares).max() < 0.025
    assert np.abs(SHARES[levels] - shares)[shares > 0.99].max() < 0.005
