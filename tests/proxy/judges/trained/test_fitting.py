"""The constrained fit and the choice of its shrinkage, on made tables whose answer is known: no text, no judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from proxy.judges.trained.fitting import fit
from proxy.judges.trained.pairs import PairKind
from proxy.judges.trained.shrinkage import TeachingRows, chosen_shrinkage

N = 400
NEAR, FAR = PairKind.CHANGED_ANSWER, PairKind.OTHER_ANSWER


def made(seed: int, moves: dict[PairKind, tuple[float, ...]], n: int = N) -> TeachingRows:
    """Positives at 0 and each kind of negative moved by these means, all with variance 1: the first column is the offline judge."""
    rng = np.random.default_rng(seed)
    kinds = [PairKind.OWN] * n + [kind for kind in moves for _ in range(n // len(moves))]
    means = np.array([moves.get(kind, (0.0,) * len(next(iter(moves.values())))) for kind in kinds])
    table: NDArray[np.float64] = rng.normal(size=means.shape) + means
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    labels = np.array([kind is PairKind.OWN for kind in kinds])
    return TeachingRows(table, labels, kinds, np.arange(len(kinds)) % (len(kinds) // 2))


def test_without_bounds_it_is_the_ridge_of_scikit_learn() -> None:
    """With r = 1 / n every weight has the penalty 1: LogisticRegression at C = 1 with balanced classes."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    rows = made(1, {NEAR: (-1.0, -0.5, 0.4), FAR: (-2.0, 0.1, 0.3)}, 120)
    fitted = fit(rows.table, rows.labels, (0, 0, 0), 1 / len(rows.labels))
    theirs = linear_model.LogisticRegression(
        class_weight="balanced", tol=1e-12, max_iter=10_000, solver="newton-cholesky"
    )
    theirs.fit(rows.table, rows.labels)

    assert fitted.weights == pytest.approx(theirs.coef_[0], abs=1e-6)
    assert fitted.intercept == pytest.approx(float(theirs.intercept_[0]), abs=1e-6)
    assert fitted.weights[2] < 0  # a bound at 0 would hold it


@pytest.mark.parametrize("shrinkage", [0.001, 0.1, 1.0])
def test_the_fit_meets_the_conditions_of_a_minimum(shrinkage: float) -> None:
    """Karush-Kuhn-Tucker: the gradient is 0 where a weight is free, and points out of bounds where it lies on its bound."""
    rows = made(2, {NEAR: (-1.0, -0.5, 0.4, -0.3), FAR: (-2.0, 0.1, 0.3, -0.3)})
    fitted = fit(rows.table, rows.labels, (1, 1, 1, -1), shrinkage)
    n, y = len(rows.labels), rows.labels.astype(float)
    weight = np.where(rows.labels, n / (2 * y.sum()), n / (2 * (1 - y).sum()))
    p = 1 / (1 + np.exp(-fitted.log_odds(rows.table)))
    penalties = np.array([1.0, *[n * shrinkage] * 3])
    gradient = rows.table.T @ (weight * (p - y)) + penalties * fitted.weights

    assert gradient[:2] == pytest.approx(0, abs=1e-5)
    assert fitted.weights[2] == 0
    assert gradient[2] > 0  # below 0 it would fit better, and may not
    assert fitted.weights[3] == 0
    assert gradient[3] < 0
    assert float((weight * (p - y)).sum()) == pytest.approx(0, abs=1e-5)


def test_without_bound_the_offline_judge_alone_counts() -> None:
    rows = made(3, {NEAR: (-1.0, -3.0), FAR: (-1.0, -3.0)})
    fitted = fit(rows.table, rows.labels, (1, 1), math.inf)

    assert fitted.weights[0] > 0
    assert fitted.weights[1] == 0


def test_a_feature_that_helps_on_every_kind_of_fault_counts() -> None:
    """The offline judge moves by one deviation, the feature by two: both kinds of fault are told by it."""
    rows = made(4, {NEAR: (-1.0, -2.0), FAR: (-1.0, -2.0)})

    assert chosen_shrinkage(rows, (1, 1)) < 0.1


def test_a_feature_that_helps_on_one_kind_of_fault_and_harms_on_another_does_not() -> None:
    """Free weights fitted to both kinds would use it: on the left-out kind it points the other way."""
    rows = made(5, {NEAR: (-1.0, -3.0), FAR: (-1.0, 2.0)})

    assert math.isinf(chosen_shrinkage(rows, (1, 1)))


def test_a_feature_of_chance_is_not_taken() -> None:
    """Of 20 tables with a feature that says nothing at most 3 leave the offline judge: each does by a one-sided test of 5 %.

    P(more than 3 of 20 at .05) = .016; a table is tried at four shrinkages, whose gains hang together.
    """
    left = [chosen_shrinkage(made(seed, {NEAR: (-1.0, 0.0), FAR: (-1.0, 0.0)}, 100), (1, 1)) for seed in range(20)]

    assert sum(map(math.isfinite, left)) <= 3


def test_one_kind_of_fault_cannot_show_anything() -> None:
    rows = made(6, {NEAR: (-1.0, -2.0)})

    assert math.isinf(chosen_shrinkage(rows, (1, 1)))
