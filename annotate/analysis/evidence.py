"""Gather the evidence for the estimators from the store's ledger and totals: the same labels under any rule.

One pass over all traffic serves every rule; the labelled items' verdicts are worked out from their scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.predictor import cross_fitted
from annotate.analysis.selected_items import SelectedItems
from annotate.store import Store
from annotate.store.sampling.ledger import Drawn
from annotate.store.scores.predicted import PredictedLevels
from annotate.store.scores.totals import ItemCount
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import DECIDED, Drawing, PlacedDraws, SampledItem, Total, with_verdicts
from proxy.evaluation.levels import SAME
from proxy.evaluation.nonresponse import speaking
from proxy.evaluation.rule_comparison import PAIRS, SCORED, PairedLabels, VerdictGroups
from proxy.records import Judgement, Verdict
from proxy.rule import VERDICTS, Rule, evaluate
from proxy.stats.sampling.survey import Draws

OTHERS = ", without labels that chose"
PLACE = {verdict: place for place, verdict in enumerate(VERDICTS)}
ScoresOf = Mapping[tuple[str, str], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A rule with what is known of it: its slices of all traffic, and of each drawn item its verdict and value."""

    rule: Rule
    slices: Sequence[ItemCount]
    verdicts: Sequence[Verdict]
    values: Sequence[float | None]

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of current items with each verdict."""
        return {verdict: sum(part.size for part in self.slices if part.verdict is verdict) for verdict in Verdict}

    @property
    def uncovered(self) -> int:
        """Current items that no frame of the waves that count holds."""
        return sum(part.size for part in self.slices if part.stratum is None)


@dataclass(frozen=True, kw_only=True)  # without slots: the columns are worked out once
class Traffic:
    """The input of the estimators, for several rules at once; the first is the one in force.

    `last` is the last wave that counts. A part of the traffic has the draws in it, each with the chance that it had among all,
    the same rules, and the `whole` that it is a part of, with the rows `kept` of its draws: a draw outside contributes nothing
    to a total of the part, which is what the estimators make of one that is not there.
    """

    rules: Sequence[Measured]
    last: int
    drawn: Sequence[Drawn]
    drawings: Sequence[Drawing]
    grouping: float
    levels: PredictedLevels
    whole: Traffic | None = None
    kept: NDArray[np.bool_] | None = None

    @cached_property
    def _levels_of_drawn(self) -> list[int]:
        """The level of each draw."""
        return [int(level) for level in self.levels.of([draw.item for draw in self.drawn])]

    @cached_property
    def columns(self) -> Draws:
        """The labelled draws as arrays, the same for every rule."""
        if self.whole is not None and self.kept is not None:
            return self.whole.columns.only(self.kept[self.whole.is_returned])
        return self._evidence(self.rules[0], None).arrays

    def evidence(self, measured: Measured) -> Evidence:
        """Return the evidence on one rule."""
        return self._in_force if measured is self.rules[0] else self._evidence(measured, self.columns)

    @cached_property
    def _in_force(self) -> Evidence:
        """The evidence on the rule in force, which parts of the traffic ask for again and again."""
        return self._evidence(self.rules[0], self.columns)

    @cached_property
    def _unscored(self) -> list[SampledItem]:
        """The draws as the estimators read them, before any verdict."""
        return [
            sampled(draw, Verdict.UNSCORED, level)
            for draw, level in zip(self.drawn, self._levels_of_drawn, strict=True)
        ]

    @cached_property
    def is_returned(self) -> NDArray[np.bool_]:
        """Which of the draws have a label."""
        return np.array([draw.judgement is not None for draw in self.drawn], dtype=np.bool_)

    @cached_property
    def _strata(self) -> tuple[list[str], NDArray[np.intp]]:
        """The strata of the draws, and the place of each draw's own among them."""
        number: dict[str, int] = {}
        places = [number.setdefault(draw.stratum, len(number)) for draw in self.drawn]
        return list(number), np.array(places, dtype=np.intp)

    @cached_property
    def _verdicts_in_force(self) -> NDArray[np.intp]:
        """The verdict of each draw by the rule in force, as a place in VERDICTS."""
        return _places(self.rules[0])

    def _evidence(self, measured: Measured, columns: Draws | None) -> Evidence:
        totals = [
            Total(part.stratum, part.verdict, part.size, part.level, part.is_reachable)
            for part in measured.slices
            if part.stratum is not None
        ]
        (strata, stratum), returned = self._strata, self.is_returned
        return Evidence(
            totals=totals,
            sample=with_verdicts(self._unscored, measured.verdicts),
            drawings=self.drawings,
            grouping=self.grouping,
            columns=columns,
            places=PlacedDraws.by(VERDICTS, _places(measured)[returned], strata, stratum[returned]),
            source=self.levels.source,
            whole=self._of_whole(measured),
        )

    def _of_whole(self, measured: Measured) -> Evidence | None:
        """Return the evidence on a rule in the whole that this is a part of."""
        if self.whole is None:
            return None
        [place] = [n for n, rule in enumerate(self.rules) if rule is measured]
        return self.whole.evidence(self.whole.rules[place])

    def against(self, measured: Measured, evidence: Evidence) -> VerdictGroups:
        """Return the evidence on one rule and the one in force, by the pair of their verdicts; `evidence` is that on the one."""
        own, other = _places(measured), self._verdicts_in_force
        slices = [part for part in measured.slices if part.stratum is not None]
        of_pair: dict[tuple[Verdict, Verdict], list[Total]] = defaultdict(list)
        for total, part in zip(evidence.totals, slices, strict=True):
            of_pair[part.verdict, part.in_force].append(total)
        return VerdictGroups(
            evidence={
                pair: evidence.part(of_pair[pair], (own == PLACE[pair[0]]) & (other == PLACE[pair[1]]))
                for pair in PAIRS
            },
            labels=self.paired(measured),
        )

    def paired(self, measured: Measured) -> PairedLabels:
        """Return the labels on items that both this rule and the one in force give a verdict."""
        returned = self.is_returned
        own, other = _places(measured)[returned], self._verdicts_in_force[returned]
        kept = _is_scored(own) & _is_scored(other) & (self.columns.judged > 0)
        draws = self.columns.only(kept)
        passed, passed_by_other = (places[kept] == PLACE[Verdict.PASS] for places in (own, other))
        return PairedLabels(
            right=draws.right,
            passed=passed.astype(np.float64),
            passed_by_other=passed_by_other.astype(np.float64),
            weight=draws.weight,
            ways=draws.ways,
        )

    def in_common(self, measured: Measured) -> tuple[Evidence, Evidence] | None:
        """Return the evidence on a rule and the one in force, on items that both score; None where either scores the same."""
        in_force = self.rules[0]
        slices = [part for part in measured.slices if part.stratum is not None and part.size]
        if all((part.verdict in SCORED) == (part.in_force in SCORED) for part in slices):
            return None
        common = [part for part in slices if part.verdict in SCORED and part.in_force in SCORED]
        verdict_pairs = zip(measured.verdicts, in_force.verdicts, strict=True)
        kept = [own in SCORED and other in SCORED for own, other in verdict_pairs]
        returned = [keep for keep, draw in zip(kept, self.drawn, strict=True) if draw.judgement is not None]
        columns = self.columns.only(np.array(returned, dtype=np.bool_))

        whole = self._of_whole(measured)

        def on(slices_of: Sequence[tuple[ItemCount, Verdict]], verdicts: Sequence[Verdict]) -> Evidence:
            return Evidence(
                totals=[
                    Total(part.stratum or "", verdict, part.size, part.level, part.is_reachable)
                    for part, verdict in slices_of
                ],
                sample=with_verdicts(compress(self._unscored, kept), compress(verdicts, kept)),
                drawings=self.drawings,
                grouping=self.grouping,
                columns=columns,
                source=self.levels.source,
                whole=whole,
            )

        return (
            on([(part, part.verdict) for part in common], measured.verdicts),
            on([(part, part.in_force) for part in common], in_force.verdicts),
        )


