"""The schema, and stores from before the first release: taken over with all that they hold, or refused with the way out."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from annotate.store import Store
from annotate.store.engine import chain
from annotate.store.engine.database import open_database
from annotate.store.engine.migrations import LAST_UNRELEASED, MIGRATIONS, STEPS, UNRELEASED
from proxy.errors import StoreError
from support.migrations import EVENTS, HEAD, rows, unreleased
from support.store import Assay, label

pytestmark = pytest.mark.usefixtures("step_by_step")


def schema(path: Path) -> dict[object, str]:
    """Every table, index and trigger as the file has it, apart from white space and quotes that no name needs."""
    return {
        name: re.sub(r"\s+", " ", re.sub(r'"(?!group")(\w+)(?<!"group)"', r"\1", str(sql)))
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",")
        for name, sql in rows(path, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    }


def content(path: Path) -> dict[object, list[tuple[object, ...]]]:
    """Every row of every table but that of the steps."""
    names = [name for (name,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: rows(path, f'SELECT * FROM "{name}"') for name in names if name != MIGRATIONS.migrations_table}


@pytest.mark.slow
def test_a_store_of_before_has_the_schema_of_a_new_one_and_all_its_rows(tmp_path: Path) -> None:
    """The chain of events ends where it ended, and every row is as it was sealed."""
    path = unreleased(tmp_path / "old.db")
    before = content(path)
    Store(tmp_path / "new.db").close()

    store = Store(path)
    assert store.check() == []
    head = store.audit.events.head()
    store.close()

    assert (head.number, head.hash[:16]) == (EVENTS, HEAD)
    after = content(path)
    assert after["waves"] == [(*row, None) for row in before["waves"]]  # no wave of before says what predicted
    assert after["draws"] == [(*row, None) for row in before["draws"]]  # each was drawn with its wave
    new = (
        *("spans", "traces", "feedback_scales", "streams", "tool_scores", "score_scales", "fetched", "gold_sources"),
        *("reference_drafts", "accounts", "questions", "question_items", "question_replies", "passage_questions"),
        *("vectors", "vector_items", "servers", "gold_answers", "lake", "lake_parts", "lake_replaced"),
        *("tuning_shares", "trial_outcomes", "alignments", "score_maps"),
    )
    assert [after.pop(name) for name in new] == [[]] * len(new)
    assert after["quarantine"] == [(*row, None) for row in before["quarantine"]]  # none was dismissed
    # No reference of before says what it began as.
    assert after["gold_revisions"] == [(*row, None, None, None) for row in before["gold_revisions"]]
    # Nobody was asked about passages, and nothing was handed on.
    assert after["annotations"] == [(*row, None, 0) for row in before["annotations"]]
    assert after["labels"] == [(*row, None) for row in before["labels"]]
    # The rows of frames are packed, and unpack as they were.
    assert sorted(before.pop("frames")) == sorted(rows(path, "SELECT * FROM frames"))
    assert after.pop("frame_blocks")
    assert after.pop("frame_strata")
    assert after.pop("frame_definitions") == []
    widened = ("waves", "draws", "quarantine", "gold_revisions", "annotations", "labels")
    assert after | {name: before[name] for name in widened} == before
    assert sum(map(len, before.values())) > 100
    assert schema(path) == schema(tmp_path / "new.db")


@pytest.mark.slow
def test_work_goes_on_in_a_store_of_before(assay: Assay) -> None:
    """Labels, gold and events are written to it, and it stays sound."""
    unreleased(assay.db)
    assay(
        "ingest", assay.write("traffic.jsonl", [{"id": "new", "question": "Where?", "answer": "Here.", "contexts": []}])
    )
    assay("judge")
    assay("labels", "import", assay.write("labels.jsonl", [label("new")]))

    assert assay.json("doctor")["problems"] == []
    assert assay.sql("SELECT count(*) FROM labels") == [(5,)]
    assert assay.sql("SELECT count(*) FROM gold WHERE item = (SELECT key FROM items WHERE id = 'new')") == [(1,)]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE events SET detail = '{}' WHERE sequence = 2", "event 2 "),
        ("DELETE FROM events WHERE sequence = 2", "event 2 "),
        ("UPDATE labels SET judgement = 'right' WHERE item = 3", "the label of item c"),
        ("UPDATE draws SET inclusion_probability = 0.5 WHERE key = 1", "wave 1: draw 1"),
    ],
)
def test_what_was_changed_before_stays_named(tmp_path: Path, change: str, problem: str) -> None:
    """Taking a store over heals nothing that somebody had changed in it."""
    path = unreleased(tmp_path / "old.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER events_update")
        connection.execute("DROP TRIGGER events_delete")
        connection.execute(change)

    with closing(Store(path)) as store:
        assert any(line.startswith(problem) for line in store.check())


def test_a_store_that_lacks_a_step_of_before_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """It is left as it is, by readers too."""
    path = unreleased(tmp_path / "old.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DELETE FROM {UNRELEASED.migrations_table} WHERE name = ?", (LAST_UNRELEASED,))
    before = path.read_bytes()

    for reads_only in (False, True):
        with pytest.raises(StoreError, match=rf"before the first release.*{LAST_UNRELEASED}.*assay labels export"):
            Store(path, reads_only=reads_only)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_another_program_with_steps_of_its_own_is_refused(tmp_path: Path) -> None:
    """sqlite-utils keeps the steps of any program under the same name."""
    Store(tmp_path / "store.db").close()
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute(f"UPDATE {MIGRATIONS.migrations_table} SET migration_set = 'other'")

    with pytest.raises(StoreError, match="belongs to another program"):
        Store(tmp_path / "store.db")


def test_the_steps_are_these(tmp_path: Path) -> None:
    """A released step is never renamed or left out, and each is registered."""
    db = open_database(tmp_path / "store.db")
    assert [step.name for step in MIGRATIONS.applied(db)] == list(STEPS)
    assert list(STEPS) == [
        *("0001_schema", "0002_predictor_of_a_wave", "0003_spans", "0004_scale_of_feedback"),
        *("0005_project_of_an_annotator", "0006_streams", "0007_scores_of_tools", "0008_gold_sources"),
        *("0009_dismissed_rows", "0010_reference_drafts", "0011_accounts", "0012_questions", "0013_passage_questions"),
        *("0014_vectors", "0015_servers", "0016_blocks", "0017_who_gets_what", "0018_gold_answers"),
        "0019_frame_blocks",
        *("0020_sealed_gold_answers", "0021_lake", "0022_frame_definitions", "0023_alignments"),
        "0024_score_maps",
    ]
    assert chain.fault(db) is None
    db.conn.close()


@pytest.mark.slow
def test_entries_that_were_accepted_before_know_their_sources(assay: Assay) -> None:
    """The step fills its table from the passages that have ids, so that a change is seen from then on."""
    passages = [{"id": "d1", "text": "Room 7 is upstairs."}, {"text": "No id."}]
    traffic = [{"id": name, "question": f"{name}?", "answer": "Here.", "contexts": passages} for name in ("a", "b")]
    assay("ingest", assay.write("t.jsonl", traffic[:1]))
    assay("labels", "import", assay.write("l.jsonl", [label("a")]))
    assay("gold", "accept", "--all")
    filled = assay.sql("SELECT gold_id, passage, hash, item, is_known FROM gold_sources")
    assay.sql("DROP TABLE gold_sources")
    assay.sql(f"DELETE FROM {MIGRATIONS.migrations_table} WHERE name = '0008_gold_sources'")

    traffic[1]["contexts"] = [{"id": "d1", "text": "Room 7 was closed."}]
    assay("ingest", assay.write("u.jsonl", traffic[1:]))

    assert [
        row for row in assay.sql("SELECT gold_id, passage, hash, item, is_known FROM gold_sources") if row[4]
    ] == filled
    assert len(filled) == 1
    assert len(assay.sql("SELECT 1 FROM gold WHERE flag IS NOT NULL")) == 1


def test_answers_that_were_compared_before_are_sealed(assay: Assay) -> None:
    """The step adds an event over them; what is changed behind it is found from then on."""
    assay(
        "ingest",
        assay.write("t.jsonl", [{"id": name, "question": "Q?", "answer": name, "contexts": ["P"]} for name in "ab"]),
    )
    assay("labels", "import", assay.write("l.jsonl", [label("a")]))
    events = len(assay.json("events")["events"])
    assay.sql("INSERT INTO gold_answers SELECT gold_id, 2, 1, NULL, 'ann', 'now' FROM gold")
    assay.sql(f"DELETE FROM {MIGRATIONS.migrations_table} WHERE name = '0020_sealed_gold_answers'")

    with closing(Store(assay.db)) as store:
        assert store.check() == []
        assert [event.what for event in store.audit.events.all()[events:]] == ["seal"]

    assay.sql("UPDATE gold_answers SET is_corrected = 0")
    with closing(Store(assay.db)) as store:
        assert len(store.check()) == 1
