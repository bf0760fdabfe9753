"""Split the evidence of the ledger by system and place: the basis for estimating shares of all traffic.

Evidence can be read on any part of a system's traffic. Labels keep the weights that the whole ledger gives them, and how many
answers lie in each place is counted on all traffic.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotate.analysis.evidence import Traffic, gather
from annotate.store import Store
from annotate.store.scores.stage_scores import Quartered
from proxy.diagnosis import BAD, GOOD, NEITHER, Sides, StageEvidence, wrong_share
from proxy.diagnosis.contrast import Population
from proxy.evaluation.agreement import correctness_of, proportions_of
from proxy.evaluation.confusion_rates import derived
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence, Unknown, out_of_reach
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import Drawing, Total, with_verdicts
from proxy.evaluation.nonresponse import speaking
from proxy.records import Judgement, Verdict
from proxy.rule import Rule

Holds = Callable[[StageEvidence], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A system and a place: where an answer stands."""

    system: str | None
    place: StageEvidence


@dataclass(frozen=True, kw_only=True, slots=True)
class Scales:
    """The totals of all framed traffic by spot, and every draw with its row and spot."""

    totals: Sequence[tuple[Spot, Total]]
    drawn: Sequence[tuple[int, Spot]]
    drawings: Sequence[Drawing]
    whole: Evidence

    def only(self, system: str | None) -> Scales:
        """Return the same for one system."""
        return self.among(lambda spot: spot.system == system)

    def among(self, holds: Callable[[Spot], bool]) -> Scales:
        """Return the same for the answers at such spots."""
        kept = [holds(spot) for _, spot in self.drawn]
        totals = [(spot, total) for spot, total in self.totals if holds(spot)]
        return replace(
            self,
            totals=totals,
            drawn=[draw for draw, is_kept in zip(self.drawn, kept, strict=True) if is_kept],
            whole=self._evidence([total for _, total in totals], kept),
        )

    def size(self, holds: Holds = lambda place: True) -> int:
        """Count the framed answers in such places."""
        return sum(total.size for spot, total in self.totals if holds(spot.place))

    def share(self, holds: Holds, blamed: Collection[int] | None = None) -> Estimate:
        """Return the wrong answers in such places as a share of all answers; only the `blamed` rows, where given."""
        here = [holds(spot.place) for _, spot in self.drawn]
        evidence = self._evidence([total for spot, total in self.totals if holds(spot.place)], here)
        rows = [row for (row, _), is_here in zip(self.drawn, here, strict=True) if is_here]
        return wrong_share(evidence, self.size(), None if blamed is None else [row in blamed for row in rows])

    def of_wrong(self, holds: Holds) -> Estimate:
        """Estimate P(here | wrong): what specificity is to failing, for lying in such places."""
        places = {spot.place for spot, _ in self.totals} | {spot.place for _, spot in self.drawn}
        verdicts = {place: Verdict.PASS if holds(place) else Verdict.FAIL for place in places}
        evidence = Evidence(
            totals=[total._replace(verdict=verdicts[spot.place]) for spot, total in self.totals],
            sample=with_verdicts(self.whole.sample, [verdicts[spot.place] for _, spot in self.drawn]),
            drawings=self.drawings,
            grouping=self.whole.grouping,
            columns=self.whole.arrays,  # of the same draws: no verdict changes them
            whole=self.whole.whole or self.whole,
        )
        proportions = proportions_of(evidence)
        for proportion, where in ((proportions.passed, "here"), (proportions.failed, "in the other corners")):
            if isinstance(proportion, Unknown) and proportion.missing:
                reason = f"not measurable: {proportion.missing:,} answers {where} have no label that speaks for them"
                return Estimate(estimate=None, n=proportion.n, reason=f"{reason}; run `assay sample --labels N`")
        estimate = derived(proportions, evidence.grouping, names=("specificity",))["specificity"].complement()
        wrong = sum(item.judgement is Judgement.WRONG for item in evidence.sample)
        return estimate if estimate.estimate is None else replace(estimate, n=wrong)

    def named(self, rows: Collection[int]) -> Estimate:
        """Estimate P(a person names this cause | wrong), the cause being named for these rows."""
        judgements = {True: Judgement.RIGHT, False: Judgement.WRONG}
        sample = [
            item._replace(judgement=judgements[row in rows] if item.judgement is Judgement.WRONG else Judgement.UNSURE)
            if item.judgement is not None
            else item
            for item, (row, _) in zip(self.whole.sample, self.drawn, strict=True)
        ]
        whole = self.whole.whole or self.whole
        return correctness_of(replace(self.whole.with_sample(sample), whole=whole))

    def sides(self, side: Callable[[StageEvidence], int]) -> Sides:
        """Return the labelled draws on the two sides of a threshold, by system."""
        systems = {name: number for number, name in enumerate(dict.fromkeys(spot.system for spot, _ in self.totals))}
        size, missing = np.zeros((2, len(systems))), np.zeros((2, len(systems)))
        unreached = {id(total) for total in out_of_reach(self.whole, tuple(Verdict))}
        for spot, total in self.totals:
            if (here := side(spot.place)) != NEITHER:
                size[here, systems[spot.system]] += total.size
                missing[here, systems[spot.system]] += total.size * (id(total) in unreached)
        returned = [
            spot for item, (_, spot) in zip(self.whole.sample, self.drawn, strict=True) if item.judgement is not None
        ]
        return Sides(
            draws=self.whole.arrays,
            side=np.array([side(spot.place) for spot in returned], dtype=np.intp),
            system=np.array([systems.get(spot.system, 0) for spot in returned], dtype=np.intp),
            population=Population(size, missing),
        )

    def auroc(self, values: Mapping[int, float]) -> Estimate:
        """Estimate how well these values, by row, order right above wrong answers."""
        return auroc_of(valued(self.whole, [values.get(row) for row, _ in self.drawn])[0])

    def _evidence(self, totals: Sequence[Total], kept: Sequence[bool]) -> Evidence:
        """Return the evidence on a part of the traffic."""
        return Evidence(
            totals=totals,
            sample=[item for item, is_kept in zip(self.whole.sample, kept, strict=True) if is_kept],
            drawings=self.drawings,
            grouping=self.whole.grouping,
            whole=self.whole.whole or self.whole,
        )


