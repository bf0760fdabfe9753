"""Predict P(right) of every item from all its scores: whatever it predicts, the estimates that lean on it stay valid.

A ridge-penalised logistic regression, fitted anew for each fold on the labels of the other folds. An item's fold is a keyed
hash of its question, given before any label, so that no label predicts itself or another answer to its own question
(cross-fitting: Chernozhukov et al. 2018, Econometrics Journal 21:C1; Zrnic and Candès 2024, PNAS 121:e2322083121).

The first column is the value of the rule in force. The fewer labels there are, the more the other columns are held back, so
that few labels leave the rule's value; what the predictor is worth after that the estimates find out (`proxy.stats.sampling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.levels import Levels, levels_of
from proxy.stats.calibration.logistic import coefficients, normal_scores
from proxy.stats.calibration.normal_scale import NormalScale

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]

# Chosen: each model is taught by nine tenths of the labels.
FOLDS = 10
# Chosen, and PENALTY and HELD_BACK with them: design/027 has what other values do.
ENOUGH_LABELS, ENOUGH_OF_A_KIND = 80, 15
PENALTY = 0.3
HELD_BACK = 1.0
# The share of the answers that a judge must cover before its scores are a column.
LEAST_COVERAGE = 0.9
# Precisions that leave a coefficient free, and that hold it at 0.
FREE, NEVER = 1e-3, 1e6
KEY = b"predictor fold"


def fold_of(question: str) -> int:
    """Return the fold of a question, from 0: a salted hash, so that no label and no order of arrival changes it."""
    digest = blake2b(question.encode("utf-8", "surrogatepass"), digest_size=8, key=KEY).digest()
    return int.from_bytes(digest) % FOLDS


@dataclass(frozen=True, kw_only=True, slots=True)
class PredictorSource:
    """What a predictor was fitted to, so that an estimate that uses it can be reproduced.

    Attributes
    ----------
    signature : str
        That of the predictor: the same scores and labels give the same.
    rule : str
        The expression of the rule whose value is the first column.
    judges : tuple of (str, str)
        The judges whose scores are the other columns, each with its signature.
    labels : int
        The number of labels that say right or wrong.
    """

    signature: str
    rule: str
    judges: tuple[tuple[str, str], ...]
    labels: int

    @property
    def salt(self) -> str:
        """The key of the hash that gives a question its fold."""
        return KEY.decode()

    @property
    def folds(self) -> int:
        """The number of folds."""
        return FOLDS


class PredictorScores(NamedTuple):
    """What is known of items before anyone labels them.

    `table` has a row an item and a column a score, nan where it is missing; `fold` is the fold of each item.
    """

    table: Numbers
    fold: Indices


class FoldModel(NamedTuple):
    """A logistic regression on standardised columns, and on which of them are missing."""

    intercept: float
    slopes: Numbers
    missing: Numbers
    scales: Sequence[NormalScale]

    def predict(self, values: Numbers) -> Numbers:
        """Compute P(right); a column that is missing counts as its middle, and by what it says that it is missing."""
        from scipy.special import expit

        odds = self.intercept + _standard(values, self.scales) @ self.slopes + np.isnan(values) @ self.missing
        return np.asarray(expit(odds), dtype=np.float64)


def _standard(values: Numbers, scales: Sequence[NormalScale]) -> Numbers:
    """Return each column as normal scores; 0, the middle, for what is missing."""
    standard = [scale.of(column) for scale, column in zip(scales, values.T, strict=True)]
    return np.column_stack(standard) if standard else values


@dataclass(frozen=True, kw_only=True)  # without slots: the signature is worked out once
class Predictor:
    """P(right) of an item from its scores, a model a fold.

    Attributes
    ----------
    columns : sequence of str
        What each column of the scores is; the first is the value of the rule in force.
    models : sequence of FoldModel
        The model for the items of each fold, fitted to the labels of the others.
    labels : int
        The number of labels that say right or wrong.
    """

    columns: Sequence[str]
    models: Sequence[FoldModel]
    labels: int

    def predict(self, scores: PredictorScores) -> Numbers:
        """Compute P(right) of each item by the model of its fold."""
        predicted = np.empty(len(scores.fold))
        for fold, model in enumerate(self.models):
            rows = scores.fold == fold
            if rows.any():
                predicted[rows] = model.predict(scores.table[rows])
        return predicted

    def levels(self, scores: PredictorScores) -> Levels:
        """Return the level of each item."""
        return levels_of(self.predict(scores))

    @cached_property
    def signature(self) -> str:
        """A hash of the columns and the coefficients: the same scores and labels give the same."""
        content = blake2b(repr((tuple(self.columns), self.labels)).encode(), digest_size=12)
        for model in self.models:
            parts = (model.intercept, model.slopes, model.missing, *(part for scale in model.scales for part in scale))
            for part in parts:
                content.update(np.round(np.asarray(part, dtype=np.float64), 12).tobytes())
        return content.hexdigest()


def fit(columns: Sequence[str], scores: PredictorScores, right: Numbers) -> Predictor:
    """Fit a model a fold to the labels of the others.

    Parameters
    ----------
    columns : sequence of str, length d
        What each column of the scores is, the rule's value first.
    scores : PredictorScores
        Those of the n labelled items.
    right : array of n numbers
        1 for right, 0 for wrong.
    """
    others = np.arange(FOLDS)[:, None] != scores.fold
    count, labels = scores.table.shape[1], others.sum(axis=1)
    of_right = others @ right
    fewest = np.minimum(of_right, labels - of_right)
    odds = np.log((of_right + 0.5) / (labels - of_right + 0.5))
    x, scales = _standardised(scores, others)
    # With labels of one kind, or none, or without a score, a model says the same of every item.
    beta = np.zeros((FOLDS, 2 * count + 1))
    beta[:, 0] = odds
    with_labels = np.flatnonzero(fewest >= 1) if count else np.zeros(0, dtype=np.intp)
    if len(with_labels):
        missing = x[with_labels, :, count + 1 :].sum(axis=1)
        says = (missing > 0) & (missing < labels[with_labels, None])
        known = _precision(count, labels[with_labels], fewest[with_labels])
        precision = np.column_stack([np.full(len(with_labels), FREE), known, np.where(says, known, NEVER)])
        beta[with_labels] = coefficients(x[with_labels], right, precision)
    models = [model_of(own, scale) for own, scale in zip(beta, scales, strict=True)]
    return Predictor(columns=tuple(columns), models=models, labels=len(right))


def model_of(coefficients_of: Numbers, scales: Sequence[NormalScale]) -> FoldModel:
    """Return the model with these coefficients: the intercept, the slopes, and what it says that a column is missing."""
    count = len(scales)
    return FoldModel(float(coefficients_of[0]), coefficients_of[1 : count + 1], coefficients_of[count + 1 :], scales)


def scales_of(scores: PredictorScores) -> list[list[NormalScale]]:
    """Return the scale of each column in the model of each fold that is fitted to items with these scores."""
    return _standardised(scores, np.arange(FOLDS)[:, None] != scores.fold)[1]


class TaughtPredictor(NamedTuple):
    """A predictor, and the scores of the items whose labels it was fitted to."""

    predictor: Predictor
    scores: PredictorScores


def _standardised(scores: PredictorScores, others: NDArray[np.bool_]) -> tuple[Numbers, list[list[NormalScale]]]:
    """Return for each fold 1, the normal scores and the gaps of the other folds' labels, 0 for its own; and their scales."""
    table, fold = scores
    count = table.shape[1]
    x = np.zeros((len(others), len(table), 2 * count + 1))
    x[:, :, 0] = others
    x[:, :, count + 1 :] = others[:, :, None] & np.isnan(table)
    scales: list[list[NormalScale]] = [[] for _ in others]
    for place, column in enumerate(table.T):
        known = np.flatnonzero(~np.isnan(column))
        values, level = np.unique(column[known], return_inverse=True)
        is_other = others[:, known]
        own = np.bincount(fold[known] * len(values) + level, minlength=FOLDS * len(values)).reshape(FOLDS, len(values))
        counts = (own.sum(axis=0) - own).astype(np.float64)
        scored = normal_scores(counts)
        x[:, known, place + 1] = np.where(is_other, scored[:, level], 0.0)
        for scale, row, seen in zip(scales, scored, counts > 0, strict=True):
            scale.append(NormalScale(values[seen], row[seen]))
    return x, scales


