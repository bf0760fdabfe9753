"""The gold set as rows: candidates, decisions, entries and releases; it may read traffic and labels."""

from __future__ import annotations

from annotate.store.engine.sqlite import Database
from annotate.store.gold.answers import GoldAnswers
from annotate.store.gold.candidates import Gold
from annotate.store.gold.checks import GoldChecks
from annotate.store.gold.drafts import ReferenceDrafts
from annotate.store.gold.releases import Releases
from annotate.store.gold.statistics import GoldStatistics

__all__ = ["GoldStore"]


class GoldStore(Gold):
    """Gold entries, and beside them the answers they correct, drafts, the releases and the checks against them."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.answers = GoldAnswers(db)
        self.releases = Releases(db)
        self.checks = GoldChecks(db)
        self.drafts = ReferenceDrafts(db)
        self.statistics = GoldStatistics(db)
