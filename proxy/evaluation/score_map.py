"""Learn what a judge's score says of P(right), and say whether that is nearer the labels than the score as it is.

A map never turns the order of two answers of a language round. It is chosen on tuning labels, by the halves of their questions
in turn, and measured on others by Brier's score: AUROC sees the order alone, so no map changes it much.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.evaluation.discrimination import NO_VARIANCE, Valued
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.judge_contrast import lowest_at_all_looks
from proxy.evaluation.score_agreement import WEIGHTED, mean_square, of_annotators
from proxy.stats.calibration.platt import platt
from proxy.stats.intervals import Interval, quantile
from proxy.stats.sampling.survey import design_variance

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Chosen: a step for each label would follow their chance; a curve of two numbers takes few.
FEWEST_FOR_STEPS = 100
# Chosen: labels of each kind from which a language has a map of its own.
FEWEST_OF_A_LANGUAGE = 20
# Chosen: between these scores the map is a straight line.
GRID = np.linspace(0.0, 1.0, 101)
# A mapped score is P(right), so an answer passes that is more likely right than wrong.
PASSES = 0.5


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """P(right) at some scores, ascending in both; straight lines between, and level beyond."""

    scores: tuple[float, ...]
    shares: tuple[float, ...]

    def at(self, values: ArrayLike) -> Numbers:
        """Return P(right) at these scores."""
        return np.asarray(np.interp(np.asarray(values, dtype=np.float64), self.scores, self.shares), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class LanguageMaps:
    """The map of all answers, and those of the languages that have one of their own."""

    whole: ScoreMap
    languages: Mapping[str, ScoreMap]

    def at(self, values: Numbers, languages: NDArray[np.str_]) -> Numbers:
        """Return P(right) at these scores of answers in these languages."""
        mapped = self.whole.at(values)
        for language, own in self.languages.items():
            rows = languages == language
            mapped[rows] = own.at(values[rows])
        return mapped

    @property
    def separates(self) -> bool:
        """Whether some mapped scores pass and some fail."""
        shares = np.concatenate([self.whole.shares, *(own.shares for own in self.languages.values())])
        return bool(shares.min() <= PASSES < shares.max())

    @property
    def settings(self) -> dict[str, object]:
        """What of it shapes a score."""
        return {
            "whole": [list(self.whole.scores), list(self.whole.shares)],
            "languages": {name: [list(own.scores), list(own.shares)] for name, own in sorted(self.languages.items())},
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class TuningScores:
    """Scores of a judge with labels that may choose its map; `half` says in which half of the questions each is."""

    labels: Valued
    languages: NDArray[np.str_]
    half: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class MapContrast:
    """Brier's score as P(right) of a score as it is and mapped, on the same labels, and by how much the map is nearer.

    Attributes
    ----------
    before, after
        Brier's scores: 0 is perfect.
    gain
        The first minus the second.
    lowest
        The bound below which the long-run gain does not lie, at all looks and for all maps that were measured.
    wrong_before, wrong_after
        The share of answers on the other half of the scale than their label.
    """

    before: Estimate
    after: Estimate
    gain: Estimate
    lowest: float | None
    wrong_before: Estimate
    wrong_after: Estimate

    @property
    def is_better(self) -> bool:
        """Whether the mapped score is shown to be nearer the labels, however often one looks."""
        return self.lowest is not None and self.lowest > 0


def chosen_maps(tuning: TuningScores, given: LanguageMaps | None = None) -> LanguageMaps | None:
    """Return the maps that do best on halves that they were not fitted to; None where the score as it is does.

    Of equal ones the simplest: no map before one, one before several. `given` is the map in force, whose mapped score is then the
    score as it is; it may have been fitted to these labels, which favours it and so costs gains, never a claim.
    """
    own, labels = _with_own_map(tuning), tuning.labels
    kinds: list[Collection[str]] = [(), *([own] if own else [])]
    as_it_is = labels.values if given is None else given.at(labels.values, tuning.languages)
    losses = [(_brier(labels, as_it_is), -1)]
    losses += [(_brier(tuning.labels, _cross_fitted(tuning, kind)), place) for place, kind in enumerate(kinds)]
    _, best = min(losses)
    everything = np.ones(len(tuning.half), dtype=np.bool_)
    return None if best < 0 else _fitted(tuning, everything, kinds[best])


def contrast_of_map(before: Valued, after: Valued, compared: int) -> MapContrast:
    """Compare a score as it is with the mapped one, on labels that did not choose the map; both read as P(right)."""
    gain = brier_gain(before, after)
    return MapContrast(
        before=mean_square(before),
        after=mean_square(after),
        gain=gain,
        lowest=lowest_at_all_looks(gain, compared),
        wrong_before=mean_square(_passed(before)),
        wrong_after=mean_square(_passed(after)),
    )


def brier_gain(before: Valued, after: Valued) -> Estimate:
    """Estimate by how much Brier's score falls, paired: the mean of the differences of the squared errors, by design.

    Its influences are w (d - mean) / sum w; the t quantile has the effective labels of the rarer kind less one, as for Brier's
    score itself.
    """
    n = len(before.values)
    if not n or not before.right.any() or before.right.all():
        return Estimate(estimate=None, n=n, reason=mean_square(before).reason)
    weight, right = before.draws.weight, before.right
    fell = (before.values - right) ** 2 - (after.values - right) ** 2
    value = float(np.average(fell, weights=weight))
    variances = design_variance(before.draws, weight * (fell - value) / weight.sum())
    window, long_run = (variance if variance > NO_VARIANCE else 0.0 for variance in variances[:2])
    times = quantile(max(1.0, of_annotators(before).df))
    half, behind = times * math.sqrt(window), times * math.sqrt(long_run)
    return Estimate(
        estimate=value,
        low=max(-1.0, value - half),
        high=min(1.0, value + half),
        n=n,
        method=WEIGHTED,
        reason=variances[2],
        long_run=None if variances[2] else Interval(max(-1.0, value - behind), min(1.0, value + behind)),
    )


def fit_map(values: Numbers, right: Numbers, weights: Numbers) -> ScoreMap:
    """Fit P(right) as a function of a score that never falls: Platt's curve, or steps where labels are many."""
    kinds = np.bincount(right.astype(np.intp), minlength=2)
    if kinds.min() < FEWEST_FOR_STEPS:
        curve = platt(values, right, weights)
        shares = (
            curve.at(GRID) if curve.slope > 0 else np.full(len(GRID), platt(np.zeros(len(right)), right, weights).at(0))
        )
        return _rounded(GRID, shares)
    from sklearn.isotonic import IsotonicRegression  # takes a second to import

    steps = IsotonicRegression(out_of_bounds="clip").fit(values, right, sample_weight=weights)
    never = 1 / (len(right) + 2)  # no label says never or always
    return _rounded(steps.X_thresholds_, np.clip(steps.y_thresholds_, never, 1 - never))


