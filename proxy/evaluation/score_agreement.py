"""Measure how two scores of the same items go together.

Against annotators the labelled draws stand for what the ledger says; against another judge all that both scored is counted, or a
random sample of it. The rules: every number has its n and interval, and what the design cannot identify is None with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.discrimination import Valued
from proxy.evaluation.domains import Evidence, Unknown, of_verdict
from proxy.evaluation.estimate import Estimate
from proxy.records import Verdict
from proxy.stats.agreement import association, confusion
from proxy.stats.agreement.association import Association
from proxy.stats.calibration.auroc import auroc
from proxy.stats.effective import kish_n
from proxy.stats.intervals import Interval
from proxy.stats.sampling.clusters import Ways, clustered, effective
from proxy.stats.sampling.survey import Draws, design_variance

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
# The middle of [0, 1].
THRESHOLD = 0.5
THRESHOLDS = tuple(round(0.1 * place, 1) for place in range(1, 10))
# Chosen: five right above five wrong happen by chance once in 252.
FEWEST = 5
MEASURED = ("accuracy", "f1", "kappa", "auroc")
WEIGHTED = "weighted by the draws' chances, linearised, variance by design"
CENSUS = "counted on everything that both scored"
SAMPLE = "a random sample of what both scored, linearised"
GRADES = "not measurable: annotators said right or wrong, and gave no grades to be near to or far from"
NOTHING = "not measurable: nothing was scored by both"
ALL_ALIKE = "undefined: one of the two gives everything the same value"
NO_SPREAD = "no interval: the two agree wholly here, which does not tell how far they would elsewhere"
FEW = f"not measurable: label until there are {FEWEST} right and {FEWEST} wrong answers that the judge scored"
LANDIS_KOCH = "Landis and Koch (1977), Biometrics 33:159"
# Landis and Koch (1977).
BADGES = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))
POOR = "poor"


class Badge(NamedTuple):
    """The name of a kappa, and those of the two ends of its interval."""

    word: str
    low: str
    high: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Associations:
    """Measures of how two scores go together; `mse` is Brier's score where one of them is right or wrong."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    mae: Estimate
    rmse: Estimate
    mse: Estimate


class AssociationVariance(NamedTuple):
    """The variance of an association, for the items at hand and in the long run.

    `window` is None where everything is counted and nothing is left to chance.

    `no_long_run` says why nothing can be told of the long run.
    """

    window: float | None
    long_run: float
    no_long_run: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScorePairs:
    """Two scores of the same items, what each item stands for, and how the variance of a sum over them is computed.

    `n` is what is told with each number, `effective` the effective labels, `df` what their variance rests on.
    """

    first: Numbers
    second: Numbers
    weight: Numbers
    spread: Callable[[Numbers], AssociationVariance]
    n: int
    effective: float
    df: float
    method: str


def of_annotators(labels: Valued) -> ScorePairs:
    """Match a judge's values with right and wrong, by the design: df is the effective labels of the rarer, less one."""
    weight, rights = labels.draws.weight, labels.right == 1
    sizes = [kish_n(weight[rows]) if rows.any() else 1.0 for rows in (rights, ~rights)]
    return ScorePairs(
        first=labels.values,
        second=labels.right,
        weight=weight,
        spread=lambda influence: _by_design(labels.draws, influence, labels.draws.missed),
        n=len(weight),
        effective=kish_n(weight) if len(weight) else 0.0,
        df=min(sizes) - 1,
        method=WEIGHTED,
    )


def of_judges(first: Numbers, second: Numbers, ways: Ways, whole: int) -> ScorePairs:
    """Match two judges on those of `whole` items that both scored; what shares a group or question is not independent."""
    n = len(first)
    left = effective(ways, np.ones(n))
    seen = n / whole if whole else 0.0

    def spread(influence: Numbers) -> AssociationVariance:
        alone = Ways.of(np.arange(n))
        window = clustered(influence, alone).variance * (1 - seen) if n < whole else None
        return AssociationVariance(window, clustered(influence, ways).variance, left.reason)

    return ScorePairs(
        first=first,
        second=second,
        weight=np.ones(n),
        spread=spread,
        n=n,
        effective=left.clusters if ways.crosses else left.df + 1,
        df=left.df,
        method=CENSUS if n == whole else SAMPLE,
    )


def unseen(evidence: Evidence) -> str | None:
    """Say why labels cannot speak for all that was scored; None where they can."""
    parts = (of_verdict(evidence, verdict) for verdict in (Verdict.PASS, Verdict.FAIL))
    return next((part.reason for part in parts if isinstance(part, Unknown)), None)


