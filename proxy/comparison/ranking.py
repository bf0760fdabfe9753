"""Rank systems by their share of right answers, with a range of ranks for each.

In: the answers of all systems with the rule's value, and the weighted labels. Out: `Standings`. The rate of a system is what the
values predict, corrected by its own labels (`corrected_rates`).

Every pair of systems is tested, and the p-values are adjusted for the number of pairs (Holm). Two systems that are not
distinguished are tied, so that a system has a range of ranks. In at most 5 % of rankings is any distinguished pair in the wrong
order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from proxy.comparison.corrected_rates import CorrectedRate, CorrectedRates, SampledAnswers, corrected_rates
from proxy.comparison.expected import Answers, Indices, Numbers
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import SilentShare, can_turn
from proxy.stats.intervals import CONFIDENCE, Interval
from proxy.stats.sampling.clusters import effective, shared_by_groups
from proxy.stats.sampling.survey import Draws
from proxy.stats.testing.multiplicity import holm
from proxy.stats.testing.paired import mover_difference

# Chosen: of 8 right among 10 labels the interval is 49 to 94 %, which begins to part systems.
TO_START = 10
RATE = "expected by the value, corrected by the system's own labels, Wilson at the effective sample size"
DIFFERENCE = "corrected rates by MOVER; score test, Holm over all pairs"


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemStanding:
    """One system: its answers, its labels, its rate in this window and in the long run, and its range of ranks.

    `best` is 1 plus the number of systems that are clearly better. `worst` is the number of systems minus those that are clearly
    worse. Both are None where the rate is not measurable.
    """

    number: int
    answers: int
    labels: int
    correctness: Estimate
    long_run: Estimate
    best: int | None = None
    worst: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Against:
    """A pair of systems, by number: the rate of `better` minus the rate of `worse`.

    `p_value` is for the answers in this window, `p_long_run` for all questions of this kind; both are adjusted for the number of
    pairs. `is_open` is true where draws without a label could reverse the order, or where the labels support no claim.
    """

    better: int
    worse: int
    difference: Estimate
    p_value: float
    p_long_run: float
    is_open: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the two are distinguished on the answers at hand."""
        return self.p_value <= 1 - CONFIDENCE and not self.is_open

    @property
    def is_lasting(self) -> bool:
        """Whether they are distinguished in the long run, too."""
        return self.is_clear and self.p_long_run <= 1 - CONFIDENCE


@dataclass(frozen=True, kw_only=True, slots=True)
class Standings:
    """The systems from the best rate to the worst, those not measurable last, and every pair of those measured."""

    systems: tuple[SystemStanding, ...]
    pairs: tuple[Against, ...]

    @property
    def measured(self) -> tuple[SystemStanding, ...]:
        """The systems with a rate."""
        return tuple(standing for standing in self.systems if standing.best is not None)

    @property
    def leaders(self) -> tuple[SystemStanding, ...]:
        """The systems that none is clearly better than."""
        return tuple(standing for standing in self.systems if standing.best == 1)

    @property
    def is_lasting(self) -> bool:
        """Whether one system is distinguished from every other measured one, in the long run too."""
        return any(
            sum(pair.better == leader.number and pair.is_lasting for pair in self.pairs) == len(self.measured) - 1
            for leader in self.leaders
        )

    @property
    def clear(self) -> tuple[Against, ...]:
        """The pairs that are distinguished."""
        return tuple(pair for pair in self.pairs if pair.is_clear)


def standings(
    answers: Answers, sampled: SampledAnswers, systems: int, missing: Sequence[float] = (), *, is_doubted: bool = False
) -> Standings:
    """Rank the systems.

    Parameters
    ----------
    answers : Answers
        The answers of all systems. A wave must have been able to draw each of them.
    sampled : SampledAnswers
        The labelled ones, with their weights.
    systems : int
        The number of systems.
    missing : sequence of float
        For each system, the share of its draws without a right or wrong. The intervals hold whatever these are.
    is_doubted : bool
        Whether the labels support no claim: then no two systems are distinguished.
    """
    corrected = corrected_rates(answers, sampled, systems)
    shares = missing or (0.0,) * systems
    pairs = [
        replace(against, is_open=is_doubted or against.is_open)
        for against in (_over_all_cases(pair, corrected, shares) for pair in _pairs(corrected, answers, sampled.draws))
    ]
    sizes = np.bincount(answers.system, minlength=systems)
    labels = np.bincount(answers.system[sampled.row], sampled.draws.judged, systems)
    ranked = [
        _widened(_standing(number, int(sizes[number]), int(labels[number]), corrected), shares[number])
        for number in range(systems)
    ]
    clear = [pair for pair in pairs if pair.is_clear]
    placed = [_placed(standing, clear, len(corrected.rates)) for standing in ranked]
    return Standings(systems=tuple(sorted(placed, key=_order)), pairs=tuple(pairs))


