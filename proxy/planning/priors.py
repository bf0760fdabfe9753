"""Predict P(right) of unlabelled answers, from a frame with its labels or from three guessed numbers.

It is used for planning only. No estimate rests on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.planning.strata import SamplingFrame
from proxy.records import Verdict
from proxy.rule import Rule
from proxy.stats.calibration.logistic import shift_to_mean

Names = NDArray[np.str_]
Numbers = NDArray[np.float64]
UNINFORMED = 0.5


class ExpectedRight(NamedTuple):
    """P(right) of each item, and the number of items without a label of their kind and verdict, whose P(right) is set to 0.5."""

    right: Numbers
    unlabelled: int


class Guess(NamedTuple):
    """A proxy in three numbers: the share of answers that are right, P(pass | right) and P(fail | wrong)."""

    right: float
    sensitivity: float
    specificity: float

    @property
    def pass_rate(self) -> float:
        """Right x sensitivity + wrong x (1 - specificity)."""
        return self.right * self.sensitivity + (1 - self.right) * (1 - self.specificity)


class CategoricalCodes(NamedTuple):
    """Categorical codes: the categories and the index of each value."""

    names: tuple[str, ...]
    code: NDArray[np.intp]


def factorize(values: Names) -> CategoricalCodes:
    """Encode values as categories in order of appearance; without sorting, which takes seconds on a million strings."""
    names, code = list[str](), np.full(len(values), -1)
    while (code < 0).any():
        names.append(str(values[int(np.argmax(code < 0))]))
        code[values == names[-1]] = len(names) - 1
    return CategoricalCodes(tuple(names), code)


def verdicts_of(frame: SamplingFrame, rule: Rule) -> Names:
    """Return the verdict of each item of a frame, also of those with a thumb down."""
    scored = np.where(rule.passes(frame.values), Verdict.PASS.value, Verdict.FAIL.value)
    return np.where(np.isnan(frame.values), Verdict.UNSCORED.value, scored)


def from_labels(frame: SamplingFrame, verdicts: Names, rng: np.random.Generator | None = None) -> ExpectedRight:
    """Return P(right) by kind, verdict and what is predicted of the item.

    The prediction is moved, on the logit scale, for each kind and verdict: its mean over the n labelled items, x of them right,
    becomes (x + 1) / (n + 2), as in the allocation, or, with `rng`, a draw from its posterior, Beta(x + 1, n - x + 1).
    Without a label it is one half, which asks for the most labels.
    """
    from scipy.special import expit, logit

    if np.isnan(frame.right).all():
        return ExpectedRight(np.full(len(frame.values), UNINFORMED), len(frame.values))
    predicted = np.full(len(frame.values), UNINFORMED) if frame.predicted is None else frame.predicted
    kinds, verdict_codes = factorize(frame.kinds), factorize(verdicts)
    cells = kinds.code * len(verdict_codes.names) + verdict_codes.code
    right, unlabelled = np.full(len(predicted), UNINFORMED), 0
    for cell in np.unique(cells):
        rows = np.flatnonzero(cells == cell)
        labelled = rows[~np.isnan(frame.right[rows])]
        if not len(labelled):
            unlabelled += len(rows)
            continue
        x, n = float(frame.right[labelled].sum()), len(labelled)
        target = (x + 1) / (n + 2) if rng is None else float(rng.beta(x + 1, n - x + 1))
        right[rows] = expit(logit(predicted[rows]) + shift_to_mean(logit(predicted[labelled]), target))
    return ExpectedRight(right, unlabelled)


def from_numbers(verdicts: Names, guess: Guess) -> ExpectedRight:
    """Return P(right | pass) and P(right | fail) by Bayes' rule; the share right where nothing was scored."""
    passed = guess.pass_rate
    right = np.full(len(verdicts), guess.right)
    for verdict, top, bottom in (
        (Verdict.PASS, guess.right * guess.sensitivity, passed),
        (Verdict.FAIL, guess.right * (1 - guess.sensitivity), 1 - passed),
    ):
        if bottom > 0:
            right[verdicts == verdict.value] = top / bottom
    return ExpectedRight(right, 0)
