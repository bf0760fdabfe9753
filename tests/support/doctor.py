"""What doctor finds, and a store whose guards are gone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from annotate.store import Store
from support.store import NASTY, NOW, Assay, add, item

EVENTS = 12


def written(path: Path) -> None:
    """A closed store with EVENTS events, all of it in the one file."""
    store = Store(path)
    add(store, item())
    for number in range(1, EVENTS + 1):
        with store.atomic():
            detail = {"file": f"números-{number}.jsonl", "n": number, "digest": "0a" * 32, "note": NASTY}
            store.audit.events.append("ingest", detail, who=f"person {number % 3}", now=NOW)
    store.close()


def unguarded(path: Path, *statements: str) -> None:
    """Run statements as somebody would who takes the guards away first, and puts them back."""
    connection = sqlite3.connect(path, isolation_level=None)
    guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in guards:
        connection.execute(sql)
    connection.close()


def problems_of(assay: Assay) -> list[str]:
    """The problems that doctor names; an exit status of 1 without a traceback."""
    problems = assay.json("doctor", status=1)["problems"]
    assert problems
    return list(problems)
