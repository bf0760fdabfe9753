"""Measure how far one rule is better than another, on the items that both give a verdict.

Both rules are measured on the same items: they fall into four groups by the two verdicts, both 2x2 tables are sums over the
groups, and one draw of the groups' shares of right answers moves both tables. So the interval is that of the difference, not
of two separate estimates. Where the verdicts differ there may be few labels: there the draws are the ends of exact intervals, and
what these labels leave possible lies in the interval. For the long run the difference is linearised, with clusters as the units.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from proxy.evaluation.confusion_rates import (
    DERIVED,
    MAY_BE_UNDEFINED,
    RANGES,
    SHARE,
    Distribution,
    draw_window,
    even_draws,
    exact,
    jeffreys,
    middle,
)
from proxy.evaluation.domains import Evidence, Part, Unknown, part, unreachable
from proxy.evaluation.estimate import NO_LONG_RUN, Estimate
from proxy.records import Verdict
from proxy.stats.agreement import confusion
from proxy.stats.intervals import CONFIDENCE, Interval
from proxy.stats.remembered import remembered
from proxy.stats.sampling.clusters import FEWEST as FEWEST_CLUSTERS
from proxy.stats.sampling.clusters import Ways
from proxy.stats.sampling.survey import Proportion
from proxy.stats.testing.paired_rules import MEASURES, difference_of_rules

SCORED = (Verdict.PASS, Verdict.FAIL)
PAIRS = tuple((verdict, other) for verdict in SCORED for other in SCORED)
Pair = tuple[Estimate, Estimate]
METHOD = "one sample for both rules, Beta draws, exact where the verdicts differ"


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedLabels:
    """The right or wrong labels on items with both verdicts, as arrays of one length: 1 for right, and for pass."""

    right: confusion.Numbers
    passed: confusion.Numbers
    passed_by_other: confusion.Numbers
    weight: confusion.Numbers
    ways: Ways

    @property
    def differ(self) -> int:
        """The number of labels on which the rules differ."""
        return int((self.passed != self.passed_by_other).sum())


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictGroups:
    """The items by (verdict of the rule, verdict of the other), each group as evidence of its own."""

    evidence: Mapping[tuple[Verdict, Verdict], Evidence]
    labels: PairedLabels | None = None

    @property
    def n(self) -> int:
        """The number of labels that came back."""
        return sum(len(evidence.returned) for evidence in self.evidence.values())


class RuleDifference(NamedTuple):
    """A difference with its 95 % intervals, and the interval that holds for all compared rules at once (Bonferroni).

    `of_all` holds for this window and for the long run. `differ` is the number of labels on which the rules differ; None where
    that is not known.
    """

    estimate: Estimate
    of_all: Interval | None = None
    differ: int | None = None


def differences(groups: VerdictGroups, estimates: Mapping[str, Pair], compared: int = 1) -> dict[str, RuleDifference]:
    """Estimate the difference of each quantity: the rule's minus the other's; `compared` rules are compared.

    `estimates` are the quantity under the rule and under the other, both on the items that both score; the groups' draws give
    the interval about their difference.
    """
    silent = any(unreachable(evidence, SCORED) for evidence in groups.evidence.values())
    if silent or not groups.n:
        reason = "not measurable: one of the rules was not audited; label items that it fails"
        return {name: RuleDifference(Estimate(estimate=None, n=groups.n, reason=reason)) for name in estimates}
    parts = tuple(_part(groups.evidence[pair]) for pair in PAIRS)
    sizes = tuple(_judgeable(group, groups.evidence[pair]) for group, pair in zip(parts, PAIRS, strict=True))
    found = _Groups(parts, sizes, groups.labels, groups.n, compared)
    predictor = groups.evidence[PAIRS[0]].predictor
    results = {name: _difference(name, pair, found) for name, pair in estimates.items()}
    return {name: result._replace(estimate=result.estimate.leaning_on(predictor)) for name, result in results.items()}


class _Groups(NamedTuple):
    """The share right and the size of each group of PAIRS, the labels in all of them, and how many rules are compared."""

    parts: tuple[Part, ...]
    sizes: tuple[float, ...]
    labels: PairedLabels | None
    n: int
    compared: int


class _Inputs(NamedTuple):
    """The inputs of every quantity's difference: the groups' shares right, drawn and estimated, and the groups' sizes.

    `possible` are draws as well, but where the verdicts differ each unlabelled answer may be right or wrong.
    """

    drawn: Mapping[tuple[Verdict, Verdict], confusion.Numbers]
    possible: Mapping[tuple[Verdict, Verdict], confusion.Numbers]
    point: Mapping[tuple[Verdict, Verdict], confusion.Numbers]
    sizes: Mapping[tuple[Verdict, Verdict], float]
    labels: PairedLabels | None
    n: int
    compared: int


@remembered(most=8)
def _inputs(groups: _Groups) -> _Inputs:
    """Draw the groups' shares."""
    parts = dict(zip(PAIRS, groups.parts, strict=True))
    rows = dict(zip(PAIRS, even_draws(len(PAIRS)), strict=True))
    drawn = {pair: _drawn(parts[pair], row, _unseen(pair)) for pair, row in rows.items()}
    possible = {
        pair: _drawn(parts[pair], rows[pair], _anything) if pair[0] is not pair[1] else drawn[pair] for pair in PAIRS
    }
    point = {pair: np.array([_point(group)]) for pair, group in parts.items()}
    sizes = dict(zip(PAIRS, groups.sizes, strict=True))
    return _Inputs(drawn, possible, point, sizes, groups.labels, groups.n, groups.compared)


