"""Items as rows: texts, fields, feedback and quarantine; it may read labels and scores."""

from __future__ import annotations

from annotate.store.engine.consequence import Consequence
from annotate.store.engine.sqlite import Database
from annotate.store.traffic.complaints import Complaints
from annotate.store.traffic.feedback_quarantine import FeedbackTable, Quarantine
from annotate.store.traffic.fetched import FetchedSources
from annotate.store.traffic.items import Items
from annotate.store.traffic.partitions import Partitions
from annotate.store.traffic.selections import Selections
from annotate.store.traffic.spans import Spans
from annotate.store.traffic.thumbs import Thumbs
from annotate.store.traffic.windows import Traits, Windows

__all__ = ["TrafficStore"]


class TrafficStore:
    """What came in: items, feedback and quarantine, and the parts that traffic falls into."""

    def __init__(self, db: Database, follow: Consequence[str]) -> None:
        self.items = Items(db, follow)
        self.feedback = FeedbackTable(db, follow)
        self.quarantine = Quarantine(db)
        self.spans = Spans(db)
        self.fetched = FetchedSources(db)
        self.complaints = Complaints(db)
        self.thumbs = Thumbs(db)
        self.partitions = Partitions(db)
        self.windows = Windows(db)
        self.selections = Selections(db)
        self.traits = Traits(db)
