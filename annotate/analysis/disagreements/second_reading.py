"""Describe the state of the second reading of a drawn answer, and why none can be asked for."""

from __future__ import annotations

from typing import NamedTuple

from annotate.domain.assignment import TWICE
from annotate.store import Store
from annotate.store.labels.causes import SecondReadingRequest
from proxy.records import LabelBasis

NOT_DRAWN = (
    "no wave drew this answer, and only drawn ones go to Label Studio: bring a second label with `assay labels import`"
)
ADJUDICATED = "it has been adjudicated: take that back first (page Labelling)"
TWO = "two or more annotators have read it: where they differ, somebody adjudicates it (page Labelling)"
UNREAD = "nobody has read it yet: `assay push` sends it to its first annotator"
FORGOTTEN = "its texts were forgotten: nobody can read it any more"


class SecondReading(NamedTuple):
    """The state of the second reading of an item; `refused` is why none can be asked for."""

    annotators: int
    asked: SecondReadingRequest | None
    refused: str | None


def standing(store: Store, item: int) -> SecondReading:
    """Return the state of the second reading of the item in this row."""
    label, draw = store.labels.of_item(item), store.labels.disagreements.draw_of_label(item)
    if label is None:
        return SecondReading(0, None, UNREAD)
    if draw is None:
        return SecondReading(1, None, NOT_DRAWN)
    annotators, asked = store.labels.second_readings.annotators(draw), store.labels.second_readings.asked(draw)
    refused = None
    if store.audit.forgetting.has_item(label.item_id):
        refused = FORGOTTEN
    elif label.basis is LabelBasis.ADJUDICATION:
        refused = ADJUDICATED
    elif annotators >= TWICE:
        refused = TWO
    return SecondReading(annotators, asked, refused)