def _part(evidence: Evidence) -> Part:
    return part(evidence, SCORED)


def _judgeable(group: Part, evidence: Evidence) -> float:
    return group.size if isinstance(group, Proportion) else float(sum(total.size for total in evidence.totals))


def _point(group: Part) -> float:
    return group.p if isinstance(group, Proportion) else 0.5


def _drawn(group: Part, row: confusion.Numbers, unseen: Distribution) -> confusion.Numbers:
    """Draw the share right; from the whole range where too few labels fell on the group."""
    return unseen(0.5, 0.0, math.inf, row) if isinstance(group, Unknown) else draw_window(group, row, unseen)


def _unseen(pair: tuple[Verdict, Verdict]) -> Distribution:
    return jeffreys if pair[0] is pair[1] else exact


def _anything(_p: float, _n: float, _df: float, row: confusion.Numbers) -> confusion.Numbers:
    return exact(0.5, 0.0, math.inf, row)


def _difference(name: str, estimates: Pair, groups: _Groups) -> RuleDifference:
    own, other = estimates
    if own.estimate is None or other.estimate is None or MAY_BE_UNDEFINED in {own.reason, other.reason}:
        return RuleDifference(Estimate(estimate=None, n=groups.n, reason=own.reason or other.reason))
    return _known_difference(name, own.estimate - other.estimate, groups)


@remembered(most=256)
def _known_difference(name: str, apart: float, groups: _Groups) -> RuleDifference:
    """Estimate the difference of two estimates that are this far apart."""
    inputs = _inputs(groups)
    values, possible, centre = (
        _minus(name, shares, inputs) for shares in (inputs.drawn, inputs.possible, inputs.point)
    )
    # Two estimates of their own can lie further apart than the answers on which the verdicts differ allow.
    value = _within(apart, possible)
    moved = values + float(np.nan_to_num(value - centre)[0])
    level = 1 - (1 - CONFIDENCE) / inputs.compared
    window, in_window = (_of_window(values, moved, possible, value, confidence) for confidence in (CONFIDENCE, level))
    long_run = _long_run(name, apart, window, inputs, CONFIDENCE)
    in_long_run = _long_run(name, apart, in_window, inputs, level)
    return RuleDifference(
        Estimate(
            estimate=value,
            low=window.low,
            high=window.high,
            n=inputs.n,
            method=METHOD,
            reason=None if long_run else NO_LONG_RUN,
            long_run=long_run,
        ),
        in_long_run and Interval(min(in_window.low, in_long_run.low), max(in_window.high, in_long_run.high)),
        None if inputs.labels is None else inputs.labels.differ,
    )


def _minus(
    name: str, shares: Mapping[tuple[Verdict, Verdict], confusion.Numbers], inputs: _Inputs
) -> confusion.Numbers:
    function = DERIVED[name]
    return np.asarray(function(_table(shares, inputs.sizes, 0)) - function(_table(shares, inputs.sizes, 1)))


def _within(value: float, possible: confusion.Numbers) -> float:
    """Return the value, or the nearest that is possible."""
    defined = possible[~np.isnan(possible)]
    return float(np.clip(value, defined.min(), defined.max())) if defined.size else value


def _of_window(
    values: confusion.Numbers, moved: confusion.Numbers, possible: confusion.Numbers, value: float, confidence: float
) -> Interval:
    """Compute the interval that holds the draws both as they are and moved to lie about the value.

    The two estimates use strata that the groups do not; the groups use how often the verdicts differ, which is known of all
    answers and is another share among few labels. Neither alone holds the truth as often as it should.
    """
    as_drawn, about = middle(values, value, confidence), middle(moved, value, confidence)
    low, high = (_within(end, possible) for end in about)
    return Interval(min(as_drawn.low, low), max(as_drawn.high, high))


def _long_run(name: str, value: float, window: Interval, inputs: _Inputs, confidence: float) -> Interval | None:
    """Compute the clustered interval, within the range of a difference; where no label separates the rules, keep the window's."""
    labels = inputs.labels
    if labels is None or name not in MEASURES:
        return window
    paired = difference_of_rules(name, labels.right, labels.passed, labels.passed_by_other, labels.weight, labels.ways)
    if paired.clusters < FEWEST_CLUSTERS - 1e-9:
        return None
    around = paired.interval(confidence)
    if around is None:
        return window
    moved = value - paired.difference
    lowest, highest, _ = RANGES.get(name, SHARE)
    widest = highest - lowest
    return Interval(max(around.low + moved, -widest), min(around.high + moved, widest))


def _table(
    shares: Mapping[tuple[Verdict, Verdict], confusion.Numbers],
    sizes: Mapping[tuple[Verdict, Verdict], float],
    which: int,
) -> confusion.Cells:
    """Build the 2x2 table of one of the two rules: its cells are sums over the groups."""
    total = sum(sizes.values()) or 1.0

    def cell(verdict: Verdict, *, right: bool) -> confusion.Numbers:
        groups = [pair for pair in PAIRS if pair[which] is verdict]
        return np.asarray(sum(sizes[pair] / total * (shares[pair] if right else 1 - shares[pair]) for pair in groups))

    return confusion.Cells(
        right_pass=cell(Verdict.PASS, right=True),
        wrong_pass=cell(Verdict.PASS, right=False),
        right_fail=cell(Verdict.FAIL, right=True),
        wrong_fail=cell(Verdict.FAIL, right=False),
    )
