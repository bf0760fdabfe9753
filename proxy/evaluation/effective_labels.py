"""Express what the labels tell of correctness as the size of a plain random sample that would tell as much.

It compares widths of intervals for the same window, and claims nothing where the labels hold too few of either kind. How sure
that is, and what each judge adds, follows from the squared errors of the labels themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.domains import Evidence, Sampled, sampled
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import DECIDED
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.stats.intervals import quantile, wilson
from proxy.stats.sampling.survey import ExplainedErrors, Terms, explained, terms

# The textbooks' least count for a share's variance, n p >= 5.
FEWEST_ERRORS = 5
FEW_WRONG = "it takes {count} wrong answers among the labels"
TOO_LITTLE_LEFT = "the scores leave too little unexplained to tell how much of this they add"
FEW_RIGHT = "it takes {count} right answers among the labels"
ALL = "all scores"
# Chosen: what is left without scores may differ by this factor from what the labels' weights let them tell.
MOST_APART = 1.5
METHOD = "ratio of the variances, delta method over clusters"
Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


class JudgeShare(NamedTuple):
    """How many of the effective labels a judge's scores add: all of them, less those without it."""

    judge: str
    added: Estimate

    @property
    def is_shown(self) -> bool:
        """Whether the interval excludes that it adds nothing."""
        return self.added.low is not None and self.added.low > 0


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class EffectiveLabels(Estimate):
    """The size of a plain random sample that would tell as much of correctness as `n` labels, drawn and weighted by design.

    Attributes
    ----------
    scores : JudgeShare or None
        What all scores together add, with the reason where that cannot be told; None where nothing predicts.
    judges : sequence of JudgeShare
        What each judge adds to the others.
    """

    scores: JudgeShare | None = None
    judges: Sequence[JudgeShare] = ()


def width_of(estimate: Estimate) -> float | None:
    """Return the width of a window interval; None for what is not measured, also where bounds are known."""
    return (
        None
        if estimate.estimate is None or estimate.low is None or estimate.high is None
        else estimate.high - estimate.low
    )


def effective_labels_of(evidence: Evidence, without: Mapping[str, Numbers] | None = None) -> EffectiveLabels:
    """Compute the effective labels for correctness, by the widths of the two intervals for the same window.

    Parameters
    ----------
    evidence : Evidence
    without : mapping of str to array, optional
        For each judge, P(right) of every draw that came back as the other scores predict it.

    Notes
    -----
    A simple random sample of m of N items at the same p has Wilson's interval at m / (1 - m / N), and widths shrink with the
    root of that: m / (1 - m / N) = n / (1 - n / N) x (its width at n / ours)^2. Its logarithm moves with that of p (1 - p) / V;
    V is the sum of squared terms of the clusters, so its error is linear in them (delta method; t with clusters - 1 degrees).
    What scores add is the log ratio of the spreads of right answers in all traffic that they and the others leave unexplained.
    """
    estimate = correctness_of(evidence)
    width, size = width_of(estimate), sum(total.size for total in evidence.totals)
    right, wrong = (sum(item.judgement is judgement for item in evidence.returned) for judgement in DECIDED)
    known = EffectiveLabels(estimate=None, n=right + wrong, method=METHOD)
    if estimate.estimate is None or width is None:
        return replace(known, reason="correctness is not measurable yet")
    if min(right, wrong) < FEWEST_ERRORS:
        return replace(known, reason=Reason(FEW_WRONG if wrong < right else FEW_RIGHT, count=FEWEST_ERRORS))
    if width == 0:
        return replace(known, reason="every answer is labelled")
    known_part = sampled(evidence, tuple(Verdict))
    if not isinstance(known_part, Sampled):
        return replace(known, reason="correctness is not measurable yet")
    draws, cells, rows = known_part
    clusters = draws.ways.coarser
    if not clusters.any():
        return replace(known, reason="all labels are of one question or group")
    scale = _Scale(effective_labels(estimate.estimate, estimate.n, size, width), size, known.n)
    apart, whole = terms(draws, cells), explained(draws, draws.score)
    if not apart.square.sum() > 0 or not (whole.share * whole.leaves**2).sum() > 0:
        return replace(known, reason="the labels of each stratum all agree")
    off = _off(apart, clusters)
    known = replace(known, estimate=scale.effective, low=scale.times(-off), high=scale.times(off))
    if not np.ptp(draws.score) > 0:
        return known
    scores = scale.share(ALL, whole, explained(draws, np.zeros(len(draws.score))), clusters)
    if not _is_borne_out(draws.weight * draws.judged, scale.effective - (scores.added.estimate or 0.0)):
        return replace(known, scores=JudgeShare(ALL, Estimate(estimate=None, n=known.n, reason=TOO_LITTLE_LEFT)))
    judges = [
        scale.share(judge, whole, explained(draws, score[rows]), clusters) for judge, score in (without or {}).items()
    ]
    return replace(known, scores=scores, judges=judges)


