"""Say what would hold at any threshold of the rule in force.

One pass over all traffic keeps the sorted values of every part, and any threshold is a look-up. What a threshold shows is what
`assay report` says once it is in force, by the same code.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.evidence import Measured, Traffic, gather
from annotate.analysis.evidence_ledger import false_passes_of
from annotate.analysis.excluded_draws import excluded_from_rule, excluded_from_value
from annotate.analysis.report.holdout import scored_by_others
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from annotate.store.scores.totals import ItemCount
from proxy.errors import UsageError
from proxy.evaluation.agreement import AgreementReport, measure, pass_rate
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.nonresponse import speaking
from proxy.evaluation.threshold import value_of
from proxy.evaluation.worst_case import over_cases
from proxy.records import Judgement, Verdict
from proxy.rule import VERDICTS, Rule

Numbers = NDArray[np.float64]


class StratumValues(NamedTuple):
    """Items of one stratum, reach and level: their values, ascending, and how many items there are up to each."""

    stratum: str | None
    is_reachable: bool
    level: int
    values: Numbers
    up_to: NDArray[np.int64]

    def split(self, threshold: float) -> Mapping[Verdict, int]:
        """Count the items that fail and pass at this threshold; a part without values is unscored."""
        if not len(self.values):
            return {Verdict.UNSCORED: int(self.up_to[-1])}
        place = int(np.searchsorted(self.values, threshold, side="right"))
        failed = int(self.up_to[place - 1]) if place else 0
        return {Verdict.FAIL: failed, Verdict.PASS: int(self.up_to[-1]) - failed}


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """All traffic by the value of the rule in force, whose row is `key`, and the labelled draws; `excluded_draws` say nothing."""

    key: int
    rule: Rule
    excluded_draws: frozenset[int]
    parts: Sequence[StratumValues]
    traffic: Traffic

    @property
    def has_values(self) -> bool:
        """Whether any item has a value that a threshold could divide."""
        return any(len(part.values) for part in self.parts)

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest value of all traffic; ValueError without any."""
        ends = [(part.values[0], part.values[-1]) for part in self.parts if len(part.values)]
        return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


@dataclass(frozen=True, kw_only=True, slots=True)
class AtThreshold:
    """The results at a threshold: the rule as it would be, what it passes, and the rule against annotators.

    `let_through` is the share of all judged answers that is wrong and passes. `excluded_labels` chose it and do not measure it.
    """

    rule: Rule
    is_in_force: bool
    excluded_labels: int
    pass_rate: Estimate
    agreement: AgreementReport
    false_passes: Estimate

    @property
    def per_thousand(self) -> Estimate:
        """The number of 1,000 judged answers that are wrong and pass."""
        return self.false_passes.times(1000)


def rule_at(rule: Rule, threshold: float) -> Rule:
    """Return the rule with this threshold, its percentiles as they are frozen; its own leaves the expression as it was."""
    if not math.isfinite(threshold):
        raise UsageError(f"a threshold is a number, not {threshold}: give one within the values of the rule")
    return (
        rule
        if threshold == rule.threshold
        else replace(rule, expression=f"{value_of(rule)} > {threshold!r}", is_calibrated=False)
    )


def excluded_at(store: Store, rule: Rule, threshold: float) -> frozenset[int]:
    """Return the draws that do not measure this threshold: their labels trained the rule's value, or chose the threshold once."""
    row = store.scores.rules.row_of(rule_at(rule, threshold))
    return excluded_from_value(store, rule) if row is None else excluded_from_rule(store, row, rule)


class LabelAt(NamedTuple):
    """A labelled item by its row, what annotators call it, and the verdict of a threshold that is looked at."""

    row: int
    judgement: Judgement
    verdict: Verdict


def labelled_at(store: Store, threshold: float) -> list[LabelAt]:
    """Return the labels that the 2x2 table of this threshold counts, as `at` and `in_force` do."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        traffic = gather(store, key, [rule], excluded_draws=excluded_at(store, rule, threshold))
    return [
        LabelAt(draw.item, draw.judgement, _verdict(value, threshold))
        for draw, value in zip(traffic.drawn, traffic.rules[0].values, strict=True)
        if draw.judgement is not None
    ]


def ladder(store: Store, *, excluded_draws: frozenset[int] = frozenset(), as_drawn: bool = False) -> Ladder:
    """Read the ledger, and count all traffic once by the value of the rule in force; `as_drawn` as if every draw had a label."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        traffic = gather(store, key, [rule], excluded_draws=excluded_draws, as_drawn=as_drawn)
        spread = store.scores.totals.spread(rule, traffic.last, speaking(list(traffic.drawings)), traffic.levels)
    parts = [
        part
        for number, name in enumerate(spread.names)
        for reach in (False, True)
        for mask in [(spread.stratum == number) & (spread.is_reachable == reach)]
        for level in np.unique(spread.levels[mask]).tolist()
        for part in _parts(name, reach, level, spread.values[mask & (spread.levels == level)])
    ]
    return Ladder(key=key, rule=rule, excluded_draws=excluded_draws, parts=parts, traffic=traffic)


