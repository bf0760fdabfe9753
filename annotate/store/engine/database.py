"""One SQLite file: opened privately, migrated once, written in short immediate transactions.

Every SQLite fault that a person can act on becomes a StoreError. Where the file or its folder is read-only it is opened for
reading, by `annotate.store.engine.read_only`.
Text that UTF-8 cannot hold (lone surrogates) is kept as a BLOB of its surrogatepass bytes, so nothing is ever changed.
"""

from __future__ import annotations

import filecmp
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from annotate.store.engine import read_only, seals
from annotate.store.engine.all_traffic import AllTraffic, LedgerTraffic
from annotate.store.engine.copy import BUSY_SECONDS, copy, readable_errors
from annotate.store.engine.kept_totals import KeptTotals
from annotate.store.engine.migrations import LAST_UNRELEASED, MIGRATIONS, STEPS, UNRELEASED
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError

__all__ = [
    "atomic",
    "before_commit",
    "before_migration",
    "from_column",
    "kept_totals",
    "of_traffic",
    "once",
    "open_database",
    "put_traffic",
    "readable_errors",
    "scratch_copy",
    "snapshot",
    "to_column",
]
BEGIN_WRITING = "BEGIN IMMEDIATE"
READ_ONLY = "PRAGMA query_only = ON"
LOG = logging.getLogger("assay")
Answer = TypeVar("Answer")


