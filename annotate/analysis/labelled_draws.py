"""Read labelled draws with their weights, and the evidence on parts of the traffic such as a system or a time window.

A label has the same weight in a part as in the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.analysis.evidence import Traffic, gather
from annotate.analysis.excluded_draws import excluded_from_rule
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.traffic.partitions import WITHIN, Described, Field
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import DECIDED, Total
from proxy.evaluation.nonresponse import speaking
from proxy.evaluation.slices import Parted
from proxy.records import Judgement, Verdict
from proxy.rule import Rule
from proxy.stats.sampling.survey import Draws, Mask


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledDraw:
    """A drawn item labelled right or wrong, with its verdict, value and weight under the rule in force."""

    about: Described
    is_right: bool
    verdict: Verdict
    value: float | None
    weight: float
    stratum: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """The labelled draws as records, and as arrays in the same order for the estimators in `proxy.stats.sampling.survey`."""

    rows: Sequence[LabelledDraw]
    draws: Draws

    def only(self, kept: Mask) -> Labelled:
        """Select the draws at these places."""
        return Labelled(
            rows=[row for row, keep in zip(self.rows, kept, strict=True) if keep], draws=self.draws.only(kept)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerGround:
    """The rule in force with its row, all traffic under it, and the labelled draws: what an analysis starts from."""

    key: int
    rule: Rule
    traffic: Traffic
    labelled: Labelled


def ground(store: Store, key: int, rule: Rule, *, scores_itself: bool = True) -> AnswerGround:
    """Read the traffic and the labelled draws under a rule.

    Labels that chose the threshold or taught the value are left out where the analysis scores the rule itself (`scores_itself`).
    """
    excluded_draws = excluded_from_rule(store, key, rule) if scores_itself else frozenset[int]()
    traffic = gather(store, key, [rule], excluded_draws=excluded_draws)
    return AnswerGround(key=key, rule=rule, traffic=traffic, labelled=labelled(store, traffic))


def labelled(store: Store, traffic: Traffic) -> Labelled:
    """Return the draws labelled right or wrong, in the order of the ledger."""
    in_force = traffic.rules[0]
    sample = traffic.evidence(in_force).sample
    about = store.traffic.partitions.described(traffic.last)
    is_decided = np.array([item.judgement in DECIDED for item in sample], dtype=np.bool_)
    returned = np.array([item.judgement is not None for item in sample], dtype=np.bool_)
    draws = traffic.columns.only(is_decided[returned])
    rows = zip(about, sample, in_force.values, is_decided, strict=True)
    kept = [(described, item, value) for described, item, value, keep in rows if keep]
    return Labelled(
        rows=[
            LabelledDraw(
                about=described,
                is_right=item.judgement is Judgement.RIGHT,
                verdict=item.verdict,
                value=value,
                weight=float(weight),
                stratum=item.stratum,
            )
            for (described, item, value), weight in zip(kept, draws.weight, strict=True)
        ],
        draws=draws,
    )


def evidence_by(store: Store, basis: AnswerGround, field: Field) -> Mapping[str | None, Evidence]:
    """Return the evidence on each part of the traffic by a field, sorted by name; the key None holds items without the field."""
    traffic = basis.traffic
    reach = speaking(list(traffic.drawings))
    totals = store.traffic.partitions.totals(basis.key, field, traffic.last, reach, traffic.levels)
    of_item = store.traffic.partitions.of_items([draw.item for draw in traffic.drawn], field)
    parts = [of_item[draw.item] for draw in traffic.drawn]
    return {
        part: _part(traffic, totals[part], np.array([item_part == part for item_part in parts], dtype=np.bool_))
        for part in sorted(totals, key=lambda name: (name is None, name or ""))
    }


def evidence_on_slices(store: Store, basis: AnswerGround, slices: Sequence[Collection[int]]) -> Iterator[Parted]:
    """Yield for each slice, given by all its items, the evidence on it and on what is outside of it."""
    traffic = basis.traffic
    drawn = np.array([draw.item for draw in traffic.drawn], dtype=np.int64)
    rows = [np.fromiter(items, dtype=np.int64, count=len(items)) for items in slices]
    reach = speaking(list(traffic.drawings))
    counted = store.scores.totals.parted(basis.rule, traffic.last, reach, traffic.levels, rows)
    for items, (inside, outside) in zip(rows, counted, strict=True):
        kept = np.isin(drawn, items)
        yield Parted(_part(traffic, inside, kept), _part(traffic, outside, ~kept))


def _part(traffic: Traffic, totals: Sequence[Total], kept: Mask) -> Evidence:
    """Return the evidence on a part of the traffic: its totals, and of all draws those in it."""
    whole = traffic.evidence(traffic.rules[0])
    returned = np.array([draw.judgement is not None for draw in traffic.drawn], dtype=np.bool_)
    return Evidence(
        totals=totals,
        sample=[item for item, keep in zip(whole.sample, kept, strict=True) if keep],
        drawings=traffic.drawings,
        grouping=traffic.grouping,
        columns=traffic.columns.only(kept[returned]),
        whole=whole,
    )


def evidence_within(store: Store, basis: AnswerGround, selection: Selection) -> Evidence:
    """Return the evidence on the answers of a system, a time window, or both; without totals where there are no such answers."""
    parts = evidence_by(store, basis, selection if selection.is_window or selection.system is None else "system")
    name = WITHIN if selection.is_window or selection.system is None else selection.system or None
    whole = basis.traffic.evidence(basis.traffic.rules[0])
    return parts.get(name) or Evidence(totals=(), sample=(), drawings=basis.traffic.drawings, whole=whole)