def _is_borne_out(weight: Numbers, without: float) -> bool:
    """Return whether labels of these weights can tell as much as is said to be left `without` scores.

    Without them they tell about as much as their weights let them: (sum w)^2 / sum w^2 (Kish 1965, Survey Sampling, 11.7). What
    scores leave unexplained may be so little that the interval, which allows for errors not seen yet, is far wider: then a ratio
    of spreads says nothing of widths.
    """
    alone = float(weight.sum() ** 2 / np.sum(weight**2))
    return 1 / MOST_APART <= without / alone <= MOST_APART


def effective_labels(p: float, n: int, size: int, width: float) -> float:
    """Compute the m of `effective_labels_of` for n labels of `size` items with share p and an interval of this width."""
    left = n / (1 - n / size)
    low, high = wilson(p, left)
    effective = left * ((high - low) / width) ** 2
    return effective / (1 + effective / size)


class _Scale(NamedTuple):
    """The effective labels of `size` items."""

    effective: float
    size: int
    labels: int

    def times(self, log_ratio: float) -> float:
        """Return the effective labels of an estimate whose variance is smaller by this ratio, before any item is seen."""
        left = self.effective / (1 - self.effective / self.size) * math.exp(log_ratio)
        return left / (1 + left / self.size)

    def share(self, judge: str, whole: ExplainedErrors, other: ExplainedErrors, clusters: Indices) -> JudgeShare:
        """Return what is lost where other scores predict.

        Where both predict nearly alike the difference of two squares is no sum of independent parts. So the interval ends at 0 or
        below unless what the other leaves goes with what the whole explains beyond it (Clark and West 2007, J. Econometrics
        138:291, of nested models).
        """
        spread, more = (np.bincount(clusters, draws.share * draws.leaves**2) for draws in (whole, other))
        together = other.leaves * (whole.explains - other.explains)
        beyond = np.asarray(np.bincount(clusters, other.share * together), dtype=np.float64)
        gain, off = math.log(float(more.sum() / spread.sum())), _half_width(more / more.sum() - spread / spread.sum())
        low, middle, high = (self.effective - self.times(-at) for at in (gain - off, gain, gain + off))
        is_shown = float(beyond.sum()) > _half_width(beyond)
        low = low if is_shown else min(low, 0.0)
        return JudgeShare(judge, Estimate(estimate=middle, low=low, high=high, n=self.labels, method=METHOD))


def _off(sums: Terms, clusters: Indices) -> float:
    """Half the width of the interval of log p (1 - p) / V."""
    square, p = np.bincount(clusters, sums.square), sums.p
    plain = (1 - 2 * p) / (p * (1 - p)) * np.bincount(clusters, sums.error)
    return _half_width(np.asarray(plain - square / square.sum(), dtype=np.float64))


def _half_width(influence: NDArray[np.float64]) -> float:
    """Half the width of the 95 % interval of a sum over clusters."""
    count = len(influence)
    return quantile(count - 1) * math.sqrt(count / (count - 1) * float(np.sum((influence - influence.mean()) ** 2)))
