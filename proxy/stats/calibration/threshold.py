"""Find a threshold that keeps a precision: P(right | score >= t) >= 1 - risk, with confidence 1 - delta.

Each threshold is tested twice: for this window (the items at hand, from labels drawn at random among them) and for the long run
(the rate behind them, where clusters of labels are the units). The grid and its order (strictest first) are fixed before any
label is looked at, and the labels are those of nothing else. "None found" is an answer, and the usual one below 200 labels.
Labels of unequal chances are thinned to one, or counted by classes of about one chance
(`proxy.stats.calibration.stratified_risk`). Angelopoulos, Bates, Candes, Jordan and Lei (2021), Learn then Test, arXiv
2110.01052.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.reason import Reason
from proxy.stats.calibration.threshold_tests import DELTA, Claim, ThresholdTest, check_levels, fewest_labels

Numbers = NDArray[np.float64]
MOST_THRESHOLDS = 20
FARTHEST = 5000


class CertifiedThreshold(NamedTuple):
    """The lowest threshold that was certified, for scores >= threshold; None with the reason where there is none.

    `n` labels and `errors` lie at or above it, `thinned` more were left out; `precision_low` is what they prove at the confidence
    1 - delta, were it the only threshold; None where they are of several classes. `clusters` is their effective number where they
    share any; `needed` is the fewest that would do, where there are not so many.
    """

    threshold: float | None
    n: int
    errors: int
    thinned: int
    p_value: float | None
    precision_low: float | None
    reason: str | None = None
    clusters: float | None = None
    needed: int | None = None


class Need(NamedTuple):
    """A threshold that may come to be certified, and about how many more labels at or above it that takes."""

    threshold: float
    more: int
    n: int
    errors: int
    undecided: int = 0


def binomial_p_values(errors: ArrayLike, n: ArrayLike, risk: float) -> Numbers:
    """Compute P(Bin(n, risk) <= errors): the p-value of "the error rate is at least `risk`".

    For labels of equal probability.
    """
    from scipy.special import bdtr

    k, size = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if not ((k >= 0) & (k <= size)).all():
        raise ValueError("more errors than labels: count a part and its whole at each threshold")
    check_levels(risk, DELTA)
    return np.asarray(bdtr(k, size.astype(np.int64), risk), dtype=np.float64)


class Power(NamedTuple):
    """The power of `n` labels: `allowed` may be wrong, and `chance` is how often a test passes at this true precision.

    The labels are of different clusters.
    """

    n: int
    allowed: int
    precision: float
    chance: float


def powers(risk: float, delta: float = DELTA) -> list[Power]:
    """Compute what a few numbers of labels at a threshold can show, were the true risk half of that to be ruled out."""
    from scipy.special import bdtr

    fewest = fewest_labels(risk, delta)
    results = []
    for n in (fewest, 2 * fewest, 5 * fewest):
        passes = binomial_p_values(np.arange(n + 1), np.full(n + 1, n), risk) <= delta
        allowed = int(passes.sum()) - 1
        results.append(Power(n, allowed, 1 - risk / 2, float(bdtr(allowed, n, risk / 2))))
    return results


def fixed_sequence(p_values: ArrayLike, delta: float = DELTA) -> int:
    """Count the certified tests, walking in the fixed order and stopping at the first p > delta, whatever comes after.

    The chance of any false one is at most delta. Maurer, Hothorn and Lehmacher (1995).
    """
    rejected = np.asarray(p_values, dtype=np.float64) <= delta
    return int(rejected.size if rejected.all() else np.argmin(rejected))


def precision_lower_bound(errors: float, n: float, delta: float = DELTA) -> float:
    """Compute the one-sided Clopper-Pearson bound of (n - errors) / n.

    It is the delta quantile of Beta(n - errors, errors + 1).
    """
    from scipy.special import betaincinv

    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors of {n}: count a part and its whole")
    return 0.0 if errors == n else float(betaincinv(n - errors, errors + 1, delta))


def grid(scores: ArrayLike, most: int = MOST_THRESHOLDS) -> Numbers:
    """Choose at most `most` thresholds, strictest first: quantiles of the scores of all items, each a score that occurs."""
    s = np.asarray(scores, dtype=np.float64)
    if not s.size or np.isnan(s).any():
        raise ValueError("give at least one score, and none that is nan")
    return np.asarray(np.unique(np.quantile(s, np.arange(most) / most, method="higher"))[::-1])


def certify(steps: Sequence[ThresholdTest], claim: Claim, delta: float = DELTA) -> CertifiedThreshold:
    """Walk the thresholds that have a test of this claim, strictest first, and take the last that passed before one failed."""
    walked = [step for step in steps if step.p_value(claim) is not None]
    if not walked:
        return _untested(steps, claim, delta)
    accepted = fixed_sequence([step.p_value(claim) or 0.0 for step in walked], delta)
    if not accepted:
        first = walked[0]
        words = wrong_words(first.errors, first.n, first.undecided)
        if first.is_clustered:
            words = wrong_words(first.wrong, first.labels, first.undecided_labels)
        return _none(
            Reason("already at {threshold}, {words}", threshold=f"{first.threshold:.3g}", words=words),
            first.p_value(claim),
        )
    last = walked[accepted - 1]
    by_cluster = claim is Claim.LONG_RUN and last.is_clustered
    is_plain = abs(last.effective - last.n) < 1e-6 and not by_cluster
    low = (1 - last.unseen) * precision_lower_bound(last.errors, last.n, delta) if is_plain else None
    return CertifiedThreshold(
        last.threshold,
        last.labels if by_cluster else last.n,
        last.wrong if by_cluster else last.errors,
        0 if by_cluster else last.labels - last.n,
        last.p_value(claim),
        low,
        clusters=last.clusters if by_cluster else None,
    )


def wrong_words(wrong: int, n: int, undecided: int) -> Reason:
    """Say how many of the labels are wrong; where nobody called some of these wrong, how many count so."""
    if not undecided:
        return Reason("{wrong} of {n} labels are wrong", wrong=wrong, n=n)
    return Reason(
        "{wrong} of {n} count as wrong, {undecided} of them unsure or unanswered", wrong=wrong, n=n, undecided=undecided
    )


def first_tested(steps: Sequence[ThresholdTest], claim: Claim) -> ThresholdTest | None:
    """Return the test with which the walk of a claim begins, and ends where it fails."""
    return next((step for step in steps if step.p_value(claim) is not None), None)


def _untested(steps: Sequence[ThresholdTest], claim: Claim, delta: float) -> CertifiedThreshold:
    """Say why no threshold has a test: too few labels, or labels of too few clusters."""
    asked = [(step, fewest_labels(step.risk, delta)) for step in steps if step.risk > 0]
    if not asked:
        return _none("no label speaks for what lies there")
    # What is named is what the test compares: the clusters and the fewest that would do, of one threshold.
    lacking = [
        (step, fewest)
        for step, fewest in asked
        if step.is_clustered and step.effective > fewest and step.clusters < max(2, fewest) - 1e-9
    ]
    if claim is Claim.LONG_RUN and lacking:
        nearest, needed = max(lacking, key=lambda pair: pair[0].clusters / pair[1])
        why = Reason(
            "the labels are of {clusters} questions or groups that tell anything by themselves, and {needed} are needed",
            clusters=f"{nearest.clusters:.3g}",
            needed=needed,
        )
        return _none(why)._replace(clusters=nearest.clusters, needed=needed)
    nearest, needed = max(asked, key=lambda pair: pair[0].effective / pair[1])
    most = int(nearest.effective + 1e-6)
    if most >= 2 * needed:
        words = "no threshold was planned to hold the {needed} labels, each drawn by itself, that a test needs"
        return _none(Reason(words, needed=2 * needed))
    return _none(
        Reason("labels at a threshold: {most} at the most, and {needed} are needed", most=most, needed=2 * needed)
    )


def needs(steps: Sequence[ThresholdTest], delta: float = DELTA) -> Need | None:
    """Return the threshold that needs the fewest labels more, if errors stay as they are; None where none looks good enough.

    Errors are taken to come at the rate (errors + 1/2) / (n + 1), so that a handful without one prove nothing; all classes grow
    alike.
    """
    from scipy.special import bdtr

    candidates = []
    for step in steps:
        rate = (step.rate * step.effective + 0.5) / (step.effective + 1)
        if step.n and step.risk > 0 and rate < step.risk:
            start = max(math.ceil(step.effective - 1e-6), 2 * fewest_labels(step.risk, delta))
            n = np.arange(start, FARTHEST)
            passes = np.asarray(bdtr(np.ceil(rate * n), n, step.risk)) <= delta
            if passes.any():
                growth = float(n[passes.argmax()]) / step.effective - 1
                candidates.append(
                    Need(step.threshold, max(1, math.ceil(growth * step.n - 1e-6)), step.n, step.errors, step.undecided)
                )
    return min(candidates, key=lambda need: need.more, default=None)


def _none(reason: str, p_value: float | None = None) -> CertifiedThreshold:
    return CertifiedThreshold(None, 0, 0, 0, p_value, None, reason)


def number_below(threshold: float) -> float:
    """Return the largest number below a threshold t: "score > number" passes exactly the scores >= t."""
    return math.nextafter(threshold, -math.inf)
