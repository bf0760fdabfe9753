"""Annotations, labels, causes, and the outbox of tasks as rows; it uses audit and the engine."""

from __future__ import annotations

from annotate.store.engine.consequence import Consequence
from annotate.store.engine.sqlite import Database
from annotate.store.labels.adjudication import Adjudication
from annotate.store.labels.causes import Causes, SecondReadings
from annotate.store.labels.disagreements import Disagreements
from annotate.store.labels.opposite_labels import OppositeLabels
from annotate.store.labels.outbox import Outbox
from annotate.store.labels.resolution import Resolution
from annotate.store.labels.servers import Servers

__all__ = ["LabelStore"]


class LabelStore(Resolution):
    """Labels and their annotations, and beside them the tasks, disagreements and adjudications."""

    def __init__(self, db: Database, follow: Consequence[int]) -> None:
        super().__init__(db, follow)
        self.outbox = Outbox(db)
        self.servers = Servers(db)
        self.adjudication = Adjudication(db)
        self.causes = Causes(db)
        self.second_readings = SecondReadings(db)
        self.disagreements = Disagreements(db)
        self.opposite_labels = OppositeLabels(db)