def gather(
    store: Store,
    key: int,
    rules: Sequence[Rule],
    *,
    excluded_draws: frozenset[int] = frozenset(),
    as_drawn: bool = False,
    within: SelectedItems | None = None,
) -> Traffic:
    """Read the ledger and count all traffic under these rules; the first is the one in force, in row `key`.

    `excluded_draws` are as if nobody had answered them: their labels chose something that is measured here. With `as_drawn` all
    other draws of waves that were begun are as if answered, so that what is missing can be filled in. With `within` it is the
    part of these items.
    """
    last = store.sampling.ledger.last_begun() if as_drawn else store.sampling.ledger.last_counted()
    drawings = store.sampling.ledger.drawings(last, excluded_draws, as_drawn=as_drawn)
    drawn = store.sampling.ledger.drawn(last, drawings, excluded_draws, as_drawn=as_drawn)
    reach = speaking(drawings)
    # Mostly labels reach what the draws would have reached: then both are counted once.
    is_other = as_drawn and (last, reach) != _as_labelled(store, excluded_draws)
    levels = _levels(store, rules[0], drawn, OTHERS if excluded_draws else "")
    slices = store.scores.totals.of_rules(rules, last, reach, levels, as_drawn=is_other)
    scores = store.scores.of_drawn(
        [draw.item for draw in drawn], sorted({pair for rule in rules for pair in rule.signatures.items()})
    )
    measured = [_measured(rule, part, scores, len(drawn)) for rule, part in zip(rules, slices, strict=True)]
    whole = Traffic(
        rules=measured,
        last=last,
        drawn=drawn,
        drawings=drawings,
        grouping=store.scores.totals.grouping(),
        levels=levels,
    )
    if within is None:
        return whole
    counted = store.scores.totals.of_rules_among(rules, last, reach, levels, within.rows, as_drawn=is_other)
    grouping = store.scores.totals.grouping_within(within.selection)
    return _part(whole, counted, within.has(draw.item for draw in drawn), grouping)