def _standing(number: int, answers: int, labels: int, corrected: CorrectedRates) -> SystemStanding:
    rate = corrected.rates.get(number)
    if rate is None:
        reason = f"not measurable: label {max(1, min(answers, TO_START) - labels)} of its answers"
        unknown = Estimate(estimate=None, n=labels, reason=reason if answers else "no answer of it can be measured")
        return SystemStanding(number=number, answers=answers, labels=labels, correctness=unknown, long_run=unknown)
    window, behind = rate.interval(corrected.df), _behind_window(rate, answers, corrected.df)
    here = Estimate(estimate=rate.shown, low=window.low, high=window.high, n=labels, method=RATE, long_run=behind)
    return SystemStanding(
        number=number,
        answers=answers,
        labels=labels,
        correctness=here,
        long_run=replace(here, low=behind.low, high=behind.high, long_run=None)
        if behind
        else Estimate(estimate=None, n=labels, reason=rate.left.reason),
    )


def _widened(standing: SystemStanding, missing: float) -> SystemStanding:
    """Widen the intervals of the rate so that they hold whatever the missing answers are."""
    return (
        standing
        if not missing
        else replace(
            standing, correctness=_filled(standing.correctness, missing), long_run=_filled(standing.long_run, missing)
        )
    )


def _filled(estimate: Estimate, missing: float) -> Estimate:
    if estimate.low is None or estimate.high is None:
        return estimate
    least, most = SilentShare(estimate.low, missing).least, SilentShare(estimate.high, missing).most
    behind = estimate.long_run and Interval(
        SilentShare(estimate.long_run.low, missing).least, SilentShare(estimate.long_run.high, missing).most
    )
    return replace(estimate, low=least, high=most, long_run=behind)


def _over_all_cases(pair: Against, corrected: CorrectedRates, missing: Sequence[float]) -> Against:
    """Widen the interval of the pair to all cases of missing answers; open where no difference remains."""
    better, worse = (SilentShare(corrected.rates[n].shown, missing[n]) for n in (pair.better, pair.worse))
    difference = pair.difference
    if not better.missing + worse.missing or difference.low is None or difference.high is None:
        return pair
    less = (better.share - better.least) + (worse.most - worse.share)
    more = (better.most - better.share) + (worse.share - worse.least)
    widened = replace(difference, low=max(-1.0, difference.low - less), high=min(1.0, difference.high + more))
    return replace(pair, difference=widened, is_open=can_turn(max(0.0, difference.low), better, worse))


def _behind_window(rate: CorrectedRate, answers: int, df: float) -> Interval | None:
    """Compute the long-run interval, as of a sample of all such answers; groups and repeated questions count once."""
    if rate.left.reason:
        return None
    df = min(df, rate.left.df) if rate.left.is_together else df
    return rate.interval(df, beyond=1 / answers + rate.together / rate.spread)


def _placed(standing: SystemStanding, clear: Sequence[Against], systems: int) -> SystemStanding:
    if standing.correctness.estimate is None:
        return standing
    better, worse = (sum(number == standing.number for number in numbers) for numbers in _sides(clear))
    return replace(standing, best=1 + worse, worst=systems - better)


def _sides(clear: Sequence[Against]) -> tuple[list[int], list[int]]:
    return [pair.better for pair in clear], [pair.worse for pair in clear]


def _order(standing: SystemStanding) -> tuple[bool, float, int]:
    rate = standing.correctness.estimate
    return rate is None, -(rate or 0.0), standing.number


def _pairs(corrected: CorrectedRates, answers: Answers, draws: Draws) -> list[Against]:
    """Test every pair of systems that have a rate, the better one first."""
    rates, df = corrected.rates, corrected.df
    pairs = [(a, b) if rates[a].rate >= rates[b].rate else (b, a) for a, b in combinations(sorted(rates), 2)]
    if not pairs:
        return []
    lots = _lots(draws)
    correlations = [_correlation(rates[a], rates[b], lots) for a, b in pairs]
    here = holm([_p_value(rates[a], rates[b], r, 0.0, df) for (a, b), r in zip(pairs, correlations, strict=True)])
    lasting = holm(
        [
            _p_long_run(rates[a], rates[b], r, _behind(rates[a], rates[b], answers.question), df, draws)
            for (a, b), r in zip(pairs, correlations, strict=True)
        ]
    )
    return [
        Against(
            better=a, worse=b, difference=_difference(rates[a], rates[b], r, df), p_value=float(p), p_long_run=float(q)
        )
        for (a, b), r, p, q in zip(pairs, correlations, here, lasting, strict=True)
    ]


