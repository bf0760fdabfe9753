"""Measure a trained judge on the pairs that were held out of its training, beside the offline judge of its criterion.

The pairs are made, so nothing here says how the judge does on real answers: annotators' labels say that. Pairs made from
one answer, or from answers that share a question or a passage, are one cluster.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proxy.evaluation.discrimination import NO_VARIANCE
from proxy.evaluation.estimate import Estimate
from proxy.judges.base import Judge
from proxy.judges.trained.features import FEATURES
from proxy.judges.trained.pairs import POSITIVE, PairKind, TrainingPair
from proxy.judges.trained.training import Trained
from proxy.records import Score
from proxy.stats.calibration.auroc import Auroc, Mask, auroc, auroc_interval, measurable
from proxy.stats.intervals import Interval, quantile
from proxy.stats.sampling.clusters import FEWEST, Ways, clustered
from proxy.stats.testing.paired import mover_difference

METHOD = "Mann-Whitney on synthetic pairs, clustered by question and passage"
# Answers with an error: the usual number below which a share is not near normal.
FEWEST_ERRORS = 5
FEW = "not measurable: too few pairs were held out; bring more supported answers"


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldOut:
    """The AUROC of a trained judge and of the offline judge on synthetic pairs, and the difference.

    `pairs` counts the pairs by kind that both judges scored, `answers` the clusters that they lie in.
    """

    trained: Estimate
    stock: Estimate
    difference: Estimate
    pairs: Mapping[PairKind, int]
    answers: int


def held_out(trained: Trained) -> HeldOut:
    """Measure both judges on the held-out pairs that both score."""
    criterion = trained.judge.model.criterion
    judges = (trained.judge, FEATURES[criterion].stock)
    rows = [(pair, scores) for pair in trained.held_out if (scores := _scores(pair, judges)) is not None]
    pairs = [pair for pair, _ in rows]
    positive = np.array([POSITIVE[criterion][pair.kind] for pair in pairs], dtype=np.bool_)
    ways = Ways.of(np.array([pair.unit for pair in pairs], dtype=np.intp))
    answers = len(np.unique(ways.group))
    first, second = (
        auroc([scores[place] for _, scores in rows], positive) if rows else None for place in range(len(judges))
    )
    counts = {kind: sum(pair.kind is kind for pair in pairs) for kind in POSITIVE[criterion]}
    if first is None or second is None or measurable(positive) or answers < FEWEST:
        unknown = Estimate(estimate=None, n=len(pairs), reason=FEW)
        return HeldOut(trained=unknown, stock=unknown, difference=unknown, pairs=counts, answers=answers)
    return HeldOut(
        trained=_estimate(first, ways, answers),
        stock=_estimate(second, ways, answers),
        difference=_difference(first, second, positive, ways, answers),
        pairs=counts,
        answers=answers,
    )


def _scores(pair: TrainingPair, judges: Sequence[Judge]) -> tuple[float, ...] | None:
    """Return the score of each judge; None where one of them gives none."""
    outcomes = [judge.judge(pair.item) for judge in judges]
    scores = tuple(outcome.value for outcome in outcomes if isinstance(outcome, Score))
    return scores if len(scores) == len(judges) else None


def _estimate(area: Auroc, ways: Ways, answers: int) -> Estimate:
    return _known(area.estimate, _interval(area, ways, answers), len(area.influence))


def _interval(area: Auroc, ways: Ways, answers: int) -> Interval:
    """Compute the interval of an AUROC. Pairs of one answer err together, so it has no more of a class than there are answers."""
    variance = clustered(area.influence, ways).variance
    return auroc_interval(area.estimate, variance, min(area.n_right, answers), min(area.n_wrong, answers))


def _difference(first: Auroc, second: Auroc, positive: Mask, ways: Ways, answers: int) -> Estimate:
    variance = clustered(first.influence - second.influence, ways).variance
    value, n = first.estimate - second.estimate, len(first.influence)
    ends = Interval(value, value)
    if variance > NO_VARIANCE:
        half = quantile(answers - 1) * math.sqrt(variance)
        ends = Interval(value - half, value + half)
    if min(_erring(area, positive, ways) for area in (first, second)) < FEWEST_ERRORS:
        # The few answers that they err on do not tell a variance: how far they may differ is what each interval leaves open.
        _, low, high = mover_difference(
            first.estimate, _interval(first, ways, answers), second.estimate, _interval(second, ways, answers)
        )
        ends = Interval(min(ends.low, low), max(ends.high, high))
    return _known(value, Interval(max(-1.0, ends.low), min(1.0, ends.high)), n)


def _erring(area: Auroc, positive: Mask, ways: Ways) -> int:
    """Count the answers that have a wrongly ranked pair, of the positive or of the negative pairs, whichever are fewer."""
    n = np.where(positive, area.n_right, area.n_wrong)
    is_wrong = area.influence * n + area.estimate < 1 - 1e-9
    return min(len(np.unique(ways.group[is_wrong & kind])) for kind in (positive, ~positive))


def _known(value: float, ends: Interval, n: int) -> Estimate:
    """Return an estimate of the pairs behind these: made pairs have no window of their own."""
    return Estimate(estimate=value, low=ends.low, high=ends.high, n=n, method=METHOD, long_run=ends)
