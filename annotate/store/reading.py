"""Open a store that cannot be written.

SQLite shares a file in write-ahead mode through two files beside it. Where they cannot be made, the file is read as one that
nobody changes (`immutable`). That would leave out what the log still holds, so a log that is not empty is then an error.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from proxy.errors import StoreError

LOG, INDEX = "-wal", "-shm"


def is_writable(path: Path) -> bool:
    """Whether the file can be changed: it and its folder, or it and the two files beside it, which are there already."""
    beside = [_beside(path, LOG), _beside(path, INDEX)]
    return _may(path, os.W_OK) and (_may(path.parent, os.W_OK) or all(_may(one, os.W_OK) for one in beside))


def address(path: Path) -> str:
    """The address by which SQLite opens the file for reading only; StoreError where what is in its log would be left out."""
    log, index = _beside(path, LOG), _beside(path, INDEX)
    can_share = _may(path.parent, os.W_OK) or (_may(log, os.R_OK) and _may(index, os.R_OK))
    if not can_share and log.exists() and log.stat().st_size:
        raise StoreError(
            f"{path} is in a read-only folder, and {log.name} beside it holds changes that were not written back: open it once "
            "where you may write, or copy both files to a folder of your own"
        )
    return f"file:{quote(str(path.resolve()))}?mode=ro{'' if can_share else '&immutable=1'}"


def lay_over(connection: sqlite3.Connection, tables: Sequence[str]) -> None:
    """Lay copies of these tables over those of the file: a temporary table hides the one of the same name."""
    for table in tables:
        if connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = ?", (table,)).fetchone():
            continue
        query = "SELECT sql FROM main.sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC"
        for (statement,) in connection.execute(query, (table,)).fetchall():
            connection.execute(_temporary(statement))
        connection.execute(f'INSERT INTO temp."{table}" SELECT * FROM main."{table}"')


def _temporary(statement: str) -> str:
    """The statement that makes the same in the temporary schema."""
    head, _, rest = statement.partition(" ")
    if rest.upper().startswith("TABLE"):
        return f"{head} TEMP {rest}"
    # An index has its schema before its name, and is made on a table of the same schema.
    at = rest.upper().index("INDEX") + len("INDEX ")
    return f"{head} {rest[:at]}temp.{rest[at:].lstrip()}"


def _beside(path: Path, ending: str) -> Path:
    real = path.resolve()
    return real.with_name(real.name + ending)


def _may(path: Path, how: int) -> bool:
    real = os.access in os.supports_effective_ids
    return os.access(path.resolve(), how, effective_ids=real)
