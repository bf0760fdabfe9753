"""Annotations, labels, causes, and the outbox of tasks as rows; it uses audit and the engine."""

from __future__ import annotations

from annotate.store.engine.sqlite import Database
from annotate.store.labels.adjudication import Adjudication
from annotate.store.labels.causes import Causes
from annotate.store.labels.disagreements import Disagreements
from annotate.store.labels.labels import Labels
from annotate.store.labels.opposite_labels import OppositeLabels
from annotate.store.labels.outbox import Outbox
from annotate.store.labels.second_readings import SecondReadings

__all__ = ["LabelStore"]


class LabelStore(Labels):
    """Labels and their annotations, and beside them the tasks, disagreements and adjudications."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.outbox = Outbox(db)
        self.adjudication = Adjudication(db)
        self.causes = Causes(db)
        self.second_readings = SecondReadings(db)
        self.disagreements = Disagreements(db)
        self.opposite_labels = OppositeLabels(db)