def relevance_side(place: StageEvidence) -> int:
    """Return BAD where the passages miss the question; NEITHER without passages or a score."""
    return NEITHER if place.is_empty or place.is_relevant is None else GOOD if place.is_relevant else BAD


def faithfulness_side(place: StageEvidence) -> int:
    """Return BAD where the answer leaves passages that fit the question; NEITHER where they do not, or without a score."""
    if relevance_side(place) != GOOD or place.is_faithful is None:
        return NEITHER
    return GOOD if place.is_faithful else BAD


def scales(store: Store, key: int, rule: Rule, field: Quartered, traffic: Traffic | None = None) -> Scales:
    """Count all traffic and read the ledger under the rule in row `key`, all labels included; `traffic` where it is known.

    Of a part of the traffic the field is within the same selection.
    """
    return _scales(store, key, field, traffic or gather(store, key, [rule]))


def scales_as_drawn(store: Store, key: int, rule: Rule, field: Quartered, weights: Scales) -> Scales:
    """Return the same over every draw of waves that were begun; what nobody called right or wrong counts as unsure.

    `weights` are the scales of the labels alone, which are the same where nothing is missing.
    """
    is_same_wave = store.sampling.ledger.last_begun() == store.sampling.ledger.last_counted()
    if is_same_wave and all(item.judgement is not None for item in weights.whole.sample):
        return weights
    all_draws = _scales(store, key, field, gather(store, key, [rule], as_drawn=True), as_drawn=True)
    sample = [
        item._replace(judgement=Judgement.UNSURE) if item.judgement is None else item for item in all_draws.whole.sample
    ]
    return replace(all_draws, whole=all_draws.whole.with_sample(sample))


def _scales(store: Store, key: int, field: Quartered, traffic: Traffic, *, as_drawn: bool = False) -> Scales:
    """Return the totals and draws of this traffic by spot."""
    reach = speaking(list(traffic.drawings))
    totals = store.traffic.partitions.totals(key, field, traffic.last, reach, traffic.levels, as_drawn=as_drawn)
    rows = [draw.item for draw in traffic.drawn]
    of_item = store.traffic.partitions.of_items(rows, field)
    spots = {part: _spot(part) for part in {*totals, *of_item.values()}}
    return Scales(
        totals=[
            (spots[part], total)
            for part, part_totals in totals.items()
            if part is not None or field.within is None
            for total in part_totals
        ],
        drawn=[(row, spots[of_item[row]]) for row in rows],
        drawings=traffic.drawings,
        whole=traffic.evidence(traffic.rules[0]),
    )


def _spot(part: str | None) -> Spot:
    """Return the spot that the field writes as JSON."""
    system, relevant, faithful, has_passages = json.loads(part or "[null, null, null, 1]")
    return Spot(
        system=system,
        place=StageEvidence(_known(relevant), _known(faithful), bool(has_passages)),
    )


def _known(value: int | None) -> bool | None:
    return None if value is None else bool(value)