def _part(whole: Traffic, slices: Sequence[Sequence[ItemCount]], kept: NDArray[np.bool_], grouping: float) -> Traffic:
    """Return the part of the traffic that has these slices by rule, and of the draws those that are kept."""
    return replace(
        whole,
        rules=[
            Measured(
                rule=measured.rule,
                slices=part,
                verdicts=list(compress(measured.verdicts, kept)),
                values=list(compress(measured.values, kept)),
            )
            for measured, part in zip(whole.rules, slices, strict=True)
        ],
        drawn=list(compress(whole.drawn, kept)),
        grouping=grouping,
        whole=whole,
        kept=kept,
    )


def labels_alone(store: Store, rules: Sequence[Rule], excluded_draws: frozenset[int]) -> Traffic:
    """Read the ledger under these rules without counting any traffic: for what the weighted labels alone tell."""
    last = store.sampling.ledger.last_counted()
    drawings = store.sampling.ledger.drawings(last, excluded_draws)
    drawn = store.sampling.ledger.drawn(last, drawings, excluded_draws)
    items = [draw.item for draw in drawn]
    scores = store.scores.of_drawn(items, sorted({pair for rule in rules for pair in rule.signatures.items()}))
    return Traffic(
        rules=[_measured(rule, (), scores, len(drawn)) for rule in rules],
        last=last,
        drawn=drawn,
        drawings=drawings,
        grouping=1.0,
        levels=PredictedLevels(None, np.full(max(items, default=0) + 1, SAME, dtype=np.uint8)),
    )


def _levels(store: Store, rule: Rule, drawn: Sequence[Drawn], suffix: str) -> PredictedLevels:
    """Return the level of every item, as the labels of other questions predict it."""
    decided = [draw for draw in drawn if draw.judgement in DECIDED]
    right = np.array([draw.judgement is Judgement.RIGHT for draw in decided], dtype=np.float64)
    return cross_fitted(store, rule, [draw.item for draw in decided], right, suffix)


def _as_labelled(store: Store, excluded_draws: frozenset[int]) -> tuple[int, list[Drawing] | None]:
    """Return the last wave that counts, and the drawings whose labels speak."""
    last = store.sampling.ledger.last_counted()
    return last, speaking(store.sampling.ledger.drawings(last, excluded_draws))


def _measured(rule: Rule, slices: Sequence[ItemCount], scores: ScoresOf, count: int) -> Measured:
    places, values = evaluate(rule, scores, count)
    verdicts = [VERDICTS[place] for place in places]
    return Measured(
        rule=rule,
        slices=slices,
        verdicts=verdicts,
        values=[
            None if verdict is Verdict.UNSCORED else float(value)
            for verdict, value in zip(verdicts, values, strict=True)
        ],
    )


def _places(measured: Measured) -> NDArray[np.intp]:
    """Return the verdict of each draw as a place in VERDICTS."""
    return np.array([PLACE[verdict] for verdict in measured.verdicts], dtype=np.intp)


def _is_scored(places: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Check which of these places in VERDICTS are a pass or a fail."""
    return np.isin(places, [PLACE[verdict] for verdict in SCORED])


def sampled(draw: Drawn, verdict: Verdict, level: int) -> SampledItem:
    """Return a draw as the estimators read it."""
    return SampledItem(
        stratum=draw.stratum,
        verdict=verdict,
        judgement=draw.judgement,
        question=draw.question,
        group=draw.group,
        drawing=draw.drawing,
        chances=draw.chances,
        own=draw.own,
        level=level,
        lot=draw.lot,
    )
