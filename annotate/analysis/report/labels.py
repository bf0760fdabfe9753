"""Read the labels that a report lists one by one, of all items or of those in a part of the traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis.selected_items import SelectedItems
from annotate.domain.adjudication import AdjudicationCase
from annotate.store import Store
from proxy.evaluation.annotator_agreement import Reading
from proxy.records import Label


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedLabels:
    """The labels that count by item, and the items that a person has to look at.

    `passed_but_wrong` and `harmful` are rows of items, `disputed` are the cases that wait for adjudication, `flagged` counts gold
    entries behind which something changed. `readings` are those of items that two or more annotators have read.
    """

    by_item: Mapping[int, Label]
    passed_but_wrong: Sequence[int]
    harmful: Sequence[int]
    disputed: Sequence[AdjudicationCase]
    flagged: int
    readings: Sequence[Reading]

    @property
    def harmed(self) -> list[str]:
        """The ids of the items whose label says serious harm."""
        return [self.by_item[item].item_id for item in self.harmful]

    @property
    def unadjudicated(self) -> list[str]:
        """The ids of the items with a mark of serious harm that the label does not have."""
        harmful = set(self.harmful)
        return [case.item_id for case in self.disputed if case.is_serious and case.item not in harmful]


def read_labels(store: Store, rule: int, within: SelectedItems | None) -> ReportedLabels:
    """Read them under the rule in this row."""
    by_item, flagged = store.labels.that_count(), store.gold.flagged()

    def is_inside(item: int | None) -> bool:
        return within is None or item in within

    return ReportedLabels(
        by_item=by_item if within is None else {item: label for item, label in by_item.items() if item in within},
        passed_but_wrong=[item for item in store.labels.passed_but_wrong(rule) if is_inside(item)],
        harmful=[item for item in store.labels.harmful() if is_inside(item)],
        disputed=[case for case in store.labels.adjudication.waiting() if is_inside(case.item)],
        flagged=sum(is_inside(entry.item) for entry in flagged),
        readings=[reading for reading in store.labels.readings() if is_inside(reading.item)],
    )
