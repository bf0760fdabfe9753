"""Test, at every threshold of a score, whether at most a given share of what is at or above it is wrong.

Two claims are tested on the same labels: for this window, where the labels are a random sample of the items at hand whatever
repeats among them, and for the long run, where clusters of labels are the units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.calibration.cluster_risk import ClusterTest, long_run_test, stands_alone
from proxy.stats.calibration.stratified_risk import ClassCounts, counted, worst_p_value
from proxy.stats.calibration.window_risk import window_p_value

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
DELTA = 0.1


class Claim(StrEnum):
    """The claim that a guarantee makes."""

    WINDOW = "window"  # the items at hand, whatever repeats among them
    LONG_RUN = "long_run"  # the rate behind them: traffic like this, with other questions


class Split(NamedTuple):
    """The labelling of the items at or above a threshold: the class of each label; a class was labelled at about one rate.

    `shares` are the classes' shares of the items that labels speak for, `unseen` the share of the items that none speaks for,
    `size` the number of the items; None where it is unknown, or endless.
    """

    classes: Indices
    shares: Numbers
    unseen: float
    size: int | None = None


class ThresholdTest(NamedTuple):
    """The test of one threshold.

    `labels` lie at or above it, `wrong` of them not shown to be right. `n` of them count where all must have one chance, `errors`
    of these wrong; `rate` is their error rate by the classes' shares, `effective` the labels of equal chance that would tell
    as much. `unseen` is the share of the items there that no label speaks for, `risk` what it leaves for the labels to prove.
    `window` and `long_run` are the p-values of the two claims, None where the labels are too few to ask; `clusters` is the
    effective number of clusters, and `is_clustered` says whether labels share any. Of the `errors` nobody could judge or answered
    `undecided`, of those `wrong` `undecided_labels`.
    """

    threshold: float
    labels: int
    wrong: int
    n: int
    errors: int
    rate: float
    effective: float
    unseen: float
    risk: float
    window: float | None
    long_run: float | None
    clusters: float
    is_clustered: bool
    undecided: int = 0
    undecided_labels: int = 0

    @property
    def right(self) -> int:
        """The number of right labels among those that count."""
        return self.n - self.errors

    def p_value(self, claim: Claim) -> float | None:
        """Return the p-value of this claim."""
        return self.window if claim is Claim.WINDOW else self.long_run


def fewest_labels(risk: float, delta: float = DELTA) -> int:
    """Compute N_min = ceil(log delta / log(1 - risk)): with fewer, not even error-free labels prove that the risk is kept."""
    check_levels(risk, delta)
    return math.ceil(math.log(delta) / math.log1p(-risk) - 1e-9)


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
    ways: Sequence[Indices] = (),
    together: Indices | None = None,
    share: float = 1.0,
    undecided: ArrayLike | None = None,
) -> list[ThresholdTest]:
    """Test each threshold, strictest first, for the window and for the long run.

    Parameters
    ----------
    scores, right
        The score of each label, and 1 where it is right; what is unsure or unanswered is 0.
    weights, lots
        1 / inclusion probability, and the numbers that thin the labels to one chance (`counted`).
    splits
        For each threshold, which classes there are. Were all unseen items wrong, the others might be wrong in
        (risk - unseen) / (1 - unseen) only.
    ways
        The cluster of each label, once for each way of clustering; none: each label stands alone.
    together
        What one lot drew at once; None: each label had its own. Then the lots are the units of the window, too.
    share
        The share of the drawn labels that are given here.
    undecided
        Whether a label is unsure or unanswered, to be told beside the errors that it counts among; None: none is.

    Notes
    -----
    A threshold that was planned to hold fewer than 2 `fewest_labels` labels has no test: it could hardly pass, and the first
    failure ends the walk. The plan and not the realised number decides, so that the draw has no say in where the walk starts.
    """
    s, y, t = (np.asarray(part, dtype=np.float64) for part in (scores, right, thresholds))
    if s.ndim != 1 or s.shape != y.shape or not np.isin(y, (0, 1)).all() or np.isnan(s).any():
        raise ValueError(f"{s.shape} scores, {y.shape} labels: give one score and one label, 1 or 0, for each item")
    if t.ndim != 1 or not (np.diff(t) < 0).all():
        raise ValueError("thresholds must fall, strictest first, each once")
    w = np.ones_like(s) if weights is None else np.asarray(weights, dtype=np.float64)
    u = np.zeros_like(s) if lots is None else np.asarray(lots, dtype=np.float64)
    is_undecided = np.zeros(s.shape, dtype=np.bool_) if undecided is None else np.asarray(undecided, dtype=np.bool_)
    labels = _Labels(y, w, u, tuple(ways), together, share, is_undecided)
    plain = Split(np.zeros(s.size, dtype=np.intp), np.ones(1), 0.0)
    parts = splits or [plain] * t.size
    return [
        _tested(labels, s >= threshold, float(threshold), split, risk, delta)
        for threshold, split in zip(t, parts, strict=True)
    ]


class _Labels(NamedTuple):
    """The inputs of `walk` about the labels."""

    right: Numbers
    weights: Numbers
    lots: Numbers
    ways: tuple[Indices, ...]
    together: Indices | None
    share: float
    undecided: Mask


def _tested(labels: _Labels, above: Mask, threshold: float, split: Split, risk: float, delta: float) -> ThresholdTest:
    """Test the labels at or above one threshold; a class without any is unseen."""
    known = np.isin(np.arange(split.shares.size), split.classes[above]) & (split.shares > 0)
    seen = (1 - split.unseen) * float(split.shares[known].sum())
    left = (risk - (1 - seen)) / seen if 1 - seen < risk - 1e-9 else 0.0
    wrong = labels.right == 0
    shares = np.where(known, split.shares, 0.0)
    counts = counted(above, wrong, labels.weights, labels.lots, split.classes, shares)
    undecided = counted(above, labels.undecided, labels.weights, labels.lots, split.classes, shares)
    fewest = fewest_labels(left, delta) if left > 0 else 0
    is_planned = left > 0 and _planned(labels, split, shares, counts) > 2 * fewest - 1e-6
    ways = [way[above] for way in labels.ways]
    is_clustered = not stands_alone(ways)
    errors, weights = wrong[above].astype(np.float64), labels.weights[above]
    behind = ClusterTest(None, counts.effective, counts.effective)
    if is_clustered:
        behind = long_run_test(errors, weights, ways, left, fewest)
    window = long_run = None
    if is_planned:
        by_item = worst_p_value(*counts, left) if counts.n.size else 1.0
        lots = [] if labels.together is None else [labels.together[above]]
        long_run = behind.p_value if is_clustered else by_item
        if not stands_alone(lots):
            window = long_run_test(errors, weights, lots, left, fewest).p_value
        else:
            window = by_item if counts.shares.size != 1 else _exact(split, seen, risk, counts, by_item)
    return ThresholdTest(
        threshold=threshold,
        labels=int(above.sum()),
        wrong=int(errors.sum()),
        n=int(counts.n.sum()),
        errors=int(counts.errors.sum()),
        rate=counts.rate,
        effective=counts.effective,
        unseen=1 - seen,
        risk=left,
        window=window,
        long_run=long_run,
        clusters=behind.clusters,
        is_clustered=is_clustered,
        undecided=int(undecided.errors.sum()),
        undecided_labels=int(labels.undecided[above].sum()),
    )


def _exact(split: Split, seen: float, risk: float, counts: ClassCounts, by_item: float) -> float:
    """Compute the hypergeometric p-value of labels of one chance; binomial where the number of items is unknown."""
    if split.size is None:
        return by_item
    n, errors = int(counts.n[0]), int(counts.errors[0])
    spoken = max(n, round(split.size * seen))
    least = math.floor(risk * split.size + 1e-9) + 1 - (split.size - round(split.size * seen))
    return window_p_value(spoken, least, n, errors)


def _planned(labels: _Labels, split: Split, shares: Numbers, counts: ClassCounts) -> float:
    """Compute the labels of one chance that the design expects here; those that came where the item count is unknown."""
    if split.size is None or not counts.n.size:
        return counts.effective
    known = np.flatnonzero(shares > 0)
    heaviest = np.array([labels.weights[split.classes == number].max() for number in known])
    expected = labels.share * split.size * (1 - split.unseen) * shares[known]
    if counts.n.size == 1:
        return float(expected.sum() / heaviest.max())
    parts = shares[known] / shares[known].sum()
    return float(1 / np.sum(parts**2 / (expected / heaviest)))


def check_levels(risk: float, delta: float) -> None:
    """Raise ValueError where these are no shares between 0 and 1."""
    if not 0 < risk < 1 or not 0 < delta < 1:
        raise ValueError(f"risk {risk}, delta {delta}: give shares between 0 and 1")
