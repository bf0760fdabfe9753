"""A store of before servers were known by their projects, which kept one Label Studio under two addresses; and that server."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from annotate.domain.labelling_form import Form
from annotate.store import Store
from annotate.workflow.labelling import sync
from annotate.workflow.labelling.push import PushRequest
from support.store import NOW
from support.studio import Studio

DUMP = Path(__file__).parents[1] / "store" / "data" / "one_server_under_two_addresses.sql"
FIRST, SECOND = "http://127.0.0.1:8080", "http://localhost:8080"
# What the server holds in the end, by item: what was read under only one of the addresses is among it.
ON_SERVER = {"c": "wrong", "g": "right", "e": "right", "b": "wrong"}
# The annotation of this item was deleted, and that was read under the first address alone.
GHOST = "f"
ADDRESSES = ("http://localhost:8080", "https://labels.example.org", "http://127.0.0.1:9091")


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


def exchanged(store: Store, studio: Studio) -> sync.PullResult:
    """A pull as `assay pull` does it."""
    server = sync.identify(store, studio, takes_new=False, who="ann", now=NOW)  # type: ignore[arg-type]
    done = sync._pull(store, studio, server, who="ann", now=NOW)  # type: ignore[arg-type]
    return sync.PullResult(done, store.sampling.waves.progress(), server.url, server.moved_from)


def delivered(store: Store, studio: Studio, **request: object) -> sync.PushResult:
    return sync.deliver(store, studio, PushRequest(**request), who="ann", now=NOW)  # type: ignore[arg-type]


def labels(store: Store) -> dict[str, str]:
    """Each item's label."""
    return {label.item_id: label.judgement.value for _, label in store.labels.read()}


def moves(store: Store) -> list[tuple[object, object]]:
    """From where to where the events say that a server moved."""
    details = [json.loads(event.detail) for event in store.audit.events.all() if event.what == "server moved"]
    return [(detail["from"], detail["to"]) for detail in details]
