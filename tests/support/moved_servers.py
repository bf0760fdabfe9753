"""A store of before servers were known by their projects, which kept one Label Studio under two addresses; and that server."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from annotate.domain.labelling_form import Form
from support.studio import Studio

DUMP = Path(__file__).parents[1] / "store" / "data" / "one_server_under_two_addresses.sql"
FIRST, SECOND = "http://127.0.0.1:8080", "http://localhost:8080"
# What the server holds in the end, by item: what was read under only one of the addresses is among it.
ON_SERVER = {"c": "wrong", "g": "right", "e": "right", "b": "wrong"}
# The annotation of this item was deleted, and that was read under the first address alone.
GHOST = "f"


def of_before(path: Path) -> Path:
    """Make that store."""
    path.touch(0o600)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return path


def its_server(path: Path) -> Studio:
    """The server as that store left it: eight tasks, five annotations, one edited, two deleted, one by somebody else."""
    studio = Studio()
    with closing(sqlite3.connect(path)) as connection:
        keys = [key for (key,) in connection.execute("SELECT task_key FROM draws ORDER BY key")]
        store = connection.execute("SELECT value FROM policies WHERE name = 'store'").fetchone()[0]
    studio.ensure_project("Assay", Form(), marker=f"assay:{store}:everybody:labelling.v2.en:1")
    for key in keys:
        studio._add(1, {"external_id": key})
    made = [studio.annotate(studio.task_of(key), "right") for key in keys[:5]]
    studio.edit(made[0], "wrong")
    studio.delete(made[1])
    studio.delete(made[2])
    studio.annotate(studio.task_of(keys[5]), "wrong", 2)
    return studio
