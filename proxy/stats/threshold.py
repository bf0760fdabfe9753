"""Choosing a threshold that keeps its word: P(right | score >= t) >= 1 - risk, with confidence 1 - delta.

Labels in, thresholds that passed a test out. "None found" is an answer, and the usual one below two hundred labels. The grid
and its order (strictest first) must be fixed before any label is looked at, and the labels be those of nothing else.
Labels of unequal chances are thinned to one, or counted by classes of about one chance (`proxy.stats.stratified_risk`).
Angelopoulos, Bates, Candes, Jordan and Lei (2021), Learn then Test, arXiv 2110.01052.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv

from proxy.stats.stratified_risk import counted, worst_p_value

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
MOST_THRESHOLDS = 20
DELTA = 0.1
FARTHEST = 5000


class Split(NamedTuple):
    """How the items at or above a threshold were labelled: the class of each label, items labelled at about one rate being one.

    `shares` are the classes' shares of the items that labels speak for, `unseen` the share of the items that none speaks for.
    """

    classes: Indices
    shares: Numbers
    unseen: float


class Tested(NamedTuple):
    """What the labels say of one threshold.

    `labels` lie at or above it, `n` of them count, `errors` of these wrong; `rate` is their error rate by the classes' shares,
    `effective` the labels of equal chance that would tell as much. `unseen` is the share of the items there that no label
    speaks for, `risk` what it leaves for the labels to prove. `p_value` is None where they are too few to ask.
    """

    threshold: float
    labels: int
    n: int
    errors: int
    rate: float
    effective: float
    unseen: float
    risk: float
    p_value: float | None

    @property
    def right(self) -> int:
        """How many of the labels that count are right."""
        return self.n - self.errors


class Certificate(NamedTuple):
    """The lowest threshold that was certified, for scores >= threshold; None with the reason where there is none.

    `n` labels and `errors` lie at or above it, `thinned` more were left out; `precision_low` is what they prove at the confidence
    1 - delta, were it the only threshold; None where they are of several classes.
    """

    threshold: float | None
    n: int
    errors: int
    thinned: int
    p_value: float | None
    precision_low: float | None
    reason: str | None = None


class Need(NamedTuple):
    """A threshold that may come to be certified, and about how many more labels at or above it would do it."""

    threshold: float
    more: int
    n: int
    errors: int


def fewest_labels(risk: float, delta: float = DELTA) -> int:
    """N_min = ceil(log delta / log(1 - risk)): below it not even labels without an error prove that the risk is kept."""
    _check_levels(risk, delta)
    return math.ceil(math.log(delta) / math.log1p(-risk) - 1e-9)


def binomial_p_values(errors: ArrayLike, n: ArrayLike, risk: float) -> Numbers:
    """P(Bin(n, risk) <= errors): the p-value of "the error rate is at least `risk`", for labels of equal probability."""
    k, size = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if not ((k >= 0) & (k <= size)).all():
        raise ValueError("more errors than labels: count a part and its whole at each threshold")
    _check_levels(risk, DELTA)
    return np.asarray(bdtr(k, size.astype(np.int64), risk), dtype=np.float64)


def fixed_sequence(p_values: ArrayLike, delta: float = DELTA) -> int:
    """How many tests are certified, walking in the fixed order and stopping at the first p > delta, whatever comes after.

    The chance of any false one is at most delta. Maurer, Hothorn and Lehmacher (1995).
    """
    rejected = np.asarray(p_values, dtype=np.float64) <= delta
    return int(rejected.size if rejected.all() else np.argmin(rejected))


def bonferroni(p_values: ArrayLike, delta: float = DELTA) -> Mask:
    """Which tests are certified: p <= delta / their number. Needs no order, and pays for that."""
    p = np.asarray(p_values, dtype=np.float64)
    return np.asarray(p <= delta / max(1, p.size))


def precision_lower_bound(errors: float, n: float, delta: float = DELTA) -> float:
    """The one-sided Clopper-Pearson bound of (n - errors) / n: the delta quantile of Beta(n - errors, errors + 1)."""
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors of {n}: count a part and its whole")
    return 0.0 if errors == n else float(betaincinv(n - errors, errors + 1, delta))


def grid(scores: ArrayLike, most: int = MOST_THRESHOLDS) -> Numbers:
    """At most `most` thresholds, strictest first: quantiles of the scores of all items, each a score that occurs."""
    s = np.asarray(scores, dtype=np.float64)
    if not s.size or np.isnan(s).any():
        raise ValueError("give at least one score, and none that is nan")
    return np.asarray(np.unique(np.quantile(s, np.arange(most) / most, method="higher"))[::-1])


def walk(
    scores: ArrayLike,
    right: ArrayLike,
    thresholds: ArrayLike,
    risk: float,
    delta: float = DELTA,
    *,
    weights: ArrayLike | None = None,
    lots: ArrayLike | None = None,
    splits: Sequence[Split] | None = None,
) -> list[Tested]:
    """The test at each threshold, strictest first: the exact binomial one, or `worst_p_value` where classes differ.

    `weights` are 1 / inclusion probability, `lots` thin the labels to one chance (`counted`), and `splits`, one for each
    threshold, say which classes there are. Were all unseen items wrong, the others might be wrong in
    (risk - unseen) / (1 - unseen) only. Thresholds worth fewer than 2 `fewest_labels` labels have no test: they could hardly
    pass, and the first failure ends the walk.
    """
    s, y, t = (np.asarray(part, dtype=np.float64) for part in (scores, right, thresholds))
    if s.ndim != 1 or s.shape != y.shape or not np.isin(y, (0, 1)).all() or np.isnan(s).any():
        raise ValueError(f"{s.shape} scores, {y.shape} labels: give one score and one label, 1 or 0, for each item")
    if t.ndim != 1 or not (np.diff(t) < 0).all():
        raise ValueError("thresholds must fall, strictest first, each once")
    w = np.ones_like(s) if weights is None else np.asarray(weights, dtype=np.float64)
    u = np.zeros_like(s) if lots is None else np.asarray(lots, dtype=np.float64)
    plain = Split(np.zeros(s.size, dtype=np.intp), np.ones(1), 0.0)
    parts = splits or [plain] * t.size
    return [_tested(s >= one, y, w, u, float(one), split, risk, delta) for one, split in zip(t, parts, strict=True)]


def _tested(
    above: Mask, y: Numbers, w: Numbers, u: Numbers, threshold: float, split: Split, risk: float, delta: float
) -> Tested:
    """The labels at or above one threshold; a class without any is unseen."""
    known = np.isin(np.arange(split.shares.size), split.classes[above]) & (split.shares > 0)
    seen = (1 - split.unseen) * float(split.shares[known].sum())
    left = (risk - (1 - seen)) / seen if 1 - seen < risk - 1e-9 else 0.0
    found = counted(above, y == 0, w, u, split.classes, np.where(known, split.shares, 0.0))
    is_enough = left > 0 and found.effective > 2 * fewest_labels(left, delta) - 1e-6
    return Tested(
        threshold=threshold,
        labels=int(above.sum()),
        n=int(found.n.sum()),
        errors=int(found.errors.sum()),
        rate=found.rate,
        effective=found.effective,
        unseen=1 - seen,
        risk=left,
        p_value=worst_p_value(*found, left) if is_enough else None,
    )


def certify(steps: Sequence[Tested], delta: float = DELTA) -> Certificate:
    """Walk the thresholds that have a test, strictest first, and take the last that passed before one failed."""
    walked = [one for one in steps if one.p_value is not None]
    if not walked:
        most = int(max((one.effective for one in steps), default=0) + 1e-6)
        needed = min((2 * fewest_labels(one.risk, delta) for one in steps if one.risk > 0), default=None)
        asked = "no label speaks for what lies there" if needed is None else f"{needed:,} needed at a threshold"
        return _none(f"{most:,} label{'' if most == 1 else 's'} at the most, {asked}")
    accepted = fixed_sequence([one.p_value for one in walked if one.p_value is not None], delta)
    if not accepted:
        first = walked[0]
        return _none(f"already at {first.threshold:g}, {first.errors} of {first.n} labels are wrong", first.p_value)
    last = walked[accepted - 1]
    is_plain = abs(last.effective - last.n) < 1e-6
    low = (1 - last.unseen) * precision_lower_bound(last.errors, last.n, delta) if is_plain else None
    return Certificate(last.threshold, last.n, last.errors, last.labels - last.n, last.p_value, low)


def needs(steps: Sequence[Tested], delta: float = DELTA) -> Need | None:
    """The threshold that needs the fewest labels more, if errors stay as they are; None where none looks good enough.

    Errors are taken to come at the rate (errors + 1/2) / (n + 1), so that a handful without one promise nothing; all classes grow
    alike.
    """
    found = []
    for one in steps:
        rate = (one.rate * one.effective + 0.5) / (one.effective + 1)
        if one.n and one.risk > 0 and rate < one.risk:
            start = max(math.ceil(one.effective - 1e-6), 2 * fewest_labels(one.risk, delta))
            n = np.arange(start, FARTHEST)
            passes = np.asarray(bdtr(np.ceil(rate * n), n, one.risk)) <= delta
            if passes.any():
                growth = float(n[passes.argmax()]) / one.effective - 1
                found.append(Need(one.threshold, max(1, math.ceil(growth * one.n - 1e-6)), one.n, one.errors))
    return min(found, key=lambda one: one.more, default=None)


def _none(reason: str, p_value: float | None = None) -> Certificate:
    return Certificate(None, 0, 0, 0, p_value, None, reason)


def cut_below(threshold: float) -> float:
    """The cut of the rule "score > cut" that passes exactly the scores >= threshold: the largest number below it."""
    return math.nextafter(threshold, -math.inf)


def _check_levels(risk: float, delta: float) -> None:
    if not 0 < risk < 1 or not 0 < delta < 1:
        raise ValueError(f"risk {risk}, delta {delta}: give shares between 0 and 1")