def _lots(draws: Draws) -> Indices:
    """Number the lots of the draws from 0."""
    if draws.together is None:
        return np.arange(len(draws.right))
    return np.asarray(np.unique(draws.together, return_inverse=True)[1], dtype=np.intp)


def _correlation(first: CorrectedRate, second: CorrectedRate, lots: Indices) -> float:
    """Correlate the errors of two rates, as one lot may draw answers of both: sum of the products over the roots.

    Halved where few lots did, as a correlation from a few products is mostly chance: times k / (k + 20).
    """
    first_errors, second_errors = np.bincount(lots, first.terms), np.bincount(lots, second.terms)
    size = math.sqrt(float(np.sum(first_errors**2)) * float(np.sum(second_errors**2)))
    count = int(np.sum((first_errors != 0) & (second_errors != 0)))
    return float(np.sum(first_errors * second_errors)) / size * count / (count + 20) if size > 0 else 0.0


def _p_value(first: CorrectedRate, second: CorrectedRate, correlation: float, behind: float, df: float) -> float:
    """Test whether two rates are equal by the score test: the variance is that at the rate which they would share."""
    from scipy.special import stdtr

    gap, sizes = abs(first.shown - second.shown), [1 / max(rate.relative, 1e-12) for rate in (first, second)]
    shared = (sizes[0] * first.inside + sizes[1] * second.inside) / sum(sizes)
    relative = first.relative + second.relative - 2 * correlation * math.sqrt(first.relative * second.relative)
    variance = shared * (1 - shared) * relative + behind
    if variance <= 0:
        return 1.0 if gap <= 1e-12 else 0.0
    return float(2 * stdtr(df, -gap / math.sqrt(variance)))


def _p_long_run(
    first: CorrectedRate, second: CorrectedRate, correlation: float, behind: float, df: float, draws: Draws
) -> float:
    """Test the same for all such questions; groups that hold several add what their labels share, and leave fewer df."""
    rows = (first.influence != 0) | (second.influence != 0)
    ways = draws.only(rows).ways
    if not rows.any() or not ways.has_larger_groups:
        return _p_value(first, second, correlation, behind, df)
    left = effective(ways, draws.weight[rows])
    if left.reason:
        return 1.0
    more = shared_by_groups((first.influence - second.influence)[rows], ways)
    return _p_value(first, second, correlation, behind + more, min(df, left.df))


def _difference(first: CorrectedRate, second: CorrectedRate, correlation: float, df: float) -> Estimate:
    difference = mover_difference(
        first.shown, first.interval(df), second.shown, second.interval(df), correlation=max(-1.0, min(1.0, correlation))
    )
    return Estimate(
        estimate=difference.estimate,
        low=difference.low,
        high=difference.high,
        n=first.labels + second.labels,
        method=DIFFERENCE,
    )


def _behind(first: CorrectedRate, second: CorrectedRate, question: Indices) -> float:
    """Compute the long-run variance that the questions add to a difference: Va / n + Vb / m - 2 k C / (n m).

    The questions at hand are taken as a sample of all such questions.

    V = p (1 - p) of a question that one answered, and k questions that both answered, on which a - b has the variance of its
    expectations plus m' (1 - m') of either; that gives C.
    """
    count = int(question.max()) + 1
    sizes = [np.bincount(question[rate.rows], minlength=count) for rate in (first, second)]
    shared = (sizes[0] > 0) & (sizes[1] > 0)
    alone, n = [rate.spread for rate in (first, second)], [int((size > 0).sum()) for size in sizes]
    k, covariance = int(shared.sum()), 0.0
    if k:
        means = [
            _by_question(rate, question, rate.share, size) for rate, size in zip((first, second), sizes, strict=True)
        ]
        noise = [
            _by_question(rate, question, rate.share * (1 - rate.share), size) / np.maximum(size, 1)
            for rate, size in zip((first, second), sizes, strict=True)
        ]
        paired = float((means[0] - means[1])[shared].var() + (noise[0] + noise[1])[shared].mean())
        covariance = (sum(alone) - paired) / 2
    return max(0.0, alone[0] / n[0] + alone[1] / n[1] - 2 * k * covariance / (n[0] * n[1]))


def _by_question(rate: CorrectedRate, question: Indices, values: Numbers, size: Indices) -> Numbers:
    """Average the values by question."""
    return np.asarray(np.bincount(question[rate.rows], values, len(size)) / np.maximum(size, 1), dtype=np.float64)
