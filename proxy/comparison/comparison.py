"""Compare two systems, by labelled pairs of answers or by two corrected rates.

A pair is a question that both answered; several answers of one system to a question are averaged. The rules: a pair stands for
as many as its chance says, what is not measurable is said with what to label, and nothing is called better by its estimate alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import SilentShare, can_turn
from proxy.evaluation.predictor import PredictorSource
from proxy.records import Verdict
from proxy.stats.intervals import CONFIDENCE, Interval
from proxy.stats.sampling.clusters import Members
from proxy.stats.testing.paired import Pairs, mcnemar_mid_p, mover_difference
from proxy.stats.testing.paired_power import FEWEST_POWERED, PoweredDifference, paired_difference

# The fewest that could show a difference: of five that differ one way McNemar's mid-p is .03, of four .06.
FEWEST_PAIRS = 5
# With a correlation of .4 between two systems' answers, so many pairs tell as much as a label on each side apart.
ENOUGH_PAIRS = 0.6
# Chosen: 5 points, as --difference has it where none is named.
TELLING = 0.05
# Chosen: where a third of the pairs differ, 60 give an interval of 15 points to either side.
NEEDED = 60
# More right than wrong; most questions; and a share of which nothing is known.
HALF = 0.5
BONETT_PRICE = "Bonett-Price on the labelled pairs"
WEIGHTED = "Bonett-Price at the effective number of labelled pairs"
POWERED = "PPI++ on the differences, HC3, t"
CLUSTERED = ", clustered by group"
AVERAGED = ", several answers of a system to a question averaged"
MOVER = "MOVER from two corrected rates"


class ComparisonStanding(StrEnum):
    """What is shown of the second system against the first."""

    BETTER = "better"
    WORSE = "worse"
    LOOKS_BETTER = "looks better"
    LOOKS_WORSE = "looks worse"
    NO_DIFFERENCE = "no difference shown"
    UNKNOWN = "not measurable"


WEAKER = {
    ComparisonStanding.BETTER: ComparisonStanding.LOOKS_BETTER,
    ComparisonStanding.WORSE: ComparisonStanding.LOOKS_WORSE,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class AnsweredQuestion:
    """One system's answers to a question: their item indices, share right and verdict.

    `right` is the share right among those that annotators called right or wrong, None without any; `chance` that they have a
    label; `verdict` is the rule's on the first of them.
    """

    items: tuple[int, ...]
    right: float | None
    chance: float
    verdict: Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionPair:
    """A question with both answers labelled.

    `expected` is P(right) of the second minus that of the first by the rule's value.

    `joint` is the chance of the two to be drawn together, in the waves that draw pairs. `groups` are those that its answers lie
    in, `question` is what makes them a pair.
    """

    question: str
    groups: tuple[str, ...]
    first: AnsweredQuestion
    second: AnsweredQuestion
    expected: float
    joint: float = 0.0

    @property
    def difference(self) -> float:
        """The difference: right of the second minus right of the first."""
        return (self.second.right or 0.0) - (self.first.right or 0.0)

    @property
    def chance(self) -> float:
        """The chance that both have a label, 1 - (1 - P1 P2) (1 - joint)."""
        return min(1.0, 1 - (1 - self.first.chance * self.second.chance) * (1 - self.joint))


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedQuestions:
    """The questions that both systems answered.

    `expected` is over all that labels can speak for, `pairs` are those with both answers labelled.

    `out_of_reach` counts the questions of which no drawing with labels could have drawn both answers, `repeated` those to which
    one of the two gave several answers. `source` is what predicts the expected differences.
    """

    pairs: Sequence[QuestionPair]
    expected: NDArray[np.float64]
    out_of_reach: int = 0
    repeated: int = 0
    source: PredictorSource | None = None

    @property
    def questions(self) -> int:
        """The number of questions that both answered."""
        return len(self.expected) + self.out_of_reach

    @property
    def is_complete(self) -> bool:
        """Whether annotators have called every answer right or wrong."""
        return not self.out_of_reach and 0 < len(self.pairs) == len(self.expected)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedComparison:
    """The long-run difference, second minus first, and the labelled pairs as counted.

    `exact` is the difference on these very questions where all are labelled; `more` is about how many more labels of the kind
    that the estimate rests on (pairs, or answers of both) would tell a difference of TELLING. `counts_groups`: pairs share
    groups, so that `mid_p` is the larger of that over pairs and that over groups.
    """

    difference: Estimate
    standing: ComparisonStanding
    counts: Pairs | None = None
    mid_p: float | None = None
    exact: float | None = None
    more: int | None = None
    counts_groups: bool = False

    @property
    def is_paired(self) -> bool:
        """Whether the difference rests on pairs."""
        return self.difference.method != MOVER


def counted(pairs: Sequence[QuestionPair]) -> Pairs | None:
    """Count labelled pairs by who is right more often: both alike and right, only the first, only the second, neither."""
    if not pairs:
        return None
    signs = [(pair.difference > 0) - (pair.difference < 0) for pair in pairs]
    alike = [(pair.first.right or 0.0) >= HALF for pair, sign in zip(pairs, signs, strict=True) if not sign]
    return Pairs(sum(alike), signs.count(-1), signs.count(1), len(alike) - sum(alike))


def paired(shared: SharedQuestions) -> PairedComparison:
    """Compare by the pairs: Bonett-Price where they are few or the proxy does not help, else PPI++ on the differences."""
    pairs, counts = shared.pairs, counted(shared.pairs)
    if counts is None:
        return unknown(f"not measurable: no question has both answers labelled; label {NEEDED} pairs")
    differences = np.array([pair.difference for pair in pairs])
    chances = np.array([pair.chance for pair in pairs])
    expected = np.array([pair.expected for pair in pairs])
    members = Members.of([pair.groups for pair in pairs])
    exact = float(differences.mean()) if shared.is_complete else None
    if reason := members.effective(1 / chances).reason:
        return replace(unknown(reason, len(pairs)), counts=counts, exact=exact)
    everyone = (len(shared.expected), float(shared.expected.mean()))
    powered = paired_difference(differences, expected, chances, everyone, members=members)
    is_even = float(chances.max() - chances.min()) < 1e-9
    mid_p = _mid_p(counts, powered.inflation)
    difference = _estimate(powered, _method(powered, is_even=is_even) + (AVERAGED if shared.repeated else ""))
    difference = difference.leaning_on(shared.source if powered.slope else None)
    standing = _standing(difference)
    # The test doubts where few pairs of equal weight speak; unequal ones it does not understand.
    if not powered.slope and is_even and mid_p > 1 - CONFIDENCE:
        standing = WEAKER.get(standing, standing)
    return PairedComparison(
        difference=difference,
        standing=standing,
        counts=counts,
        mid_p=mid_p,
        exact=exact,
        more=more_to_tell(difference),
        counts_groups=powered.inflation > 1,
    )


def from_rates(first: Estimate, second: Estimate, names: tuple[str, str]) -> PairedComparison:
    """Compare by the corrected long-run rates of both, as of independent samples."""
    for name, estimate in zip(names, (first, second), strict=True):
        if estimate.estimate is None or estimate.low is None or estimate.high is None:
            return unknown(f"{name}: {estimate.reason or 'not measurable'}", first.n + second.n)
    a, b = (_inside(estimate) for estimate in (first, second))
    mover = mover_difference(b[0], b[1], a[0], a[1])
    difference = Estimate(
        estimate=mover.estimate,
        low=max(-1.0, mover.low),
        high=min(1.0, mover.high),
        n=first.n + second.n,
        method=MOVER,
        predictor=first.predictor or second.predictor,
    )
    return PairedComparison(difference=difference, standing=_standing(difference), more=more_to_tell(difference))


def unknown(reason: str, n: int = 0) -> PairedComparison:
    """Report that the difference cannot be measured, with the reason."""
    return PairedComparison(difference=Estimate(estimate=None, n=n, reason=reason), standing=ComparisonStanding.UNKNOWN)


def chosen(
    by_pairs: PairedComparison, by_rates: PairedComparison, labels: int, share_of_questions: float
) -> PairedComparison:
    """Choose which of the two to report: the pairs, unless they tell less than the rates or are not what was asked.

    That is where the two answered hardly the same questions; or, unless every pair is labelled, where fewer than FEWEST_PAIRS
    are, or fewer than ENOUGH_PAIRS of the `labels` of the side that has fewer, but for an interval that is the narrower and rests
    on FEWEST_POWERED of them. Each stands in for the other where that cannot be measured.
    """
    n = by_pairs.difference.n
    has_more = n >= ENOUGH_PAIRS * labels or (n >= FEWEST_POWERED and _width(by_pairs) < _width(by_rates))
    is_enough = by_pairs.exact is not None or (n >= FEWEST_PAIRS and has_more)
    order = (by_pairs, by_rates) if share_of_questions >= HALF and is_enough else (by_rates, by_pairs)
    measured = next(
        (comparison for comparison in order if comparison.standing is not ComparisonStanding.UNKNOWN), order[0]
    )
    return replace(
        measured,
        counts=by_pairs.counts,
        mid_p=by_pairs.mid_p,
        exact=by_pairs.exact,
        counts_groups=by_pairs.counts_groups,
    )


def doubted(comparison: PairedComparison) -> PairedComparison:
    """Weaken a claim that something speaks against: better becomes looks better, worse becomes looks worse."""
    return replace(comparison, standing=WEAKER.get(comparison.standing, comparison.standing))


def could_turn(comparison: PairedComparison, systems: tuple[SilentShare, SilentShare]) -> bool:
    """Return whether answers without a right or wrong could take away what is shown of the second against the first."""
    low, high = comparison.difference.low or 0.0, comparison.difference.high or 0.0
    larger, smaller = reversed(systems) if comparison.standing is ComparisonStanding.BETTER else systems
    return can_turn(max(low, -high), larger, smaller)


def right_of(rate: Estimate) -> float:
    """Return the share right; a half where that cannot be measured."""
    return HALF if rate.estimate is None else rate.estimate


def _width(comparison: PairedComparison) -> float:
    low, high = comparison.difference.low, comparison.difference.high
    return math.inf if low is None or high is None else high - low


def more_to_tell(difference: Estimate) -> int | None:
    """Estimate how many more bring the half width down to TELLING: n (half width / TELLING)^2 - n of the same kind."""
    if difference.low is None or difference.high is None:
        return None
    half = (difference.high - difference.low) / 2
    return max(0, math.ceil(difference.n * ((half / TELLING) ** 2 - 1)))


def _estimate(powered: PoweredDifference, method: str) -> Estimate:
    estimate, low, high = powered.difference
    return Estimate(estimate=estimate, low=low, high=high, n=powered.n, method=method)


def _method(powered: PoweredDifference, *, is_even: bool) -> str:
    plain = POWERED if powered.slope else BONETT_PRICE if is_even else WEIGHTED
    return plain + CLUSTERED if powered.inflation > 1 else plain


def _mid_p(counts: Pairs, inflation: float) -> float:
    """Compute McNemar's mid-p; where pairs share groups, the larger of that and the one of the effective number that differ."""
    of_pairs = mcnemar_mid_p(counts)
    if inflation == 1:
        return of_pairs
    first, second = (int(count / inflation) for count in (counts.only_first, counts.only_second))
    if not first + second:
        return 1.0
    return max(of_pairs, mcnemar_mid_p(counts._replace(only_first=first, only_second=second)))


def _standing(difference: Estimate) -> ComparisonStanding:
    if difference.low is None or difference.high is None:
        return ComparisonStanding.UNKNOWN
    if difference.low > 0:
        return ComparisonStanding.BETTER
    return ComparisonStanding.WORSE if difference.high < 0 else ComparisonStanding.NO_DIFFERENCE


def _inside(estimate: Estimate) -> tuple[float, Interval]:
    """Return the estimate with an interval that contains it."""
    value, low, high = estimate.estimate or 0.0, estimate.low or 0.0, 1.0 if estimate.high is None else estimate.high
    return value, Interval(min(low, value), max(high, value))
