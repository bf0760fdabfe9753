"""Many systems in order: every answer with its value, and the labelled ones as the ledger weights them, in; ranks out.

The rule: two systems are told apart only by a test that holds for all pairs at once, and what is not told apart is a tie. So a
system has a range of ranks, and the order of two that are told apart is wrong in 5 % of rankings at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from proxy.comparison.corrected_rates import Rate, Rates, Sampled, corrected_rates
from proxy.comparison.expected import Answers, Indices, Numbers
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import SilentShare, can_turn
from proxy.stats.intervals import CONFIDENCE, Interval
from proxy.stats.sampling.clusters import effective, shared_by_groups
from proxy.stats.sampling.survey import Draws
from proxy.stats.testing.multiplicity import holm
from proxy.stats.testing.paired import mover_difference

TO_START = 10
RATE = "expected by the value, corrected by the system's own labels, Wilson at the effective sample size"
DIFFERENCE = "corrected rates by MOVER; score test, Holm over all pairs"


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A system: its answers and labels, the share right of these answers and in the long run, and the ranks it may have.

    `best` is 1 + the systems that are clearly better, `worst` the number of all less those that are clearly worse; None where the
    rate is not measurable.
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
    """Two systems: `better` minus `worse` on the answers at hand; p-values that hold for all pairs at once.

    `p_value` speaks of the answers at hand, `p_long_run` of all such questions. `is_open` where missing answers could turn it, or
    the labels are no yardstick.
    """

    better: int
    worse: int
    difference: Estimate
    p_value: float
    p_long_run: float
    is_open: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the two are told apart on the answers at hand."""
        return self.p_value <= 1 - CONFIDENCE and not self.is_open

    @property
    def is_lasting(self) -> bool:
        """Whether they are told apart in the long run, too."""
        return self.is_clear and self.p_long_run <= 1 - CONFIDENCE


@dataclass(frozen=True, kw_only=True, slots=True)
class Standings:
    """The systems from the best rate to the worst, those that cannot be measured last, and every pair of those measured."""

    systems: tuple[Standing, ...]
    pairs: tuple[Against, ...]

    @property
    def measured(self) -> tuple[Standing, ...]:
        """The systems with a rate."""
        return tuple(one for one in self.systems if one.best is not None)

    @property
    def leaders(self) -> tuple[Standing, ...]:
        """The systems that none is clearly better than."""
        return tuple(one for one in self.systems if one.best == 1)

    @property
    def clear(self) -> tuple[Against, ...]:
        """The pairs that are told apart."""
        return tuple(one for one in self.pairs if one.is_clear)


def standings(
    answers: Answers, sampled: Sampled, systems: int, missing: Sequence[float] = (), *, is_doubted: bool = False
) -> Standings:
    """Rank so many systems; a drawing could have reached every answer that is given here.

    `missing` is the share of each system's draws without a right or wrong: intervals hold whatever those are. Where the labels
    are `is_doubted` no two systems are told apart.
    """
    found = corrected_rates(answers, sampled, systems)
    shares = missing or (0.0,) * systems
    pairs = [
        replace(one, is_open=is_doubted or one.is_open)
        for one in (_over_all_cases(pair, found, shares) for pair in _pairs(found, answers, sampled.draws))
    ]
    sizes = np.bincount(answers.system, minlength=systems)
    labels = np.bincount(answers.system[sampled.row], sampled.draws.judged, systems)
    ranked = [
        _widened(_standing(number, int(sizes[number]), int(labels[number]), found), shares[number])
        for number in range(systems)
    ]
    clear = [one for one in pairs if one.is_clear]
    placed = [_placed(one, clear, len(found.rates)) for one in ranked]
    return Standings(systems=tuple(sorted(placed, key=_order)), pairs=tuple(pairs))


