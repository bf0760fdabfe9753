"""Check that a store is sound: the file, its chain of events, its guards, its releases, and who on this machine can read it.

Out come problems in words, each with what to do where there is something; none means sound. Nothing is changed, and damage
is told of, never a reason to stop looking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.domain.judge_names import OtherSpelling
from annotate.store.audit.accounts import changed_accounts
from annotate.store.audit.backups import beside, unfinished
from annotate.store.audit.pseudonym_key import PseudonymKey
from annotate.store.audit.seal_health import changed_rows
from annotate.store.engine import chain
from annotate.store.engine.chain import Head
from annotate.store.engine.database import of_traffic
from annotate.store.engine.kept_totals import ENDING
from annotate.store.engine.migrations import UNCHANGING
from annotate.store.engine.sqlite import Database
from annotate.store.gold.releases import NEXT, changed_releases
from annotate.store.sampling.frame_health import changed_frames
from annotate.store.scores.calls import keys_in_addresses

MOST = 10
SHORTEST = 16
OTHERS = 0o077
OTHERS_WRITE = 0o002
STICKY = 0o1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Health:
    """What is wrong with a store, in words, and the end of its chain of events where nothing is.

    `covered_since` is when the rows of an older store were sealed; None where every row was sealed as it was written.
    `spellings` is no problem: judges that are there under several names.
    """

    problems: Sequence[str]
    head: Head | None
    covered_since: str | None
    spellings: Sequence[OtherSpelling] = ()


def problems(db: Database, path: Path | None, folders: Iterable[Path] = (), since: str | None = None) -> list[str]:
    """List what is wrong with the store at `path` and the folders that hold more of its texts.

    `path` is None for a store in memory; `since` is an earlier head of the chain of events.
    """
    checks: tuple[tuple[str, Callable[[Database], Iterable[str]]], ...] = (
        ("the file", _file),
        ("references between rows", _orphans),
        ("the lake", lambda store: of_traffic(store).problems()),
        ("events", _events),
        ("events since then", lambda store: _rewritten(store, since)),
        ("accounts", changed_accounts),
        ("guards", _guards),
        ("sealed rows", changed_rows),
        ("frames of waves", changed_frames),
        ("addresses of endpoints", keys_in_addresses),
        ("releases", changed_releases),
    )
    messages: list[str] = []
    for part, check in checks:
        try:
            messages += check(db)
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            messages.append(f"{part}: cannot be checked ({error}): the file is damaged: restore a backup")
    return [*messages, *_open_to_others(path, folders)]


def _file(db: Database) -> Iterator[str]:
    rows = db.conn.execute(f"PRAGMA integrity_check({MOST})")
    return (f"the file: {line}" for row in rows for line in str(row[0]).splitlines() if line != "ok")


def _orphans(db: Database) -> Iterator[str]:
    # With a lake the ledger has the items of the sample alone.
    lies_in_lake = db.conn.execute("SELECT EXISTS (SELECT 1 FROM lake)").fetchone()[0]
    rows = db.conn.execute("PRAGMA foreign_key_check").fetchall()
    orphans = [row for row in rows if not (lies_in_lake and row[2] == "items")]
    if orphans:
        tables = ", ".join(sorted({str(row[0]) for row in orphans}))
        yield f"rows that point to rows that are not there: {len(orphans):,} (in {tables}): restore a backup"


def _events(db: Database) -> Iterator[str]:
    fault = chain.fault(db)
    if fault is not None:
        yield f"event {fault.number} {fault.words}: {NEXT}"


def _rewritten(db: Database, since: str | None) -> Iterator[str]:
    """Report a chain that was made anew: it fits together, but does not come by an earlier digest."""
    if since is not None and not (len(since) >= SHORTEST and chain.has(db, since.strip().lower())):
        yield (
            f"no event has the digest {since}: the events were written anew since it was taken, or it is of another "
            f"store or cut short: {NEXT}"
        )


def _guards(db: Database) -> Iterator[str]:
    """Report missing guards: triggers forbid to change events and releases."""
    rows = db.conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    kept = {name: " ".join(sql.split()) for name, sql in rows}
    for table in UNCHANGING:
        for change in ("UPDATE", "DELETE"):
            if f"BEFORE {change} ON {table} BEGIN SELECT RAISE(ABORT" not in kept.get(f"{table}_{change.lower()}", ""):
                yield f"the guard that forbids {change} on {table} is gone: {table} may have been changed; restore a backup"


def _open_to_others(path: Path | None, folders: Iterable[Path]) -> Iterator[str]:
    """Report files and folders whose content others on this machine can reach."""
    for folder in folders:
        if folder.is_dir() and folder.stat().st_mode & OTHERS:
            yield f"others on this machine can read {folder}: chmod 700 {folder}"
    if path is None:
        return
    real = path.resolve()
    files = [
        path,
        PseudonymKey(path).path or path,
        *(real.with_name(real.name + end) for end in ("-wal", "-shm", "-journal", ENDING)),
        *beside(path),
    ]
    for file in files:
        if file.exists() and file.stat().st_mode & OTHERS:
            yield f"others on this machine can read {file}: chmod 600 {file}"
    home = real.parent
    mode = home.stat().st_mode
    if mode & OTHERS_WRITE and not mode & STICKY:
        yield f"everybody on this machine can replace files in {home}: chmod o-w {home}"
    for copy in unfinished(path):
        yield f"{copy} is a copy that was cut short: delete it, unless a backup is being made now"
