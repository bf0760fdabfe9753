"""Estimate P(right) of every answer from the judges' values.

Three things tell: the value among those of its system, the values that the others got on the same question (a hard question is
hard for all), and the mean value of its system. The shares only have to be useful: whoever uses them corrects them by labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.stats.calibration import logistic

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
GUESS = np.array([0.8, 1.0, 1.0, 1.0])  # before any label: three of four are right, and a better value is a better sign


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """Answers as arrays of one length: the number of the system and of the question, and the rule's value, nan without one."""

    system: Indices
    question: Indices
    value: Numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """P(right) of each answer, and how far the label of each would pull its own share towards it (0 where it was not used)."""

    share: Numbers
    leverage: Numbers


def expected(answers: Answers, rows: Indices, right: Numbers) -> Expected:
    """Fit a logistic regression on `features` to the labelled rows, `right` 1 or 0; GUESS where there is no label.

    The leverage is h = p (1 - p) x' H^-1 x with H the curvature of the penalised likelihood. Pregibon (1981), Annals of
    Statistics 9:705.
    """
    from scipy.special import expit

    x, leverage = features(answers), np.zeros(len(answers.value))
    if not len(rows):
        return Expected(share=np.asarray(expit(x @ GUESS), dtype=np.float64), leverage=leverage)
    centre, scale = x[:, 1:].mean(axis=0), x[:, 1:].std(axis=0)
    x[:, 1:] = (x[:, 1:] - centre) / np.where(scale > 0, scale, 1.0)
    share = np.asarray(expit(x @ logistic.coefficients(x[rows], right)), dtype=np.float64)
    used = share[rows]
    inverse = np.linalg.inv(logistic.curvature(x[rows], used))
    leverage[rows] = used * (1 - used) * np.einsum("ij,jk,ik->i", x[rows], inverse, x[rows])
    return Expected(share=share, leverage=leverage)


def features(answers: Answers) -> Numbers:
    """Build the features: 1, the value within its system, its mean over others' answers to the question, the system's mean.

    Values are normal scores over all answers, so that no monotone change of the judge's scale changes anything; what has no
    value counts as the middle, and a question that nobody else answered says nothing.
    """
    scores = np.zeros(len(answers.value))
    known = ~np.isnan(answers.value)
    if known.any():
        _, place, counts = np.unique(answers.value[known], return_inverse=True, return_counts=True)
        scores[known] = logistic.normal_scores(counts.astype(np.float64))[place]
    of_system = _means(scores, answers.system)
    own = scores - of_system
    total, size = np.bincount(answers.question, own), np.bincount(answers.question)
    others = size[answers.question] - 1
    of_others = np.where(others > 0, (total[answers.question] - own) / np.maximum(others, 1), 0.0)
    return np.column_stack([np.ones(len(scores)), own, of_others, of_system])


def _means(values: Numbers, number: Indices) -> Numbers:
    """Average the values that share a number, for each value."""
    return np.asarray((np.bincount(number, values) / np.maximum(np.bincount(number), 1))[number], dtype=np.float64)
