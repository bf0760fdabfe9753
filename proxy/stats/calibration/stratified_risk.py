"""Test whether a risk is kept, from labels of a few classes that were labelled at different rates.

The classes' shares of the items are known, their risks are not, so the p-value is that of the worst risks they could have.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.sampling.thinning import equal_chance

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
STEPS = 24
GAIN = 1.25  # below it the plain count is worth more, because everyone can check it


class ClassCounts(NamedTuple):
    """Labels and errors of each class, and the classes' shares of the items, which sum to 1; empty where nothing counts."""

    shares: Numbers
    n: Numbers
    errors: Numbers

    @property
    def rate(self) -> float:
        """The error rate by the classes' shares, T = sum W_c x_c / n_c."""
        return float(np.sum(self.shares * self.errors / self.n)) if self.n.size else 0.0

    @property
    def effective(self) -> float:
        """The effective labels 1 / sum(W_c^2 / n_c): labels of equal chance that would tell as much, were all risks alike."""
        return float(1 / np.sum(self.shares**2 / self.n)) if self.n.size else 0.0


def counted(
    above: Mask, wrong: Mask, weights: Numbers, lots: Numbers, classes: Indices, shares: Numbers
) -> ClassCounts:
    """Count the labels `above`, all thinned to one chance; or to one per class, where that keeps more by GAIN.

    Arrays of one length, and the `shares` of the classes 0, 1, ...; a class with the share 0 is left out. A class is thinned to
    its heaviest label anywhere, all together to the heaviest of all. Whether a label says wrong has no say in which is done.
    """
    known = np.flatnonzero(shares > 0)
    is_counted = np.isin(classes, known)
    together, apart = is_counted.copy(), is_counted.copy()
    if is_counted.any():
        together[is_counted] = equal_chance(weights[is_counted], lots[is_counted])
    for number in known:
        rows = classes == number
        apart[rows] = equal_chance(weights[rows], lots[rows])
    parts = [apart & above & (classes == number) for number in known]
    split = _counts(shares[known] / shares[known].sum(), parts, wrong) if known.size else _counts(np.ones(1), [], wrong)
    plain = _counts(np.ones(1), [together & above], wrong)
    return split if split.effective > GAIN * plain.effective else plain


def _counts(shares: Numbers, parts: Sequence[Mask], wrong: Mask) -> ClassCounts:
    """Count the labels and errors of these rows; empty where a class has none."""
    n = np.array([part.sum() for part in parts], dtype=np.float64)
    if not n.size or not n.all():
        return ClassCounts(*(np.zeros(0) for _ in range(3)))
    return ClassCounts(shares, n, np.array([(part & wrong).sum() for part in parts], dtype=np.float64))


def worst_p_value(shares: ArrayLike, n: ArrayLike, errors: ArrayLike, risk: float) -> float:
    """Compute the largest P(T <= observed) over all e_c with sum W_c e_c = risk.

    T = sum W_c x_c / n_c and x_c ~ Bin(n_c, e_c).

    `shares` W_c sum to 1. For one class it is the exact binomial test. 1 where the observed T is no smaller than the risk. The
    maximum is sought on a grid over the risks, twice, the second time near the best. Valid for simple random samples of the
    classes, which binomial counts dominate: Hoeffding (1956), Ann. Math. Stat. 27:713.
    """
    from scipy.special import bdtr

    w, size, wrong = (np.asarray(part, dtype=np.float64) for part in (shares, n, errors))
    if w.ndim != 1 or not w.shape == size.shape == wrong.shape or abs(float(w.sum()) - 1) > 1e-6:
        raise ValueError(
            f"{w.shape} shares, {size.shape} labels, {wrong.shape} errors: give one of each, shares that sum to 1"
        )
    if not ((wrong >= 0) & (wrong <= size) & (size > 0) & (w > 0)).all():
        raise ValueError("each class needs a share, a label, and no more errors than labels")
    if w.size == 1:
        return float(bdtr(wrong[0], int(size[0]), risk))
    observed = float(np.sum(w * wrong / size)) + 1e-12
    if observed >= risk:
        return 1.0
    order = np.argsort(np.floor(risk * size / w), kind="stable")  # the class with the most outcomes is summed in one go
    w, size = w[order], size[order]
    outcomes = _outcomes(w, size, observed)
    points = _risks(w, risk, np.zeros(w.size - 1), np.ones(w.size - 1))
    tails = _tail(w, size, observed, outcomes, points)
    best, step = points[int(tails.argmax())][:-1], 1 / STEPS
    scale = np.minimum(1.0, risk / w[:-1])
    near = _risks(w, risk, best / scale - step, best / scale + step)
    return min(1.0, float(max(tails.max(), _tail(w, size, observed, outcomes, near).max())))


def _outcomes(shares: Numbers, n: Numbers, observed: float) -> Numbers:
    """List the error counts of all classes but the last that leave T at or below what was observed."""
    most = np.minimum(n, np.floor(observed * n / shares))[:-1].astype(int)
    counts = np.array(list(itertools.product(*(range(limit + 1) for limit in most))), dtype=np.float64)
    return np.asarray(counts[counts @ (shares[:-1] / n[:-1]) <= observed])


def _risks(shares: Numbers, risk: float, low: Numbers, high: Numbers) -> Numbers:
    """List risks of the classes that sum to the risk, a row each.

    All but the last are on a grid between these parts of their most.
    """
    axes = [
        np.clip(np.linspace(a, b, STEPS + 1), 0, 1) * min(1.0, risk / share)
        for a, b, share in zip(low, high, shares[:-1], strict=True)
    ]
    first = np.array(list(itertools.product(*axes)))
    last = (risk - first @ shares[:-1]) / shares[-1]
    kept = (last >= -1e-12) & (last <= 1 + 1e-12)
    return np.asarray(np.column_stack([first, np.clip(last, 0, 1)])[kept], dtype=np.float64)


def _tail(shares: Numbers, n: Numbers, observed: float, outcomes: Numbers, risks: Numbers) -> Numbers:
    """Compute P(T <= observed) at each row of risks."""
    from scipy.special import bdtr, gammaln, xlog1py, xlogy

    left = np.minimum(n[-1], np.floor((observed - outcomes @ (shares[:-1] / n[:-1])) * n[-1] / shares[-1] + 1e-9))
    chance = bdtr(left[None, :], int(n[-1]), risks[:, -1:])
    for k in range(shares.size - 1):
        x, e = outcomes[None, :, k], risks[:, k : k + 1]
        ways = gammaln(n[k] + 1) - gammaln(x + 1) - gammaln(n[k] - x + 1)
        chance = chance * np.exp(ways + xlogy(x, e) + xlog1py(n[k] - x, -e))
    return np.asarray(chance.sum(axis=1), dtype=np.float64)
