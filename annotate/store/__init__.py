"""Store everything that is kept in one SQLite file, with a room for each kind of thing.

It stores no verdict of its own and computes no statistics; each room reads and writes its tables, and `atomic()` makes
several writes one unit of work.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from annotate.domain.privacy import redaction
from annotate.domain.sign_in.signed_in import SignedIn
from annotate.store import health
from annotate.store.audit import AuditStore
from annotate.store.audit.masking_record import MaskingRecord
from annotate.store.audit.pseudonym_key import PseudonymKey
from annotate.store.audit.seal_health import sealed_since
from annotate.store.engine.database import (
    atomic,
    before_commit,
    of_traffic,
    open_database,
    readable_errors,
    snapshot,
)
from annotate.store.engine.defined_frames import DefinedFrames
from annotate.store.engine.rollups import Rollups
from annotate.store.gold import GoldStore
from annotate.store.labels import LabelStore
from annotate.store.lake.attached import attach, found
from annotate.store.questions import QuestionStore
from annotate.store.sampling import SamplingStore
from annotate.store.scores import ScoreStore
from annotate.store.traffic import TrafficStore
from proxy.errors import StoreError

__all__ = ["Store"]
MEMORY = ":memory:"


class Store:
    """An open store. Every method of its rooms that writes wants to be called inside `atomic()`.

    With `reads_only` each of them is refused: what answers a question is given such a store. The path ":memory:" stands for a
    store that lives as long as it is open, with no file at all. `signed_in` is who uses it, where people sign in: their events
    say so.
    """

    def __init__(self, path: Path | str, *, reads_only: bool = False, signed_in: SignedIn | None = None) -> None:
        self.path = Path(path)
        self._file = None if str(path) == MEMORY else self.path
        self._db = open_database(self._file, reads_only=reads_only)
        attach(self._db)
        of_traffic(self._db).before_change = DefinedFrames(self._db).freeze
        self.gold = GoldStore(self._db)
        self.traffic = TrafficStore(self._db, follow=self.gold.follow_traffic)
        self.scores = ScoreStore(self._db)
        self.sampling = SamplingStore(self._db)
        self.labels = LabelStore(self._db, follow=self.gold.offer)
        self.questions = QuestionStore(self._db)
        self.audit = AuditStore(self._db, self._file, signed_in)
        self.rollups = Rollups(self._db)
        self.pseudonym_key = PseudonymKey(self._file)
        recorded = MaskingRecord(self._file) if self._file else self.audit.policies.masking
        redaction.follow(self, recorded, self.pseudonym_key.read)
        before_commit(self._db, self.audit.events.seal_rest)

    def found_lake(self, address: str) -> None:
        """Let the traffic of this store, which has none yet, lie in a lake; call inside a transaction."""
        found(self._db, address)

    @property
    def is_writable(self) -> bool:
        """Whether it may be changed: it was not opened for reading, and its file and folder may be written."""
        return not self._db.conn.execute("PRAGMA query_only").fetchone()[0]

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
        if self._file is None:
            yield
            return
        folder = os.open(self._file.resolve().parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    @contextmanager
    def only_one(self, what: str) -> Iterator[None]:
        """Hold off every other process that does the same work on this store: StoreError for the second, at once."""
        if self._file is None:
            yield
            return
        try:
            handle = os.open(f"{self._file}.{what}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StoreError(
                f"`assay {what}` writes beside {self.path}, and cannot ({error.strerror}): copy the store to where you may write"
            ) from error
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
        return health.problems(self._db, self._file, folders, since)

    def covered_since(self) -> str | None:
        """Return when the rows that were there before seals were sealed; None where every row was sealed as it was written."""
        return sealed_since(self._db)

    def close(self) -> None:
        """Close the file."""
        redaction.leave(self)
        self._db.conn.close()