def associations(matched: ScorePairs, *, reason: str | None = None, are_grades: bool = False) -> Associations:
    """Measure all associations.

    `reason` says why none can be measured, `are_grades` that distances to right and wrong mean nothing.
    """
    if reason is None and matched.method == WEIGHTED and not _is_enough(matched.second):
        reason = FEW
    if reason or not matched.n:
        unknown = Estimate(estimate=None, n=matched.n, reason=reason or NOTHING)
        return Associations(**dict.fromkeys(Associations.__slots__, unknown))
    columns = matched.first, matched.second, matched.weight
    mse = _mean(matched, association.squared_distance(*columns))
    distances = {"mae": _mean(matched, association.mean_distance(*columns)), "mse": mse, "rmse": _root(mse)}
    if are_grades:
        distances = dict.fromkeys(distances, Estimate(estimate=None, n=matched.n, reason=GRADES))
    return Associations(
        pearson=_correlation(matched, association.pearson(*columns)),
        spearman=_correlation(matched, association.spearman(*columns)),
        kendall=_correlation(matched, association.kendall(*columns)),
        **distances,
    )


def mean_square(labels: Valued) -> Estimate:
    """Estimate the mean of (value - right)^2, Brier's score, where the values are probabilities.

    A mean of numbers in [0, 1]: the variance is that of its influences w (loss - mean) / sum w by the design, the interval
    Wilson's at the effective n. It holds too for predictions that are cross-fitted: the losses of a stable learner are then
    as good as independent of each other. Bayle et al. (2020), NeurIPS 33.
    """
    matched = of_annotators(labels)
    return _mean(matched, association.squared_distance(matched.first, matched.second, matched.weight))


def share_of_part(labels: Valued, rows: Mask) -> Estimate:
    """Estimate the mean of the values, in [0, 1], of the part of the answers that these labels are of (a domain).

    Exact for the items at hand where all of the part was labelled.
    """
    draws, n = labels.draws, int(rows.sum())
    weight = np.where(rows, draws.weight, 0.0)
    ways = draws.only(rows).ways
    left = effective(ways, weight[rows])
    kish = kish_n(weight[rows])
    part = ScorePairs(
        first=labels.values,
        second=labels.right,
        weight=weight,
        spread=lambda influence: _by_design(draws, influence, draws.missed[rows]),
        n=n,
        effective=left.clusters if ways.crosses else kish,
        df=max(1.0, min(n - 1.0, left.df) if ways.crosses else n - 1.0),
        method=WEIGHTED,
    )
    return _mean(part, association.weighted_mean(labels.values, weight))


def agreement(matched: ScorePairs, threshold: float = THRESHOLD) -> dict[str, Estimate]:
    """Estimate accuracy, F1 and kappa of both judges' verdicts at this threshold, and the AUROC of the first for the second's."""
    if not matched.n:
        return dict.fromkeys(MEASURED, Estimate(estimate=None, reason=NOTHING))
    passes, passes_second = matched.first > threshold, matched.second > threshold
    cell = cells(passes, passes_second)
    estimates = {
        "accuracy": _mean(
            matched, association.weighted_mean((passes == passes_second).astype(np.float64), matched.weight)
        ),
        "f1": _of_cells(matched, confusion.f1, cell, _mean),
        "kappa": _of_cells(matched, confusion.kappa, cell, _correlation),
    }
    ranked = auroc(matched.first, passes_second, matched.weight)
    if ranked is None:
        nothing = "undefined: the second judge passes everything, or nothing"
        return {**estimates, "auroc": Estimate(estimate=None, n=matched.n, reason=nothing)}
    window, long_run, no_long_run = matched.spread(ranked.influence)
    exact = Interval(ranked.estimate, ranked.estimate)
    here = exact if window is None else ranked.interval(variance=window)
    beyond = None if no_long_run else ranked.interval(variance=long_run)
    return {**estimates, "auroc": _estimate(matched, ranked.estimate, here, beyond, no_long_run)}


def cells(passes: Mask, right: Mask) -> Indices:
    """Number the cell of each item in the order of the table: right_pass, wrong_pass, right_fail, wrong_fail."""
    return np.asarray(2 * ~passes + 1 * ~right, dtype=np.intp)


def shares(matched: ScorePairs, cell: Indices, count: int) -> list[Estimate]:
    """Estimate the share of the items in each cell, by what each item stands for."""
    return [
        _mean(matched, association.weighted_mean((cell == number).astype(np.float64), matched.weight))
        for number in range(count)
    ]


