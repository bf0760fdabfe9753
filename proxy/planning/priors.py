"""Predict P(right) of unlabelled answers, from a frame with its labels or from three guessed numbers.

It is used for planning only. No estimate rests on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.levels import LEVELS, SHARES
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame
from proxy.records import Verdict
from proxy.rule import Rule
from proxy.stats.calibration.logistic import shift_to_mean

Numbers = NDArray[np.float64]
UNINFORMED = 0.5


class Tabled(NamedTuple):
    """Numbers of which many items share one: a table of them, and the place in it of each item's."""

    table: Numbers
    place: NDArray[np.uint16]

    @classmethod
    def of_each(cls, numbers: Numbers) -> Tabled:
        """Tell numbers, at most 65,536 different ones, from the numbers themselves."""
        table, place = np.unique(numbers, return_inverse=True)
        return cls(table, place.astype(np.uint16))

    def of(self, rows: NDArray[Any] | slice) -> Numbers:
        """Return the numbers of these items."""
        return self.table[self.place[rows]]

    @property
    def every(self) -> Numbers:
        """The number of each item."""
        return self.of(slice(None))


class ExpectedRight(NamedTuple):
    """P(right) of each item, and the number of items without a label of their kind and verdict, whose P(right) is set to 0.5."""

    right: Tabled
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


def verdicts_of(frame: SamplingFrame, rule: Rule) -> Coded:
    """Return the verdict of each item of a frame, also of those with a thumb down."""
    codes = np.asarray(~rule.passes(frame.values), dtype=np.uint8)
    codes[np.isnan(frame.values)] = 2
    return Coded((Verdict.PASS.value, Verdict.FAIL.value, Verdict.UNSCORED.value), codes).in_order()


def from_labels(frame: SamplingFrame, verdicts: Coded, rng: np.random.Generator | None = None) -> ExpectedRight:
    """Return P(right) by kind, verdict and what is predicted of the item.

    The prediction is moved, on the logit scale, for each kind and verdict: its mean over the n labelled items, x of them right,
    becomes (x + 1) / (n + 2), as in the allocation, or, with `rng`, a draw from its posterior, Beta(x + 1, n - x + 1).
    Without a label it is one half, which asks for the most labels.
    """
    from scipy.special import expit, logit

    rows = frame.labelled
    if not len(rows):
        return ExpectedRight(Tabled(np.array([UNINFORMED]), np.zeros(len(frame.keys), np.uint16)), len(frame.keys))
    kinds, verdict_codes = frame.kinds.in_order(), verdicts.in_order()
    cells = kinds.codes * np.uint8(len(verdict_codes.names)) + verdict_codes.codes
    of_labels, is_right = cells[rows], frame.right[rows].astype(np.float64)
    level = np.zeros(len(rows), dtype=np.uint8) if frame.level is None else frame.level[rows]
    shares = np.full(LEVELS, UNINFORMED) if frame.level is None else SHARES
    right, unlabelled = np.full((int(cells.max()) + 1, LEVELS), UNINFORMED), 0
    for cell in range(len(right)):
        labelled = of_labels == cell
        if not labelled.any():
            unlabelled += int(np.count_nonzero(cells == cell))
            continue
        x, n = float(is_right[labelled].sum()), int(labelled.sum())
        target = (x + 1) / (n + 2) if rng is None else float(rng.beta(x + 1, n - x + 1))
        right[cell] = expit(logit(shares) + shift_to_mean(logit(shares[level[labelled]]), target))
    place = cells.astype(np.uint16)
    place *= np.uint16(LEVELS)
    if frame.level is not None:
        place += frame.level
    return ExpectedRight(Tabled(right.ravel(), place), unlabelled)


def from_numbers(verdicts: Coded, guess: Guess) -> ExpectedRight:
    """Return P(right | pass) and P(right | fail) by Bayes' rule; the share right where nothing was scored."""
    passed = guess.pass_rate
    right = dict.fromkeys(verdicts.names, guess.right)
    for verdict, top, bottom in (
        (Verdict.PASS, guess.right * guess.sensitivity, passed),
        (Verdict.FAIL, guess.right * (1 - guess.sensitivity), 1 - passed),
    ):
        if bottom > 0:
            right[verdict.value] = top / bottom
    table = np.array([right[name] for name in verdicts.names], dtype=np.float64)
    return ExpectedRight(Tabled(table, verdicts.codes.astype(np.uint16)), 0)