def _rounded(scores: ArrayLike, shares: ArrayLike) -> ScoreMap:
    return ScoreMap(
        scores=tuple(round(float(score), 6) for score in np.asarray(scores)),
        shares=tuple(round(float(share), 6) for share in np.asarray(shares)),
    )


def _with_own_map(tuning: TuningScores) -> tuple[str, ...]:
    """Return the languages with enough labels of each kind, where there are several languages."""
    languages, right = np.unique(tuning.languages), tuning.labels.right
    if len(languages) < 2:
        return ()
    kinds = {
        language: np.bincount(right[tuning.languages == language].astype(np.intp), minlength=2)
        for language in languages
    }
    return tuple(str(language) for language, counts in kinds.items() if counts.min() >= FEWEST_OF_A_LANGUAGE)


def _fitted(tuning: TuningScores, rows: Mask, own: Collection[str]) -> LanguageMaps:
    def fitted(part: Mask) -> ScoreMap:
        return fit_map(tuning.labels.values[part], tuning.labels.right[part], tuning.labels.draws.weight[part])

    parts = {language: rows & (tuning.languages == language) for language in own}
    return LanguageMaps(
        whole=fitted(rows), languages={language: fitted(part) for language, part in parts.items() if part.any()}
    )


def _cross_fitted(tuning: TuningScores, own: Collection[str]) -> Numbers:
    """Return the mapped scores of each half of the questions, by maps that were fitted to the other."""
    mapped = tuning.labels.values.copy()
    for half in np.unique(tuning.half):
        rows = tuning.half == half
        if not rows.all():
            mapped[rows] = _fitted(tuning, ~rows, own).at(mapped[rows], tuning.languages[rows])
    return mapped


def _brier(labels: Valued, values: Numbers) -> float:
    return float(np.average((values - labels.right) ** 2, weights=labels.draws.weight))


def _passed(labels: Valued) -> Valued:
    return Valued(draws=labels.draws, values=(labels.values > PASSES).astype(np.float64))
