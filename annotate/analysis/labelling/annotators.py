"""Summarise each annotator, with the labels that came faster than their texts are read."""

from __future__ import annotations

from annotate.domain import annotator_activity
from annotate.domain.annotator_activity import Annotator, FewestSeconds
from annotate.domain.reading_time import FASTEST, reading_seconds
from annotate.store import Store

BATCH = 500


def annotators(store: Store) -> list[Annotator]:
    """Read the work of each annotator, and how long question and answer of what they timed take to read at least."""
    work = store.labels.work()
    timed = sorted({reading.item for reading in work if reading.seconds is not None})
    least = dict[int, FewestSeconds]()
    for start in range(0, len(timed), BATCH):
        items = store.traffic.items.read(timed[start : start + BATCH])
        least |= {
            key: FewestSeconds(reading_seconds(item.question) / FASTEST, reading_seconds(item.answer) / FASTEST)
            for key, item in items.items()
        }
    return annotator_activity.annotators(work, least)
