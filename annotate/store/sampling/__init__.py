"""Waves as rows: frames, strata and draws with their inclusion probabilities; it may read labels and scores."""

from __future__ import annotations

from annotate.store.engine.sqlite import Database
from annotate.store.sampling.ledger import Ledger, WaveLedger
from annotate.store.sampling.passage_questions import PassageQuestions
from annotate.store.sampling.streams import Streams
from annotate.store.sampling.waves import Waves

__all__ = ["SamplingStore"]


class SamplingStore:
    """Waves as they were drawn, and the ledgers of them that estimates and users read."""

    def __init__(self, db: Database) -> None:
        self.waves = Waves(db)
        self.streams = Streams(db)
        self.passage_questions = PassageQuestions(db)
        self.ledger = Ledger(db)
        self.wave_ledger = WaveLedger(db)
