"""Say whether an answer has, or may get, a second annotator, and if not, why."""

from __future__ import annotations

from typing import NamedTuple

from annotate.domain.assignment import TWICE
from annotate.store import Store
from annotate.store.labels.causes import SecondReadingRequest
from proxy.reason import Reason
from proxy.records import LabelBasis

NOT_DRAWN = Reason(
    "no wave drew this answer, and only drawn ones go to Label Studio: bring labels with `assay labels import FILE`"
)
ADJUDICATED = Reason("it has been adjudicated: take that back first (page Labelling)")
ENOUGH_LABELS = Reason("two or more annotators have labelled it: where they differ, adjudicate it (page Labelling)")
UNLABELLED = Reason("nobody has labelled it yet: `assay push` sends it to its first annotator")
FORGOTTEN = Reason("its texts were forgotten: nobody can read it any more")


class SecondReading(NamedTuple):
    """The state of the second reading of an item; `refused` is why none can be asked for."""

    annotators: int
    asked: SecondReadingRequest | None
    refused: Reason | None


def standing(store: Store, item: int) -> SecondReading:
    """Return the state of the second reading of the item in this row."""
    label, draw = store.labels.of_item(item), store.labels.disagreements.draw_of_label(item)
    is_forgotten = store.traffic.items.is_forgotten(item)
    if label is None:
        why = UNLABELLED if store.labels.second_readings.is_drawn(item) else NOT_DRAWN
        return SecondReading(0, None, FORGOTTEN if is_forgotten else why)
    if draw is None:
        return SecondReading(1, None, FORGOTTEN if is_forgotten else NOT_DRAWN)
    annotators, asked = store.labels.second_readings.annotators(draw), store.labels.second_readings.asked(draw)
    refused = None
    if is_forgotten:
        refused = FORGOTTEN
    elif label.basis is LabelBasis.ADJUDICATION:
        refused = ADJUDICATED
    elif annotators >= TWICE:
        refused = ENOUGH_LABELS
    return SecondReading(annotators, asked, refused)