def means(matched: ScorePairs, part: Indices, count: int) -> list[tuple[Estimate, Estimate]]:
    """Estimate both means of the items of each part; only a part's own residuals add to its error (a domain)."""
    pairs = []
    for number in range(count):
        rows = part == number
        weight, n = np.where(rows, matched.weight, 0.0), int(rows.sum())
        here = replace(matched, n=n, effective=kish_n(matched.weight[rows]) if n else 0.0, df=max(1, n - 1))
        pairs.append(
            tuple(_mean(here, association.weighted_mean(values, weight)) for values in (matched.first, matched.second))
        )
    return pairs  # type: ignore[return-value] # two of each


def badge(kappa: Estimate) -> Badge | None:
    """Name a kappa and the ends of its interval by LANDIS_KOCH; None where there is no kappa."""
    if kappa.estimate is None:
        return None
    low, high = kappa.low, kappa.high
    if kappa.long_run is not None:
        low, high = kappa.long_run
    ends = [kappa.estimate if end is None else end for end in (low, high)]
    return Badge(*(_word(value) for value in (kappa.estimate, *ends)))


def _word(kappa: float) -> str:
    if kappa < 0:
        return POOR
    return next((word for above, word in BADGES if kappa > above), BADGES[-1][1])


def _is_enough(right: Sequence[float] | Numbers) -> bool:
    rights = int(np.sum(right))
    return min(rights, len(right) - rights) >= FEWEST


def _by_design(draws: Draws, influence: Numbers, missed: Numbers) -> AssociationVariance:
    """Return both variances; nothing is left to chance where none of what the labels stand for is `missed`."""
    window, long_run, no_long_run = design_variance(draws, influence)
    return AssociationVariance(window if missed.any() else None, long_run, no_long_run)


def _of_cells(
    matched: ScorePairs,
    function: Callable[[confusion.Cells], confusion.Numbers],
    cell: Indices,
    interval: Callable[[ScorePairs, Association], Estimate],
) -> Estimate:
    measured = association.of_cells(function, cell, matched.weight)
    return Estimate(estimate=None, n=matched.n, reason=ALL_ALIKE) if measured is None else interval(matched, measured)


def _correlation(matched: ScorePairs, measured: Association | None) -> Estimate:
    """Estimate a quantity in [-1, 1], with an interval by Fisher's transformation."""
    if measured is None:
        return Estimate(estimate=None, n=matched.n, reason=ALL_ALIKE)
    window, long_run, no_long_run = matched.spread(measured.influence)
    beyond = None if no_long_run else association.correlation_interval(measured.estimate, long_run, matched.df)
    if window is None:
        return _estimate(
            matched, measured.estimate, Interval(measured.estimate, measured.estimate), beyond, no_long_run
        )
    here = association.correlation_interval(measured.estimate, window, matched.df)
    if here is None:
        return Estimate(estimate=measured.estimate, n=matched.n, method=matched.method, reason=NO_SPREAD)
    return _estimate(matched, measured.estimate, here, beyond, no_long_run)


def _mean(matched: ScorePairs, measured: Association) -> Estimate:
    """Estimate a mean of values in [0, 1], with Wilson's interval at the effective n."""
    window, long_run, no_long_run = matched.spread(measured.influence)
    beyond = (
        None if no_long_run else association.share_interval(measured.estimate, long_run, matched.effective, matched.df)
    )
    here = Interval(measured.estimate, measured.estimate)
    if window is not None:
        # What was seen of a window makes its interval narrower also where nothing varies.
        left = window / long_run if long_run > 0 else 1.0
        here = association.share_interval(measured.estimate, window, matched.effective / max(left, 1e-9), matched.df)
    return _estimate(matched, measured.estimate, here, beyond, no_long_run)


def _root(mse: Estimate) -> Estimate:
    """Take the root of the mean square and of the ends of its interval."""
    if mse.estimate is None or mse.low is None or mse.high is None:
        return mse
    long_run = mse.long_run and Interval(math.sqrt(mse.long_run.low), math.sqrt(mse.long_run.high))
    return replace(
        mse,
        estimate=math.sqrt(mse.estimate),
        low=math.sqrt(mse.low),
        high=math.sqrt(mse.high),
        long_run=long_run,
    )


def _estimate(
    matched: ScorePairs, value: float, here: Interval, beyond: Interval | None, reason: str | None
) -> Estimate:
    return Estimate(
        estimate=value, low=here.low, high=here.high, n=matched.n, method=matched.method, reason=reason, long_run=beyond
    )
