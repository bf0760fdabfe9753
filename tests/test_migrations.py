"""Stores made by earlier schemas: brought up to date with all that they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotate.store import Store
from annotate.store.database import open_database
from annotate.store.migrations import MIGRATIONS
from fixtures_endpoint import Endpoint
from fixtures_model import asked, quick
from fixtures_store import Assay, add, item, traffic_row
from proxy.records import Score

STEPS = ("0001_first_schema", "0002_designs_and_rollups", "0003_calls_of_models")


def schema(path: Path) -> dict[str, str]:
    """Every table and index as the file has it."""
    db = open_database(path)
    try:
        return dict(db.conn.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    finally:
        db.conn.close()


def earlier(path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """A store of the schema before a step, with an item that the offline judges have scored."""
    with monkeypatch.context() as patch:
        patch.setattr("annotate.store.database._migrate", lambda db: MIGRATIONS.apply(db, stop_before=step))
        store = Store(path)
        add(store, item("a", question="Where is room a?"))
        run = store._db.conn.execute
        run("INSERT INTO judges (judge, signature) VALUES ('faithfulness', 'faithfulness|offline|v2')")
        run("INSERT INTO scores VALUES (1, 1, 0.25, 'one of four', 0.1, '2026-11-21')")
        store.close()


def test_a_store_without_calls_of_models_gets_their_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema is that of a new store; judges have empty settings, scores are as they were, details can be kept."""
    earlier(tmp_path / "old.db", monkeypatch, STEPS[2])
    assert "attempts" not in _tables(tmp_path / "old.db")
    Store(tmp_path / "new.db").close()

    store = Store(tmp_path / "old.db")
    assert store.check() == []
    assert store._db.conn.execute("SELECT judge, settings FROM judges").fetchall() == [("faithfulness", "{}")]
    assert store._db.conn.execute("SELECT value, reason FROM scores").fetchall() == [(0.25, "one of four")]
    with store.atomic():
        more = Score(item_id="a", judge="context_relevance", signature="c|v1", value=1.0, passages=(1.0,))
        store.scores.keep({1: [more]}, now="2026-11-22")
        store.scores.describe("faithfulness", "faithfulness|offline|v2", {"a": 1})
    assert store.scores.detail(1, "context_relevance", "c|v1").passages == (1.0,)
    assert store._db.conn.execute("SELECT settings FROM judges WHERE key = 1").fetchone() == ('{"a": 1}',)
    store.close()

    assert schema(tmp_path / "old.db") == schema(tmp_path / "new.db")


def _tables(path: Path) -> set[str]:
    """The tables of a file, read beside the store."""
    import sqlite3

    connection = sqlite3.connect(path)
    try:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    finally:
        connection.close()


def test_a_model_judges_a_store_of_before(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened, judged by a model, its old score still there."""
    earlier(assay.db, monkeypatch, STEPS[2])
    assay("ingest", assay.write("t.jsonl", [traffic_row("b")]))

    with quick(), Endpoint() as endpoint:
        found = assay.json(*asked(endpoint))

    assert found["scores"] == 4
    assert assay.sql("SELECT count(*) FROM scores") == [(5,)]
    assert "faithfulness|offline|v2" in [row[0] for row in assay.sql("SELECT signature FROM judges")]


def test_the_steps_are_these(tmp_path: Path) -> None:
    """A released step is never renamed or left out."""
    db = open_database(tmp_path / "store.db")
    assert tuple(step.name for step in MIGRATIONS.applied(db))[:3] == STEPS
    db.conn.close()
