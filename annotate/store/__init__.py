"""Store everything that is kept in one SQLite file, with a part for each kind of thing.

It stores no verdict of its own and computes no statistics; each part reads and writes its tables, and `atomic()` makes
several writes one unit of work.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from annotate.domain.privacy import redaction
from annotate.store import health
from annotate.store.audit.backups import Backups
from annotate.store.audit.events import Events
from annotate.store.audit.forgetting import Forgotten
from annotate.store.audit.masking_record import MaskingRecord
from annotate.store.audit.policies import Policies
from annotate.store.audit.seal_health import sealed_since
from annotate.store.engine.database import atomic, before_commit, open_database, readable_errors, snapshot
from annotate.store.engine.rollups import Rollups
from annotate.store.gold.candidates import Gold
from annotate.store.gold.checks import GoldChecks
from annotate.store.gold.releases import Releases
from annotate.store.gold.statistics import GoldStanding
from annotate.store.labels.adjudication import Cases
from annotate.store.labels.causes import Causes
from annotate.store.labels.disagreements import Disagreements
from annotate.store.labels.labels import Labels
from annotate.store.labels.opposite_labels import OppositeLabels
from annotate.store.labels.outbox import Outbox
from annotate.store.labels.second_readings import SecondReadings
from annotate.store.sampling.ledger import Ledger
from annotate.store.sampling.wave_ledger import WaveLedger
from annotate.store.sampling.waves import Waves
from annotate.store.scores.calls import Calls
from annotate.store.scores.disputed import Disputes
from annotate.store.scores.guarantees import Guarantees
from annotate.store.scores.judge_pairs import Pairings
from annotate.store.scores.matched import MatchedScores
from annotate.store.scores.rules import Rules
from annotate.store.scores.scores import Scores
from annotate.store.scores.stage_scores import Stages
from annotate.store.scores.totals import Totals
from annotate.store.scores.usage import Workloads
from annotate.store.traffic.complaints import Inbox
from annotate.store.traffic.feedback_quarantine import FeedbackTable, Quarantine
from annotate.store.traffic.items import Items
from annotate.store.traffic.partitions import Parts
from annotate.store.traffic.selections import Selections
from annotate.store.traffic.traits import Traits
from annotate.store.traffic.windows import Windows
from proxy.errors import StoreError

__all__ = ["Store"]


class Store:
    """An open store. Every method of its parts that writes wants to be called inside `atomic()`.

    With `reads_only` each of them is refused: what answers a question is given such a store.
    """

    def __init__(self, path: Path, *, reads_only: bool = False) -> None:
        self.path = path
        self._db = open_database(path, reads_only=reads_only)
        self.items = Items(self._db)
        self.scores = Scores(self._db)
        self.calls = Calls(self._db)
        self.rules = Rules(self._db)
        self.disputes = Disputes(self._db)
        self.opposite_labels = OppositeLabels(self._db)
        self.waves = Waves(self._db)
        self.ledger = Ledger(self._db)
        self.wave_ledger = WaveLedger(self._db)
        self.totals = Totals(self._db)
        self.parts = Parts(self._db)
        self.windows = Windows(self._db)
        self.workloads = Workloads(self._db)
        self.pairings = Pairings(self._db)
        self.selections = Selections(self._db)
        self.stages = Stages(self._db)
        self.matched = MatchedScores(self._db)
        self.traits = Traits(self._db)
        self.guarantees = Guarantees(self._db)
        self.rollups = Rollups(self._db)
        self.outbox = Outbox(self._db)
        self.labels = Labels(self._db)
        self.cases = Cases(self._db)
        self.causes = Causes(self._db)
        self.second_readings = SecondReadings(self._db)
        self.disagreements = Disagreements(self._db)
        self.gold = Gold(self._db)
        self.policies = Policies(self._db)
        redaction.follow(self, MaskingRecord(path))
        self.releases = Releases(self._db)
        self.gold_checks = GoldChecks(self._db)
        self.gold_standing = GoldStanding(self._db)
        self.feedback = FeedbackTable(self._db)
        self.inbox = Inbox(self._db)
        self.quarantine = Quarantine(self._db)
        self.events = Events(self._db)
        before_commit(self._db, self.events.seal_rest)
        self.backups = Backups(self._db, path)
        self.forgotten = Forgotten(self._db, path)

    @contextmanager
    def atomic(self, *, durable: bool = False) -> Iterator[None]:
        """Run one unit of work: all of it is kept or none; `durable` survives a power cut."""
        with readable_errors(str(self.path)), atomic(self._db, durable=durable):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Show all reads the store as it is at the first of them, whatever other processes write meanwhile."""
        with readable_errors(str(self.path)), snapshot(self._db):
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold off every other process that asks for this store alone; reading and writing stay free.

        The folder is locked, because closing a second handle of the store's own file would drop SQLite's locks.
        """
        folder = os.open(self.path.resolve().parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    @contextmanager
    def only_one(self, what: str) -> Iterator[None]:
        """Hold off every other process that does the same work on this store: StoreError for the second, at once."""
        handle = os.open(f"{self.path}.{what}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise StoreError(f"another `assay {what}` is at work on {self.path}: wait for it to end") from error
        finally:
            os.close(handle)

    def changes(self) -> int:
        """Return a number that moves on with every write by another connection; only this store's own answers compare."""
        return int(self._db.conn.execute("PRAGMA data_version").fetchone()[0])

    def check(self, folders: Iterable[Path] = (), *, since: str | None = None) -> list[str]:
        """Return what is wrong with the store, or with these folders that hold more of its texts, in words; nothing if sound.

        `since` is the head of the chain of events as it was at some time: the chain must still come by there.
        """
        return health.problems(self._db, self.path, folders, since)

    def covered_since(self) -> str | None:
        """Return when the rows that were there before seals were sealed; None where every row was sealed as it was written."""
        return sealed_since(self._db)

    def close(self) -> None:
        """Close the file."""
        redaction.leave(self)
        self._db.conn.close()
