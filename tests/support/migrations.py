"""A store as the last version before the first release left it, from a dump of its file, and the rows of any file."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from support.wave_frames import with_frames

DUMP = Path(__file__).parents[1] / "store" / "data" / "before_first_release.sql"
# What `assay doctor` of that version said of it: ten events, and how the last one's hash begins.
EVENTS, HEAD = 10, "36f1d290adc008ca"


def unreleased(path: Path) -> Path:
    """Make that store: items, judges, a wave, labels, an adjudication, gold with a release, feedback, an item forgotten."""
    path.touch(0o600)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return path


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a file, read beside the store."""
    with closing(sqlite3.connect(path)) as connection:
        if re.search(r"\bframes\b", query):
            with_frames(connection)
        return [tuple(row) for row in connection.execute(query)]


def tables(path: Path) -> set[object]:
    return {row[0] for row in rows(path, "SELECT name FROM sqlite_master")}
