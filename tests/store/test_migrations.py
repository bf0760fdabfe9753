"""Stores made by earlier schemas: copied, then brought up to date with all that they hold."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from annotate.store import Store
from annotate.store.engine import chain
from annotate.store.engine.database import open_database
from annotate.store.engine.migrations import MIGRATIONS
from annotate.store.labels.outbox import TaskState
from proxy.records import Score
from support.endpoint import Endpoint
from support.gold import steps
from support.migrations import ITEM, PEOPLE, STEPS, earlier, rows, tables
from support.model import asked, quick
from support.store import Assay, current, traffic_row

pytestmark = pytest.mark.usefixtures("step_by_step")


def schema(path: Path) -> dict[str, str]:
    """Every table and index as the file has it."""
    db = open_database(path)
    try:
        return dict(db.conn.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    finally:
        db.conn.close()


def test_a_store_without_calls_of_models_gets_their_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema is that of a new store; judges have empty settings, scores are as they were, details can be kept."""
    earlier(tmp_path / "old.db", monkeypatch, STEPS[2])
    assert "attempts" not in tables(tmp_path / "old.db")
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


@pytest.mark.parametrize("step", STEPS[1:4])
def test_a_store_of_before_has_all_that_it_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Tasks, projects, labels, gold with its history, and events, whose chain is valid though people stand in it by a key now."""
    path = tmp_path / "old.db"
    earlier(path, monkeypatch, step)
    Store(tmp_path / "new.db").close()

    store = Store(path)

    assert store.check() == []
    assert schema(path) == schema(tmp_path / "new.db")
    assert current(store).question == "Where?"
    assert [tuple(one) for one in store.labels.outbox.sent("http://ls")] == [
        (1, 7, TaskState.CONFIRMED, 31),
        (2, 8, TaskState.QUEUED, None),
    ]
    assert [(one.number, one.is_in_use) for one in store.labels.outbox.projects("http://ls")] == [(7, False), (8, True)]
    label = store.labels.of_item(1)
    assert label is not None
    assert (label.judgement, label.annotator, label.reference, label.rationale) == ("wrong", "ann", "Room a.", "no")
    [entry] = store.gold.entries()
    assert (entry.gold_id, entry.item_id, entry.reference, entry.status) == ("gold-1", "a", "Room a.", "accepted")
    assert steps(store, "gold-1") == [("1", "candidate", "ann", ""), ("2", "accepted", "bob", "why")]
    assert [(one.number, one.who, one.detail) for one in store.audit.events.all()] == [
        *((number, who, f'{{"n": {number}}}') for number, who in enumerate(PEOPLE, 1)),
        (4, "assay", '{"rows": 8}'),  # what was there before rows were sealed is sealed as it is
    ]
    assert len({row[0] for row in rows(path, "SELECT who FROM events")}) == 3
    assert not any(who in json.dumps(rows(path, "SELECT who FROM events"), ensure_ascii=False) for who in PEOPLE)
    store.close()


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ("UPDATE events SET detail = '{}' WHERE sequence = 2", 2),
        ("UPDATE events SET who = 'eve' WHERE sequence = 3", 3),
        ("UPDATE events SET at = CAST(x'80ff' AS TEXT), who = CAST(x'c0' AS TEXT) WHERE sequence = 1", 1),
        ("DELETE FROM events WHERE sequence = 2", 2),
        ("UPDATE events SET hash = CAST(hash AS BLOB) WHERE sequence = 3", 3),
    ],
)
def test_a_chain_that_was_broken_before_stays_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, number: int
) -> None:
    """The chain is made anew over sound events only: a migration heals no event that was changed."""
    path = tmp_path / "old.db"
    earlier(path, monkeypatch, STEPS[3])
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()

    store = Store(path)
    with store.atomic():
        store.audit.events.append("more", {}, who="ann", now="2026-11-25")
    fault = chain.fault(store._db)

    assert fault is not None
    assert fault.number == number
    store.close()


@pytest.mark.slow
def test_a_model_judges_a_store_of_before(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened, judged by a model, its old score still there."""
    earlier(assay.db, monkeypatch, STEPS[2])
    assay("ingest", assay.write("t.jsonl", [traffic_row("b")]))

    with quick(), Endpoint() as endpoint:
        found = assay.json(*asked(endpoint))

    assert found["scores"] == 4
    assert assay.sql("SELECT count(*) FROM scores") == [(5,)]
    assert "faithfulness|offline|v2" in [row[0] for row in assay.sql("SELECT signature FROM judges")]


def test_rows_that_contradicted_each_other_wait_in_a_store_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of them was the label; what a person settled, and what one row says, stays."""
    path, step = tmp_path / "old.db", "0016_contradictions_stay_open"
    earlier(path, monkeypatch, step)
    said = [
        *((1, "file", "x", "unnamed", "right"), (1, "file", "y", "unnamed", "wrong")),
        *((2, "file", "x2", "unnamed", "right"), (2, "file", "y2", "unnamed", "wrong")),
        *((2, "adjudication", "item:2", "eve", "right"), (3, "file", "x3", "unnamed", "right")),
        *((3, "file", "y3", "ann", "wrong"), (3, "file", "z3", "ann", "wrong")),
    ]
    connection = sqlite3.connect(path)
    connection.execute(ITEM, (3, "c"))
    for item, source, name, who, word in said:
        connection.execute(
            "INSERT INTO annotations (source, id, item, annotator, judgement, causes, is_deleted, received_at) "
            "VALUES (?, ?, ?, ?, ?, '[]', 0, '2026-11-20')",
            (source, name, item, who, word),
        )
    for item, word in ((1, "wrong"), (2, "right"), (3, "unsure")):
        connection.execute(
            "INSERT INTO labels (item, judgement, annotator, causes, basis) VALUES (?, ?, 'x', '[]', 'one reader')",
            (item, word),
        )
    connection.commit()
    connection.close()

    store = Store(path)

    found = {item: store.labels.of_item(item) for item in (1, 2, 3)}
    assert [(one.judgement, one.basis) for one in found.values() if one] == [
        *(("unsure", "disagreement"), ("right", "one reader"), ("unsure", "one reader")),
    ]
    assert [one.item_id for one in store.labels.adjudication.waiting() if one.item == 1] == ["a"]
    store.close()


def test_the_steps_are_these(tmp_path: Path) -> None:
    """A released step is never renamed or left out."""
    db = open_database(tmp_path / "store.db")
    assert tuple(step.name for step in MIGRATIONS.applied(db)) == STEPS
    db.conn.close()
