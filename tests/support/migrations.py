"""A store as an earlier schema had it, and what it holds."""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from annotate.store.engine.database import open_database
from annotate.store.engine.migrations import MIGRATIONS
from support.store import NASTY

STEPS = (
    *("0001_first_schema", "0002_designs_and_rollups", "0003_calls_of_models", "0004_several_readers"),
    *("0005_gold_that_stays_true", "0006_people_by_key", "0007_tombstones", "0008_decisions"),
    *("0009_readings_and_causes_asked_for", "0010_complaints_set_aside", "0011_questions"),
    *("0012_gold_conversations", "0013_claims", "0015_rows_that_came_in_repaired", "0016_contradictions_stay_open"),
    *("0017_seals", "0018_totals_beside_the_store"),
)
ITEM = """
    INSERT INTO items (key, id, revision, is_current, content_hash, rest_hash, "group", question_chars, contexts,
        contexts_chars, answer_chars, ingested_at) VALUES (?, ?, 1, 1, x'01', x'02', 'g', 1, 1, 1, 1, '2026-11-20')
"""
HELD = """
    INSERT INTO rules VALUES (1, 'rule', 1, 'faithfulness > 0.5', '{"faithfulness": "faithfulness|offline|v2"}', '{}', 0,
        1, '2026-11-20');
    INSERT INTO waves (key, rule, seed, salt, labels, audit, at) VALUES (1, 1, 1, 's', 2, 0.25, '2026-11-20');
    INSERT INTO draws VALUES (1, 1, 1, 'passed', 0.5, 'task-a'), (2, 1, 2, 'failed', 0.25, 'task-b');
    INSERT INTO tasks VALUES (1, 'http://ls', 7, 'confirmed', 31, '2026-11-20'), (2, 'http://ls', 8, 'sent', NULL, '2026-11-21');
    INSERT INTO projects VALUES ('http://ls', 7, 'v1', '2026-11-20'), ('http://ls', 8, 'v1', '2026-11-21');
    INSERT INTO annotations VALUES (1, 'label-studio:7', '5', 1, 1, 'ann', 'wrong', 'Room a.', '[]', NULL, 'no', 'v1', 3.5,
        '2026-11-20', 0, '2026-11-20');
    INSERT INTO labels VALUES (1, 1, 'wrong', 'ann', 'Room a.', '[]', NULL, 'no', '2026-11-20');
    INSERT INTO gold VALUES ('gold-1', 1, 'Room a.', 'accepted', 'written by an annotator', 'ann', '2026-11-20');
    INSERT INTO gold_revisions VALUES (1, 'gold-1', 'Room.', 'candidate', 'written by an annotator', 'ann', 'ann', NULL, '1'),
        (2, 'gold-1', 'Room a.', 'accepted', 'written by an annotator', 'ann', 'bob', 'why', '2');
"""
PEOPLE = ("ann", NASTY.replace("\ud800", ""), "ann")


def earlier(path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """A store of the schema before a step: two items, a score of an offline judge, labels, tasks, gold, three events by name."""
    with monkeypatch.context() as patch:
        patch.setattr("annotate.store.engine.database._migrate", lambda db: MIGRATIONS.apply(db, stop_before=step))
        db = open_database(path)
    run = db.conn.execute
    run("BEGIN")
    for key, name in ((1, "a"), (2, "b")):
        run(ITEM, (key, name))
        run("INSERT INTO texts VALUES (?, 'Where?', '[\"C\"]', '[]', 'A.', '[]', NULL, '{}')", (key,))
    run("INSERT INTO judges (judge, signature) VALUES ('faithfulness', 'faithfulness|offline|v2')")
    run("INSERT INTO scores VALUES (1, 1, 0.25, 'one of four', 0.1, '2026-11-21')")
    if STEPS.index(step) <= 3:
        for statement in HELD.split(";"):
            run(statement)
    before = ""
    for number, who in enumerate(PEOPLE, 1):
        parts = (f"2026-11-2{number}", who, "ingest", json.dumps({"n": number}))
        before = sha256(json.dumps([before, *parts]).encode()).hexdigest()
        run("INSERT INTO events (at, who, what, detail, hash) VALUES (?, ?, ?, ?, ?)", (*parts, before))
    run("COMMIT")
    db.conn.close()


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a file, read beside the store."""
    connection = sqlite3.connect(path)
    try:
        return [tuple(row) for row in connection.execute(query)]
    finally:
        connection.close()


def tables(path: Path) -> set[object]:
    """The tables of a file."""
    return {row[0] for row in rows(path, "SELECT name FROM sqlite_master")}
