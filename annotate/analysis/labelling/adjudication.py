"""Read what waits for a person to settle it, at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.domain.adjudication import AdjudicationCase
from annotate.store import Store
from annotate.store.labels.opposite_labels import LabelledItem
from proxy.records import Item


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingCases:
    """The cases that wait, the most urgent first, with their items by row.

    `second_readings` counts draws that nobody has called right or wrong yet; `opposite` are groups of items that hold the same
    answer to the same question and have opposite labels.
    """

    cases: Sequence[AdjudicationCase]
    items: Mapping[int, Item]
    second_readings: int
    opposite: Sequence[tuple[LabelledItem, ...]]


def disagreements(store: Store) -> WaitingCases:
    """Read what waits to be settled."""
    with store.snapshot():
        cases = store.labels.adjudication.waiting()
        return WaitingCases(
            cases=cases,
            items=store.traffic.items.read([case.item for case in cases]),
            second_readings=len(store.labels.adjudication.second_readings()),
            opposite=store.labels.opposite_labels.groups(),
        )