class _Shared(sqlite3.Connection):
    """A connection whose transactions are each of one thread: another thread that shares it waits for its turn.

    `before_commit` is called inside each transaction that may write, as the last thing that is done in it; `totals` is what
    was counted of the store, `answers` what was read in the snapshot that is open, `traffic` what is asked of all traffic.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.turn = RLock()
        self.before_commit: Callable[[], None] | None = None
        self.totals = KeptTotals(None)
        self.answers: dict[Hashable, Any] | None = None
        self.traffic: AllTraffic = LedgerTraffic(self)

    def close(self) -> None:
        """Close the file, and that of its totals."""
        self.totals.close()
        super().close()


def before_commit(db: Database, work: Callable[[], None]) -> None:
    """Do this as the last thing in each transaction that may write."""
    if isinstance(db.conn, _Shared):
        db.conn.before_commit = work


def once(db: Database, question: Hashable, read: Callable[[], Answer]) -> Answer:
    """Read the answer to a question once in a snapshot, and anew outside of one; whoever gets it must not change it.

    Several parts of a report read the same. What this connection itself writes in a snapshot makes every answer old.
    """
    answers = db.conn.answers if isinstance(db.conn, _Shared) else None
    if answers is None:
        return read()
    key = (question, db.conn.total_changes)
    if key not in answers:
        answers[key] = read()
    answer: Answer = answers[key]
    return answer


def kept_totals(db: Database) -> KeptTotals:
    """Return the totals that are kept of this store."""
    return db.conn.totals if isinstance(db.conn, _Shared) else KeptTotals(None)


def open_database(path: Path | None, *, reads_only: bool = False) -> Database:
    """Open the store at `path`, making it (mode 0600) and bringing its schema up to date as needed; None for one in memory.

    With `reads_only` the connection refuses every write once the schema is up to date. So it does where the file cannot be
    written, which is opened as it is.
    """
    if path is None:
        return _open(_connect(":memory:"), path, reads_only=reads_only)
    with readable_errors(str(path)):
        if not path.exists():
            if reads_only:
                raise StoreError(f"there is no store at {path}: start with `assay ingest FILE`")
            if path.is_symlink():
                target = path.readlink()
                raise StoreError(f"{path} is a link to {target}, which is not there: name the file itself with --db")
            _create_privately(path)
        if not read_only.is_writable(path):
            return _open_to_read(path)
        # `mode=rw`: SQLite itself never makes the file, which would be readable by everybody.
        return _open(_connect(f"{path.absolute().as_uri()}?mode=rw"), path, reads_only=reads_only)


def _open(connection: _Shared, path: Path | None, *, reads_only: bool) -> Database:
    db = Database(connection)
    try:
        if path is not None:
            _refuse_foreign(db, path)
            _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cache_size = -32000")
        _migrate(db)
        if reads_only:
            connection.execute(READ_ONLY)
        else:
            seals.watch(db)
        connection.totals = KeptTotals(path)
    except BaseException:
        connection.close()
        raise
    return db


@contextmanager
def scratch_copy(db: Database) -> Iterator[Database]:
    """Copy the store to a nameless file of SQLite's own, which is gone when it is closed: the store itself is only read."""
    connection = _connect("")
    try:
        db.conn.backup(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        copied = Database(connection)
        seals.watch(copied)
        yield copied
    finally:
        connection.close()


def _connect(address: str) -> _Shared:
    # No implicit transactions: a write outside `atomic` would open one that nobody commits.
    return sqlite3.connect(
        address,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
        isolation_level=None,
        factory=_Shared,
        uri=True,
    )


def _open_to_read(path: Path) -> Database:
    """Open a store that cannot be written; StoreError where it cannot be read as it is either."""
    connection = _connect(read_only.address(path))
    db = Database(connection)
    try:
        _refuse_foreign(db, path)
        _refuse_older(db, path)
        connection.execute("PRAGMA cache_size = -32000")
        connection.execute(READ_ONLY)
        connection.totals = KeptTotals(path)
    except BaseException:
        connection.close()
        raise
    return db


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch a new file to WAL; SQLite does not wait here for others who do the same at this moment."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _create_privately(path: Path) -> None:
    """Make the empty file readable by its owner only; a folder made for it likewise."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise StoreError(
            f"{path}: {error.strerror}: check that its folder exists and that you may write there"
        ) from error


def _refuse_foreign(db: Database, path: Path) -> None:
    """Leave a file alone that another program made, a newer Assay, or one from before the first release."""
    tables = db.table_names()
    if not tables:
        return
    names = [{step.name for step in steps.applied(db)} for steps in (MIGRATIONS, UNRELEASED)]
    if not any(names):
        raise StoreError(f"{path} belongs to another program (it holds {tables[0]}): name another file with --db")
    if unknown := sorted(names[0].difference(STEPS)):
        raise StoreError(f"{path} was written by a newer Assay (it holds {unknown[-1]}): upgrade Assay to use it")
    if names[1] and LAST_UNRELEASED not in names[1]:
        raise StoreError(
            f"{path} was written by an Assay from before the first release, and lacks its step {LAST_UNRELEASED}: export its "
            "labels and gold set with that version (`assay labels export`, `assay gold export`), ingest the traffic into a new "
            "store, and import them there"
        )


def _refuse_older(db: Database, path: Path) -> None:
    """Refuse an older store: it has to be brought up to date, and for that written."""
    if MIGRATIONS.pending(db):
        raise StoreError(
            f"{path} was written by an older Assay and has to be brought up to date, but it is read-only: copy it to a folder "
            "where you may write, and name the copy with --db"
        )


def _migrate(db: Database) -> None:
    """Apply what is pending under one write lock, so that two processes that start at once do not collide.

    A store that holds something is copied first, inside the lock: what is copied is what is changed.
    """
    if not MIGRATIONS.pending(db):
        return
    path, saved = Path(db.conn.execute("PRAGMA database_list").fetchone()[2]), None
    with atomic(db):
        pending = MIGRATIONS.pending(db)
        if pending and db.table_names():
            saved = _keep_before(path, pending[0].name)
        MIGRATIONS.apply(db)
    if saved:
        LOG.warning("%s was brought up to date; as it was before, it is kept in %s", path, saved.name)


def _keep_before(path: Path, step: str) -> Path:
    """Copy the store as it is before this step; a copy that an earlier attempt left is not made twice."""
    number, target = 1, before_migration(path, step)
    while target.exists():
        number += 1
        target = before_migration(path, step, number)
    copy(path, target)
    earlier = before_migration(path, step, number - 1)
    if number > 1 and filecmp.cmp(target, earlier, shallow=False):
        target.unlink()
        return earlier
    return target


def before_migration(path: Path, step: str, number: int = 1) -> Path:
    """Return where the store is kept as it was before a step: `assay.db.before-0004_several_readers.db`."""
    again = f"-{number}" if number > 1 else ""
    return path.with_name(f"{path.name}.before-{step}{again}.db")


@contextmanager
def atomic(db: Database, *, durable: bool = False) -> Iterator[None]:
    """Run one unit of work: all of it is kept or none; `durable` survives a power cut (labels, gold).

    BEGIN IMMEDIATE takes the write lock before anything is read, so a read that decides a write is never stale.
    """
    with _turn(db):
        if db.conn.in_transaction:
            with _told_of_rollback(db), db.atomic():
                yield
            return
        if not durable:
            with _transaction(db, BEGIN_WRITING):
                yield
            return
        db.conn.execute("PRAGMA synchronous = FULL")
        try:
            with _transaction(db, BEGIN_WRITING):
                yield
        finally:
            db.conn.execute("PRAGMA synchronous = NORMAL")


@contextmanager
def snapshot(db: Database) -> Iterator[None]:
    """Open one read transaction; a write inside fails where another process has written since it began."""
    with _turn(db):
        if db.conn.in_transaction:
            yield
            return
        with _transaction(db, "BEGIN"), _answers(db):
            yield


@contextmanager
def _answers(db: Database) -> Iterator[None]:
    """Keep what is read with `once` until the snapshot ends."""
    if not isinstance(db.conn, _Shared):
        yield
        return
    db.conn.answers = {}
    try:
        yield
    finally:
        db.conn.answers = None


def _turn(db: Database) -> AbstractContextManager[object]:
    """Return the lock held while a thread is in a transaction of this connection, which it may nest."""
    return db.conn.turn if isinstance(db.conn, _Shared) else nullcontext()


@contextmanager
def _transaction(db: Database, begin: str) -> Iterator[None]:
    """Commit at the end, roll back on any exception."""
    db.conn.execute(begin)
    try:
        yield
        if begin == BEGIN_WRITING and isinstance(db.conn, _Shared) and db.conn.before_commit:
            db.conn.before_commit()
        db.conn.execute("COMMIT")
    except BaseException:
        db.rollback()
        of_traffic(db).rolled_back()
        raise


@contextmanager
def _told_of_rollback(db: Database) -> Iterator[None]:
    try:
        yield
    except BaseException:
        of_traffic(db).rolled_back()
        raise


def to_column(text: str | None) -> str | bytes | None:
    """Return text as SQLite keeps it: lone surrogates make it a BLOB."""
    if text is None or text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_column(value: str | bytes) -> str:
    """Return the text that `to_column` kept."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def of_traffic(db: Database) -> AllTraffic:
    """Return what answers questions about all items with their texts, scores and verdicts."""
    return db.conn.traffic if isinstance(db.conn, _Shared) else LedgerTraffic(db.conn)


def put_traffic(db: Database, traffic: AllTraffic) -> None:
    """Let all traffic be asked of this from now on."""
    if isinstance(db.conn, _Shared):
        db.conn.traffic = traffic


class Room:
    """A part of the store, which reads and writes over the store's connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @property
    def _traffic(self) -> AllTraffic:
        return of_traffic(self._db)
