"""Make backups of a store: verified copies beside it, logged with the end of the chain of events, which identifies a copy.

The rule: nothing that this store did not make itself is ever removed, and no file is ever replaced.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from annotate.store.audit.events import Events
from annotate.store.engine import chain
from annotate.store.engine.copy import UNFINISHED, copy
from annotate.store.engine.database import atomic
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError

EVENT = "backup"
STAMPED = r"\.backup-\d{8}T\d{6}Z(-\d+)?\.db"
KEPT_BEFORE = r"\.before-\w+(-\d+)?\.db"


class Backup(NamedTuple):
    """A copy that was read back sound: its size, the end of its chain of events, and what is wrong with that chain.

    `removed` are the older backups that made room for it.
    """

    file: Path
    size: int
    head: chain.Head
    fault: chain.ChainFault | None
    removed: tuple[str, ...]


class Backups:
    """Make backups of the store and remove those that it made."""

    def __init__(self, db: Database, path: Path | None) -> None:
        self._db = db
        self._path = path

    def make(self, target: Path | None, *, keep: int | None, who: str, now: str, is_logged: bool = True) -> Backup:
        """Copy the store to `target` or a name with the time beside it; `keep` is how many backups stay with this one.

        With `is_logged` an event notes it. StoreError where the target exists, the store is damaged, or there is no space:
        nothing is left of the copy then. A chain of events that is broken is copied as it is; older backups, which may be
        sound, stay in that case.
        """
        if self._path is None:
            raise StoreError("a store in memory has no file that could be copied")
        target = target or _free(self._path, now)
        size = copy(self._path, target)
        with closing(sqlite3.connect(target)) as connection:
            copied = Database(connection)
            head, fault = chain.head(copied), chain.fault(copied)
        if is_logged:
            with atomic(self._db):
                detail = {"file": target.name, "bytes": size, "events": head.number, "head": head.hash}
                Events(self._db).append(EVENT, detail, who=who, now=now)
        old = [] if keep is None or fault else self._made(self._path)[keep:]
        for backup in old:
            backup.unlink()
        return Backup(target, size, head, fault, tuple(backup.name for backup in old))

    def _made(self, path: Path) -> list[Path]:
        """Return the backups beside the store that it logged itself, newest first."""
        query = "SELECT detail FROM events WHERE what = ? ORDER BY sequence DESC"
        logged = [json.loads(detail)["file"] for (detail,) in self._db.conn.execute(query, (EVENT,))]
        present = {backup.name: backup for backup in _matching(path, STAMPED)}
        return [present[name] for name in dict.fromkeys(logged) if name in present]

    def copies(self) -> list[Path]:
        """Return the copies beside the store, and those made under a name that are found there or in the working folder.

        The log holds names without folders: a file of such a name counts where its own log has the noted end of the chain.
        """
        if self._path is None:
            return []
        copies = {copied.resolve(): copied for copied in beside(self._path)}
        for name, head in self._logged():
            for candidate in (self._path.absolute().parent / name, Path.cwd() / name):
                is_other = candidate.is_file() and not candidate.is_symlink() and not candidate.samefile(self._path)
                if is_other and candidate.resolve() not in copies and _holds(candidate, head):
                    copies[candidate.resolve()] = candidate
        return list(copies.values())

    def _logged(self) -> Iterator[tuple[str, chain.Head]]:
        """Yield the name of each backup in the log, with the end of its chain; what was damaged is left out."""
        query = "SELECT CAST(detail AS BLOB) FROM events WHERE what = ? ORDER BY sequence"
        for (detail,) in self._db.conn.execute(query, (EVENT,)).fetchall():
            try:
                logged = json.loads(detail)
                yield Path(logged["file"]).name, chain.Head(int(logged["events"]), str(logged["head"]))
            except (KeyError, TypeError, ValueError):
                continue


def beside(path: Path) -> list[Path]:
    """Return the copies of a store in its folder: backups, those before a migration, and unfinished ones."""
    return _matching(path, f"({STAMPED}|{KEPT_BEFORE})({re.escape(UNFINISHED)})?")


def _holds(file: Path, head: chain.Head) -> bool:
    """Return whether a file is a store whose log has this event; the file is only read."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            row = connection.execute("SELECT hash FROM events WHERE sequence = ?", (head.number,)).fetchone()
    except (OSError, sqlite3.Error):
        return False
    return row is not None and row[0] == head.hash


def unfinished(path: Path) -> list[Path]:
    """Return the copies in the store's folder that were cut short by a kill or a power cut."""
    return [file for file in beside(path) if file.name.endswith(UNFINISHED)]


def _matching(path: Path, pattern: str) -> list[Path]:
    named = re.compile(re.escape(path.name) + pattern)
    return sorted(
        file for file in path.absolute().parent.iterdir() if named.fullmatch(file.name) and not file.is_symlink()
    )


def _free(path: Path, now: str) -> Path:
    """Return a name with the time in it that no file has yet: `assay.db.backup-20261121T080000Z.db`."""
    stamp = re.sub(r"[-:]|\.\d+", "", now)
    number, target = 1, path.with_name(f"{path.name}.backup-{stamp}.db")
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.backup-{stamp}-{number}.db")
    return target
