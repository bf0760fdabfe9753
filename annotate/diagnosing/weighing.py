"""The evidence of the ledger by system and place: what shares of all traffic are estimated from.

In comes the store, out comes Evidence on any part of a system's traffic. The rule: labels keep the weights that the whole
ledger gives them, and how many answers lie in each place is counted on all traffic.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from annotate.evidence import gather
from annotate.store import Store
from annotate.store.ledger import speaking
from annotate.store.stages import Quartered
from proxy.cells import Drawing, Total
from proxy.diagnosis import Place, wrong_share
from proxy.domains import Evidence
from proxy.estimate import Estimate
from proxy.verdict import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A system and a place: where an answer stands."""

    system: str | None
    place: Place


@dataclass(frozen=True, kw_only=True, slots=True)
class Scales:
    """The totals of all framed traffic by spot, and every draw with its row and spot."""

    totals: Sequence[tuple[Spot, Total]]
    drawn: Sequence[tuple[int, Spot]]
    drawings: Sequence[Drawing]
    whole: Evidence

    def size(self, system: str | None, holds: Callable[[Place], bool] = lambda place: True) -> int:
        """How many framed answers of the system lie in such places."""
        return sum(total.size for spot, total in self.totals if spot.system == system and holds(spot.place))

    def share(
        self, system: str | None, holds: Callable[[Place], bool], blamed: Collection[int] | None = None
    ) -> Estimate:
        """The wrong answers in such places as a share of all the system's answers; only the `blamed` rows, where given."""
        places = [spot.system == system and holds(spot.place) for _, spot in self.drawn]
        evidence = Evidence(
            totals=[total for spot, total in self.totals if spot.system == system and holds(spot.place)],
            sample=[item for item, is_here in zip(self.whole.sample, places, strict=True) if is_here],
            drawings=self.drawings,
            grouping=self.whole.grouping,
            whole=self.whole,
        )
        rows = [row for (row, _), is_here in zip(self.drawn, places, strict=True) if is_here]
        return wrong_share(evidence, self.size(system), None if blamed is None else [row in blamed for row in rows])


def scales(store: Store, key: int, rule: Rule, field: Quartered) -> Scales:
    """Count all traffic and read the ledger under the rule in row `key`, all labels included."""
    traffic = gather(store, key, [rule])
    last = store.ledger.last_counted()
    totals = store.parts.totals(key, field, last, speaking(list(traffic.drawings)), store.totals.edges(key))
    rows = [one.item for one in traffic.drawn]
    of_item = store.parts.of_items(rows, field)
    return Scales(
        totals=[(_spot(part), total) for part, each in totals.items() for total in each],
        drawn=[(row, _spot(of_item[row])) for row in rows],
        drawings=traffic.drawings,
        whole=traffic.evidence(traffic.rules[0]),
    )


def _spot(part: str | None) -> Spot:
    """The spot that the field writes as JSON."""
    system, relevant, faithful, has_passages = json.loads(part or "[null, null, null, 1]")
    return Spot(
        system=system,
        place=Place(_known(relevant), _known(faithful), bool(has_passages)),
    )


def _known(value: int | None) -> bool | None:
    return None if value is None else bool(value)