def _precision(count: int, labels: Numbers, fewest: Numbers) -> Numbers:
    """Return the prior's precision of each column, a row a model: the first, the rule's value, is never held back."""
    precision = np.repeat(PENALTY * held_back(labels, fewest)[:, None], count, axis=1)
    precision[:, 0] = PENALTY
    return precision


def held_back(labels: Numbers, fewest: Numbers) -> Numbers:
    """Return by how much the prior is stronger where there are few labels, or few of the rarer kind."""
    short = np.maximum(ENOUGH_LABELS / labels, ENOUGH_OF_A_KIND / fewest) - 1
    return np.asarray(1 + HELD_BACK * np.maximum(0.0, short), dtype=np.float64)


def ridge(values: Numbers, right: Numbers, scales: Sequence[NormalScale], precision: Numbers) -> FoldModel:
    """Fit a model; with labels of one kind, or none, or without a score, it says the same of every item.

    Parameters
    ----------
    values : array, shape (n, d)
        The scores of the labelled items, nan where one is missing.
    right : array of n numbers
        1 for right, 0 for wrong.
    scales : sequence of NormalScale, length d
        The scale of each column.
    precision : array of d numbers
        The precision of the prior of each column's slope, and of what it says that the column is missing.
    """
    count = values.shape[1]
    known = ~np.isnan(values)
    fewest = min(float(right.sum()), float(len(right) - right.sum()))
    if fewest < 1 or not count:
        share = (float(right.sum()) + 0.5) / (len(right) + 1)
        return FoldModel(float(np.log(share / (1 - share))), np.zeros(count), np.zeros(count), scales)
    says = known.any(axis=0) & ~known.all(axis=0)
    x = np.column_stack([np.ones(len(right)), _standard(values, scales), ~known])
    beta = coefficients(x, right, np.concatenate([[FREE], precision, np.where(says, precision, NEVER)]))
    return FoldModel(float(beta[0]), beta[1 : count + 1], beta[count + 1 :], scales)
