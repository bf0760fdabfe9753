"""Measure agreement of a proxy with annotators from three shares: P(right | pass), P(right | fail) and P(pass).

Each function takes floats or arrays and gives the same shape; where a quantity is undefined it gives nan.
Cell shares: right_pass = w p1, wrong_pass = w (1 - p1), right_fail = (1 - w) p0, wrong_fail = (1 - w)(1 - p0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


class Cells(NamedTuple):
    """The four shares of the 2x2 table; they add up to 1."""

    right_pass: Numbers
    wrong_pass: Numbers
    right_fail: Numbers
    wrong_fail: Numbers


def cells(p1: ArrayLike, p0: ArrayLike, w: ArrayLike) -> Cells:
    """Build the 2x2 table from P(right | pass) = p1, P(right | fail) = p0 and P(pass) = w."""
    given_pass, given_fail, share = (np.asarray(value, dtype=np.float64) for value in (p1, p0, w))
    return Cells(share * given_pass, share * (1 - given_pass), (1 - share) * given_fail, (1 - share) * (1 - given_fail))


def _ratio(top: Numbers, bottom: Numbers) -> Numbers:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)


def sensitivity(c: Cells) -> Numbers:
    """Compute P(pass | right)."""
    return _ratio(c.right_pass, c.right_pass + c.right_fail)


def specificity(c: Cells) -> Numbers:
    """Compute P(fail | wrong)."""
    return _ratio(c.wrong_fail, c.wrong_pass + c.wrong_fail)


def accuracy(c: Cells) -> Numbers:
    """Compute P(pass and right, or fail and wrong)."""
    return c.right_pass + c.wrong_fail


def f1(c: Cells) -> Numbers:
    """Compute 2 right_pass / (2 right_pass + wrong_pass + right_fail)."""
    return _ratio(2 * c.right_pass, 2 * c.right_pass + c.wrong_pass + c.right_fail)


def kappa(c: Cells) -> Numbers:
    """Compute kappa = (observed - expected) / (1 - expected). Cohen (1960).

    expected = P(pass) P(right) + P(fail) P(wrong).
    """
    passed, right = c.right_pass + c.wrong_pass, c.right_pass + c.right_fail
    expected = passed * right + (1 - passed) * (1 - right)
    return _ratio(accuracy(c) - expected, 1 - expected)


def mcc(c: Cells) -> Numbers:
    """Compute Matthews' correlation. Matthews (1975).

    It is (rp wf - wp rf) / sqrt(P(pass) P(fail) P(right) P(wrong)).
    """
    passed, right = c.right_pass + c.wrong_pass, c.right_pass + c.right_fail
    top = c.right_pass * c.wrong_fail - c.wrong_pass * c.right_fail
    return _ratio(top, np.sqrt(np.maximum(passed * (1 - passed) * right * (1 - right), 0)))


def ac1(c: Cells) -> Numbers:
    """Compute AC1 = (observed - expected) / (1 - expected). Gwet (2008).

    expected = 2 q (1 - q), q = (P(pass) + P(right)) / 2.

    Unlike kappa it does not fall to 0 where nearly all items are right.
    """
    q = (2 * c.right_pass + c.wrong_pass + c.right_fail) / 2
    expected = 2 * q * (1 - q)
    return _ratio(accuracy(c) - expected, 1 - expected)