def _standing(number: int, answers: int, labels: int, found: Rates) -> Standing:
    one = found.rates.get(number)
    if one is None:
        reason = f"not measurable: label {max(1, min(answers, TO_START) - labels)} of its answers"
        unknown = Estimate(estimate=None, n=labels, reason=reason if answers else "no answer of it can be measured")
        return Standing(number=number, answers=answers, labels=labels, correctness=unknown, long_run=unknown)
    window, behind = one.interval(found.df), _behind_window(one, answers, found.df)
    here = Estimate(estimate=one.shown, low=window.low, high=window.high, n=labels, method=RATE, long_run=behind)
    return Standing(
        number=number,
        answers=answers,
        labels=labels,
        correctness=here,
        long_run=replace(here, low=behind.low, high=behind.high, long_run=None)
        if behind
        else Estimate(estimate=None, n=labels, reason=one.left.reason),
    )


def _widened(one: Standing, missing: float) -> Standing:
    """The rate with intervals that hold whatever the missing answers are."""
    return (
        one
        if not missing
        else replace(one, correctness=_filled(one.correctness, missing), long_run=_filled(one.long_run, missing))
    )


def _filled(one: Estimate, missing: float) -> Estimate:
    if one.low is None or one.high is None:
        return one
    least, most = SilentShare(one.low, missing).least, SilentShare(one.high, missing).most
    behind = one.long_run and Interval(
        SilentShare(one.long_run.low, missing).least, SilentShare(one.long_run.high, missing).most
    )
    return replace(one, low=least, high=most, long_run=behind)


def _over_all_cases(pair: Against, found: Rates, missing: Sequence[float]) -> Against:
    """The pair with an interval over all cases; open where that holds no difference any more."""
    better, worse = (SilentShare(found.rates[n].shown, missing[n]) for n in (pair.better, pair.worse))
    one = pair.difference
    if not better.missing + worse.missing or one.low is None or one.high is None:
        return pair
    less = (better.share - better.least) + (worse.most - worse.share)
    more = (better.most - better.share) + (worse.share - worse.least)
    widened = replace(one, low=max(-1.0, one.low - less), high=min(1.0, one.high + more))
    return replace(pair, difference=widened, is_open=can_turn(max(0.0, one.low), better, worse))


def _behind_window(one: Rate, answers: int, df: float) -> Interval | None:
    """The interval of the long run, as of a sample of all such answers, in which groups and repeated questions count once."""
    if one.left.reason:
        return None
    df = min(df, one.left.df) if one.left.is_together else df
    return one.interval(df, beyond=1 / answers + one.together / one.spread)


def _placed(one: Standing, clear: Sequence[Against], systems: int) -> Standing:
    if one.correctness.estimate is None:
        return one
    better, worse = (sum(own == one.number for own in side) for side in _sides(clear))
    return replace(one, best=1 + worse, worst=systems - better)


def _sides(clear: Sequence[Against]) -> tuple[list[int], list[int]]:
    return [one.better for one in clear], [one.worse for one in clear]


def _order(one: Standing) -> tuple[bool, float, int]:
    rate = one.correctness.estimate
    return rate is None, -(rate or 0.0), one.number


def _pairs(found: Rates, answers: Answers, draws: Draws) -> list[Against]:
    """Every two of the systems with a rate, the better first."""
    rates, df = found.rates, found.df
    both = [
        (one, other) if rates[one].rate >= rates[other].rate else (other, one)
        for one, other in combinations(sorted(rates), 2)
    ]
    if not both:
        return []
    lots = _lots(draws)
    alike = [_correlation(rates[a], rates[b], lots) for a, b in both]
    here = holm([_p_value(rates[a], rates[b], r, 0.0, df) for (a, b), r in zip(both, alike, strict=True)])
    lasting = holm(
        [
            _p_long_run(rates[a], rates[b], r, _behind(rates[a], rates[b], answers.question), df, draws)
            for (a, b), r in zip(both, alike, strict=True)
        ]
    )
    return [
        Against(
            better=a, worse=b, difference=_difference(rates[a], rates[b], r, df), p_value=float(p), p_long_run=float(q)
        )
        for (a, b), r, p, q in zip(both, alike, here, lasting, strict=True)
    ]