def _parts(stratum: str | None, is_reachable: bool, level: int, values: Numbers) -> Iterator[StratumValues]:
    """Yield the part that has values, and the part that has none."""
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(distinct):
        yield StratumValues(stratum, is_reachable, level, distinct, np.cumsum(counts))
    if without := len(values) - int(counts.sum()):
        yield StratumValues(stratum, is_reachable, level, distinct[:0], np.array([without], dtype=np.int64))


def in_force(store: Store) -> AtThreshold:
    """Measure the threshold in force, as `at` does; from the totals of the rule, so that no ladder is needed."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        excluded_draws = excluded_at(store, rule, rule.threshold)
        whole = gather(store, key, [rule])
        scoring = gather(store, key, [rule], excluded_draws=excluded_draws) if excluded_draws else None
    return _at(
        _in_order(whole), _in_order(scoring) if scoring else None, is_in_force=True, excluded_labels=len(excluded_draws)
    )


def at(
    whole: Ladder, threshold: float, scoring: Ladder | None = None, *, as_drawn: Ladder | None = None
) -> AtThreshold:
    """Measure this threshold; `scoring` is the ladder without the labels that chose this very threshold, where some did.

    With `as_drawn`, the ladder of the same labels as if every draw had one, intervals hold whatever the missing ones are.
    """
    excluded_labels = len(scoring.excluded_draws) if scoring else 0
    scoring_cut = (scoring.traffic, _measured(scoring, threshold)) if scoring else None
    return _at(
        (whole.traffic, _measured(whole, threshold)),
        scoring_cut,
        as_drawn=(as_drawn.traffic, _measured(as_drawn, threshold)) if as_drawn else None,
        is_in_force=threshold == whole.rule.threshold,
        excluded_labels=excluded_labels,
    )


MeasuredTraffic = tuple[Traffic, Measured]


def _in_order(traffic: Traffic) -> MeasuredTraffic:
    """Return the rule in force as it was counted, its slices in the order of a ladder's."""
    measured = traffic.rules[0]
    return traffic, replace(measured, slices=_sorted(measured.slices))


def _at(
    whole: MeasuredTraffic,
    scoring: MeasuredTraffic | None,
    *,
    as_drawn: MeasuredTraffic | None = None,
    is_in_force: bool,
    excluded_labels: int,
) -> AtThreshold:
    traffic, measured = whole
    evidence = traffic.evidence(measured)
    agreement = measure(evidence)
    if scoring is not None:
        evidence = scoring[0].evidence(scoring[1])
        agreement = scored_by_others(measure(evidence), agreement)
    wrong = false_passes_of(evidence, agreement)
    if as_drawn is not None:
        agreement, wrong = over_cases(as_drawn[0].evidence(as_drawn[1]), agreement, wrong)
    counts = measured.counts
    return AtThreshold(
        rule=measured.rule,
        is_in_force=is_in_force,
        excluded_labels=excluded_labels,
        pass_rate=pass_rate(counts[Verdict.PASS], counts[Verdict.FAIL]),
        agreement=agreement,
        false_passes=wrong,
    )


def _measured(counted: Ladder, threshold: float) -> Measured:
    """Return the rule with this threshold on all traffic and on the drawn items."""
    values = counted.traffic.rules[0].values
    return Measured(
        rule=rule_at(counted.rule, threshold),
        slices=slices_at(counted, threshold),
        verdicts=[_verdict(value, threshold) for value in values],
        values=values,
    )


def _verdict(value: float | None, threshold: float) -> Verdict:
    if value is None:
        return Verdict.UNSCORED
    return Verdict.PASS if value > threshold else Verdict.FAIL


def slices_at(counted: Ladder, threshold: float) -> list[ItemCount]:
    """Return the slices of all traffic as `Totals.of_rules` counts them, were this the threshold in force."""
    slices = [
        ItemCount(part.stratum, part.is_reachable, verdict, verdict, part.level, size)
        for part in counted.parts
        for verdict, size in part.split(threshold).items()
        if size
    ]
    return _sorted(slices)


def _sorted(slices: Sequence[ItemCount]) -> list[ItemCount]:
    return sorted(
        slices, key=lambda part: (part.stratum or "", part.is_reachable, VERDICTS.index(part.verdict), part.level)
    )
