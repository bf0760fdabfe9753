"""Summarise how annotators label, at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.domain import annotator_activity
from annotate.domain.annotator_activity import Annotator, LogCounts
from annotate.store import Store
from annotate.store.labels.annotations import Uncounted


@dataclass(frozen=True, kw_only=True, slots=True)
class AnnotatorActivity:
    """Each annotator by name, what happened to annotations by source, and the readings that are not independent."""

    annotators: Sequence[Annotator]
    log: Sequence[LogCounts]
    uncounted: Uncounted


def activity(store: Store) -> AnnotatorActivity:
    """Summarise each annotator."""
    with store.snapshot():
        return AnnotatorActivity(
            annotators=annotator_activity.annotators(store.labels.work()),
            log=store.labels.log_counts(),
            uncounted=store.labels.uncounted(),
        )