def _lots(draws: Draws) -> Indices:
    """The lot of each draw, numbered from 0."""
    if draws.together is None:
        return np.arange(len(draws.right))
    return np.asarray(np.unique(draws.together, return_inverse=True)[1], dtype=np.intp)


def _correlation(one: Rate, other: Rate, lots: Indices) -> float:
    """How far the errors of two rates go together because one lot drew answers of both: sum of the products over the roots.

    Halved where few lots did, as a correlation from a few products is mostly chance: times k / (k + 20).
    """
    mine, theirs = np.bincount(lots, one.terms), np.bincount(lots, other.terms)
    size = math.sqrt(float(np.sum(mine**2)) * float(np.sum(theirs**2)))
    count = int(np.sum((mine != 0) & (theirs != 0)))
    return float(np.sum(mine * theirs)) / size * count / (count + 20) if size > 0 else 0.0


def _p_value(one: Rate, other: Rate, correlation: float, behind: float, df: float) -> float:
    """The score test of one rate for both: the variance is that at the rate which they would share."""
    from scipy.special import stdtr

    gap, sizes = abs(one.shown - other.shown), [1 / max(each.relative, 1e-12) for each in (one, other)]
    shared = (sizes[0] * one.inside + sizes[1] * other.inside) / sum(sizes)
    relative = one.relative + other.relative - 2 * correlation * math.sqrt(one.relative * other.relative)
    variance = shared * (1 - shared) * relative + behind
    if variance <= 0:
        return 1.0 if gap <= 1e-12 else 0.0
    return float(2 * stdtr(df, -gap / math.sqrt(variance)))


def _p_long_run(one: Rate, other: Rate, correlation: float, behind: float, df: float, draws: Draws) -> float:
    """The same of all such questions; groups that hold several add what their labels have in common, and leave fewer df."""
    rows = (one.influence != 0) | (other.influence != 0)
    ways = draws.only(rows).ways
    if not rows.any() or not ways.has_larger_groups:
        return _p_value(one, other, correlation, behind, df)
    left = effective(ways, draws.weight[rows])
    if left.reason:
        return 1.0
    more = shared_by_groups((one.influence - other.influence)[rows], ways)
    return _p_value(one, other, correlation, behind + more, min(df, left.df))


def _difference(one: Rate, other: Rate, correlation: float, df: float) -> Estimate:
    found = mover_difference(
        one.shown, one.interval(df), other.shown, other.interval(df), correlation=max(-1.0, min(1.0, correlation))
    )
    return Estimate(
        estimate=found.estimate, low=found.low, high=found.high, n=one.labels + other.labels, method=DIFFERENCE
    )


def _behind(one: Rate, other: Rate, question: Indices) -> float:
    """What the questions at hand add to the variance of a difference as a sample of all such: Va / n + Vb / m - 2 k C / (n m).

    V = p (1 - p) of a question that one answered, and k questions that both answered, on which a - b has the variance of its
    expectations plus m' (1 - m') of either; that gives C.
    """
    count = int(question.max()) + 1
    sizes = [np.bincount(question[each.rows], minlength=count) for each in (one, other)]
    shared = (sizes[0] > 0) & (sizes[1] > 0)
    alone, n = [each.spread for each in (one, other)], [int((size > 0).sum()) for size in sizes]
    k, covariance = int(shared.sum()), 0.0
    if k:
        means = [_by_question(each, question, each.share, size) for each, size in zip((one, other), sizes, strict=True)]
        noise = [
            _by_question(each, question, each.share * (1 - each.share), size) / np.maximum(size, 1)
            for each, size in zip((one, other), sizes, strict=True)
        ]
        paired = float((means[0] - means[1])[shared].var() + (noise[0] + noise[1])[shared].mean())
        covariance = (sum(alone) - paired) / 2
    return max(0.0, alone[0] / n[0] + alone[1] / n[1] - 2 * k * covariance / (n[0] * n[1]))


def _by_question(one: Rate, question: Indices, values: Numbers, size: Indices) -> Numbers:
    """The mean by question."""
    return np.asarray(np.bincount(question[one.rows], values, len(size)) / np.maximum(size, 1), dtype=np.float64)
