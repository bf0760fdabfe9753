"""Map a rule's value to P(right), with maps that are tested on other questions than they were fitted on.

No map here chooses a threshold, so all labels may take part; each is judged by the questions that it has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.calibration_error import Gap, gap
from proxy.evaluation.discrimination import Valued
from proxy.evaluation.estimate import STRATIFIED, Estimate
from proxy.evaluation.score_agreement import mean_square
from proxy.reason import Reason
from proxy.stats.calibration.platt import platt
from proxy.stats.calibration.reliability import bins_for, equal_mass, isotonic
from proxy.stats.effective import wilson_effective
from proxy.stats.intervals import Interval
from proxy.stats.sampling.clusters import effective
from proxy.stats.sampling.survey import Draws, design_variance

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
# One bin has 20 labels (`bins_for`).
FEWEST = 20
# Isotonic regression overfits fewer: Niculescu-Mizil and Caruana (2005).
FEW_FOR_ISOTONIC = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """Labels of similar value: the least, the greatest and the mean value, the long-run share right, and both maps.

    The maps are those of the questions in other folds, averaged over the band.
    """

    least: float
    most: float
    mean: float
    right: Estimate
    platt: float
    isotonic: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Briers:
    """Brier scores, lower is better: of both maps and of the mean of every answer, cross-fitted, and of a value in [0, 1]."""

    raw: Estimate | None
    platt: Estimate
    isotonic: Estimate
    base: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityCurve:
    """The reliability table with the maps; `reason` says why there is none.

    `unseen` says of which values the labels cannot speak: the table is then of the others, and there are neither `briers` nor a
    `gap`, which would be of all. `gap` is None too where the value is no number in [0, 1]. `prefers_isotonic` says which map to
    read; `tells` is False where neither predicts unseen questions better than the mean of all answers does.
    """

    n: int
    right: float | None
    bands: Sequence[Band] = ()
    briers: Briers | None = None
    gap: Gap | None = None
    prefers_isotonic: bool = False
    tells: bool = True
    unseen: str | None = None
    reason: str | None = None


def reliability_curve(values: Numbers, draws: Draws, folds: Indices) -> ReliabilityCurve:
    """Build the table from the values of labelled draws, all of one length; `folds` keeps labels of one question together.

    Platt's curve has two numbers to learn and is preferred below FEW_FOR_ISOTONIC labels, unless the isotonic map, which has
    many, predicts unseen questions better. Niculescu-Mizil and Caruana (2005), ICML.
    """
    y, w, n = draws.right, draws.weight, len(values)
    share = float(np.average(y, weights=w)) if n else None
    reason = _missing(values, y, folds)
    if reason or share is None:
        return ReliabilityCurve(n=n, right=share, reason=reason)
    curve, steps = crossed(values, y, w, folds)
    is_share = bool(values.min() >= 0 and values.max() <= 1)
    briers = Briers(
        raw=mean_square(Valued(draws=draws, values=values)) if is_share else None,
        platt=mean_square(Valued(draws=draws, values=curve)),
        isotonic=mean_square(Valued(draws=draws, values=steps)),
        base=mean_square(Valued(draws=draws, values=_mean_of_others(y, w, folds))),
    )
    bins = equal_mass(values, bins_for(n), w)
    return ReliabilityCurve(
        n=n,
        right=share,
        bands=[_band(values, draws, bins == number, curve, steps) for number in np.unique(bins)],
        briers=briers,
        gap=gap(Valued(draws=draws, values=values), bins) if is_share else None,
        prefers_isotonic=_score(briers.isotonic) < _score(briers.base if n >= FEW_FOR_ISOTONIC else briers.platt),
        tells=min(_score(briers.platt), _score(briers.isotonic)) < _score(briers.base),
    )


def of_a_part(curve: ReliabilityCurve, unseen: str) -> ReliabilityCurve:
    """Limit the result to the values that the labels can speak of; `unseen` says of which they cannot."""
    return curve if curve.reason else replace(curve, briers=None, gap=None, unseen=unseen)


def _missing(values: Numbers, right: Numbers, folds: Indices) -> str | None:
    """Say why no map can be made; None where one can."""
    if len(values) < FEWEST:
        return Reason("{n} labels on scored items, and {fewest} are needed: label more", n=len(values), fewest=FEWEST)
    if np.unique(values).size == 1:
        words = "every labelled item has the value {value}, so it tells nothing: use a judge that tells answers apart"
        return Reason(words, value=f"{values[0]:g}")
    if np.unique(right).size == 1:
        rest = "no map can tell what a lower value means before both kinds were seen; label more"
        return Reason(f"every label says {'right' if right[0] else 'wrong'}: {rest}")
    if np.unique(folds).size < 2:
        return "all labels are of one question: label other questions"
    return None


def crossed(values: Numbers, right: Numbers, weights: Numbers, folds: Indices) -> tuple[Numbers, Numbers]:
    """Estimate P(right) at each value by Platt's curve and by isotonic regression, each fitted on the other folds only."""
    low, spread = values.min(), np.ptp(values)
    unit = (values - low) / spread  # the order is all that isotonic regression reads
    curve, steps = np.empty(len(values)), np.empty(len(values))
    for fold in np.unique(folds):
        here, other = folds == fold, folds != fold
        curve[here] = platt(values[other], right[other], weights[other]).at(values[here])
        steps[here] = isotonic(unit[other], right[other], weights[other]).at(unit[here])
    return curve, steps


def _score(brier: Estimate) -> float:
    return math.inf if brier.estimate is None else brier.estimate


def _mean_of_others(right: Numbers, weights: Numbers, folds: Indices) -> Numbers:
    """Average right answers in the other folds, at each label: the prediction without the value."""
    mean = np.empty(len(right))
    for fold in np.unique(folds):
        mean[folds == fold] = np.average(right[folds != fold], weights=weights[folds != fold])
    return mean


def _band(values: Numbers, draws: Draws, rows: NDArray[np.bool_], curve: Numbers, steps: Numbers) -> Band:
    """Build one row of the table, with a long-run interval: labels of one conversation do not count as independent."""
    weight = draws.weight * rows
    total, n = float(weight.sum()), int(rows.sum())
    share = min(1.0, float(np.sum(weight * draws.right)) / total)
    variance = design_variance(draws, weight * (draws.right - share) / total).long_run
    ways = draws.only(rows).ways
    left = effective(ways, weight[rows])
    kish = left.clusters if ways.crosses else total**2 / float(np.sum(weight**2))
    df = min(n - 1.0, left.df) if ways.crosses else n - 1.0
    known = wilson_effective(share, variance, n, max(1.0, df), kish)
    interval = Interval(0.0, 1.0) if left.reason else known
    inside = values[rows]
    return Band(
        least=float(inside.min()),
        most=float(inside.max()),
        mean=float(np.average(inside, weights=weight[rows])),
        right=Estimate(
            estimate=share,
            low=interval.low,
            high=interval.high,
            n=n,
            method=f"{STRATIFIED}, groups counted once",
            reason=left.reason,
        ),
        platt=float(np.average(curve[rows], weights=weight[rows])),
        isotonic=float(np.average(steps[rows], weights=weight[rows])),
    )
