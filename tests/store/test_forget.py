"""Forgetting items: no byte of a text is left, no number changes, and nothing brings back what was forgotten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotate.store import Store
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine import database
from support.canaries import CANARIES, OF_ITEM, canaried, held, left, measured
from support.store import Assay, label, traffic_row


@pytest.mark.slow
def test_no_byte_of_an_item_is_left_and_no_number_changes(used: Assay) -> None:
    """All texts of all revisions, of judges, people and users, grepped for in the raw bytes; the report is equal before and after."""
    assert left(used, *OF_ITEM) == set(OF_ITEM)
    before = measured(used)

    told = used.json("forget", "--yes", "--item", "a")

    assert left(used, *OF_ITEM) == set()
    assert measured(used) == before
    assert (told["items"], told["revisions"], told["annotations"], told["gold"], told["feedback"]) == (1, 2, 1, 1, 1)
    assert told["quarantined"] == 1
    assert told["erased"] is True
    assert used.json("doctor")["problems"] == []
    assert CANARIES["written"] in held(used)
    [event] = [logged for logged in used.json("events")["events"] if logged["what"] == "forget items"]
    assert event["detail"]["item_ids"] == ["a"]
    [gold] = [row for row in used.sql("SELECT item, status, reference FROM gold") if row[1] == "retired"]
    assert gold[2] == FORGOTTEN


@pytest.mark.slow
def test_what_was_forgotten_does_not_come_back(used: Assay) -> None:
    """The same files again, other metadata, another answer under the id: the item stays blank, and nothing is judged anew."""
    used("forget", "--yes", "--item", "a")
    changed = canaried("a") | {"metadata": {"note": CANARIES["question"]}}
    longer = canaried("a") | {"answer": CANARIES["answer"] * 2}
    before = measured(used)["counts"]

    assert used.json("ingest", "traffic.jsonl", "revised.jsonl")["unchanged"] == 9
    assert used.json("ingest", used.write("more.jsonl", [changed, longer]))["unchanged"] == 2
    used("feedback", "feedback.jsonl")
    used("scores", "import", "scores.jsonl")

    assert left(used, *OF_ITEM) == set()
    assert measured(used)["counts"] == before
    assert used.sql("SELECT DISTINCT texts.question, answer FROM texts JOIN items USING (key) WHERE id = 'a'") == [
        (FORGOTTEN, FORGOTTEN)
    ]
    store = Store(used.db)
    judges = [
        row[0]
        for row in store._db.conn.execute("INSERT INTO judges (judge, signature) VALUES ('n', 'n') RETURNING key")
    ]
    assert store.traffic.items.count_without_outcome(judges) == 7
    assert {item.id for batch in store.traffic.items.without_outcome(judges, 100) for item in batch.values()} == set(
        "bcdefgh"
    )
    store.close()


@pytest.mark.slow
def test_an_item_that_was_never_here_can_be_forgotten_with_its_feedback(assay: Assay) -> None:
    """A thumb came before its item: its words go, and the item is not taken in when it comes."""
    thumbs = [{"item_id": "a", "value": -1, "comment": CANARIES["comment"]}]
    assay("feedback", assay.write("feedback.jsonl", thumbs))

    assert assay.json("forget", "--yes", "--item", "a")["feedback"] == 1
    assay("ingest", assay.write("traffic.jsonl", [canaried("a"), traffic_row("b")]))

    assert left(assay, "comment", "question") == set()
    assert assay.sql("SELECT id FROM items") == [("b",)]


@pytest.mark.slow
def test_a_dry_run_says_what_it_would_do_and_does_nothing(used: Assay) -> None:
    """The same counts as the real run after it; the file is not touched."""
    before = measured(used), used.json("events")

    told = used.json("forget", "--item", "a", "--dry-run")
    named = used.json("forget", "--annotator", CANARIES["annotator"], "--references", "--dry-run")

    assert left(used, *CANARIES) == set(CANARIES) - {"person"}
    assert (measured(used), used.json("events")) == before
    assert used.sql("SELECT * FROM forgotten") == []
    done = used.json("forget", "--yes", "--item", "a")
    assert {**told, "dry_run": False, "erased": True, "answer": done["answer"]} == done
    assert named["references_blanked"] == 2
    assert named["pseudonym"] is None


def test_what_lies_elsewhere_is_listed(used: Assay) -> None:
    """Backups by file, tasks in Label Studio by server, project and number; tasks taken back and other items' are not."""
    path = used.json("backup")["file"]
    draws = dict(used.sql("SELECT i.id, d.key FROM draws d JOIN items i ON i.key = d.item"))
    used.sql(
        f"INSERT INTO tasks (draw, server, project, state, task_id, at) VALUES ({draws['a']}, 'http://ls', 3, 'confirmed', 41, 'now')"
    )
    used.sql(
        f"INSERT INTO tasks (draw, server, project, state, task_id, at) VALUES ({draws['a']}, 'http://ls', 4, 'withdrawn', 42, 'now')"
    )
    used.sql(
        f"INSERT INTO tasks (draw, server, project, state, task_id, at) VALUES ({draws['b']}, 'http://ls', 3, 'confirmed', 43, 'now')"
    )

    result = used("forget", "--yes", "--item", "a")

    assert f"still holds it: {path}: delete it once you can do without" in result.stderr
    assert "still holds it: task 41 of http://ls/projects/3: `assay push` deletes it there" in result.stderr
    assert result.stderr.count("\n") == 2
    assert CANARIES["question"] in Path(path).read_bytes().decode("utf-8", "replace")


@pytest.mark.slow
def test_backups_made_under_a_name_are_listed_too(used: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the store or in the working folder, once each; not one that was deleted, nor other files of such a name."""
    elsewhere = used.folder / "elsewhere"
    elsewhere.mkdir()
    for name in ("b.db", "gone.db", "other.db", "elsewhere/far.db", "elsewhere/assay.db"):
        used("backup", str(used.folder / name))
    for name in ("gone.db", "other.db"):
        (used.folder / name).unlink()
    # Another store, which happens to have the name of a backup that is gone.
    Assay(used.folder, used.folder / "other.db")("ingest", "traffic.jsonl")
    (used.folder / "far.db").write_text("no store")
    here = used.json("forget", "--item", "a", "--dry-run")["copies"]
    monkeypatch.chdir(elsewhere)

    told = used("forget", "--yes", "--item", "a").stderr

    assert here == [str(used.folder / "b.db")]
    listed = [line.split(": ")[1] for line in told.splitlines()]
    assert listed == [str(used.folder / "b.db"), str(elsewhere / "far.db"), str(elsewhere / "assay.db")]


def test_an_event_of_a_backup_that_cannot_be_read_stops_nothing(used: Assay) -> None:
    """The log was damaged: the item is forgotten and erased, and the backup that can be told is listed."""
    used("backup", "b.db")
    used("backup", "c.db")
    used.sql("DROP TRIGGER events_update")
    used.sql("UPDATE events SET detail = CAST(X'7BFF' AS TEXT) WHERE detail LIKE '%\"c.db\"%'")

    told = used.json("forget", "--yes", "--item", "a")

    assert told["erased"] is True
    assert told["copies"] == [str(used.folder / "b.db")]


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        ("--item", "a", "--annotator", "bob"),
        ("--item", "a", "--references"),
        ("--item", "nobody-knows"),
        ("--item", "a", "--item", "nobody-knows"),
        ("--annotator", "nobody"),
        ("--annotator", ""),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(used: Assay, wrong: tuple[str, ...]) -> None:
    """Exit status 2, one line; where one of several ids is unknown, none is forgotten."""
    result = used("forget", *wrong, status=2)

    assert "Traceback" not in result.output
    assert used.sql("SELECT count(*) FROM forgotten") == [(0,)]
    assert left(used, *OF_ITEM) == set(OF_ITEM)


@pytest.mark.slow
def test_a_reader_that_holds_the_old_pages_is_told_of(used: Assay) -> None:
    """The texts are blanked at once; until the other process lets go, the command says that bytes may be left, exit status 1."""
    store = Store(used.db)
    store._db.conn.execute("BEGIN")
    store._db.conn.execute("SELECT count(*) FROM texts").fetchone()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "BUSY_SECONDS", 0.2)
        result = used("forget", "--yes", "--item", "a", status=1)
    store.close()

    assert "old bytes may be left in it; run the same again" in result.stderr
    assert used.json("forget", "--yes", "--item", "a")["erased"] is True
    assert left(used, *OF_ITEM) == set()


@pytest.mark.slow
@pytest.mark.parametrize("answer", [b"n\n", b"y\n"])
def test_on_a_terminal_it_asks_first(used: Assay, answer: bytes) -> None:
    """A no changes nothing; with a yes, or --yes and no question, the item is forgotten."""
    terminal, end = os.openpty()
    try:
        os.write(terminal, answer)
        process = used.start("forget", "--item", "a", stdin=end)
        _, err = process.communicate(timeout=60)
    finally:
        os.close(terminal)
        os.close(end)

    assert b"Forget item a? Nothing brings the texts back. [y/N]" in err
    assert process.returncode == (0 if answer == b"y\n" else 1)
    assert used.sql("SELECT count(*) FROM forgotten") == [(int(answer == b"y\n"),)]


@pytest.mark.slow
def test_no_reference_is_written_for_what_was_forgotten(used: Assay) -> None:
    """Neither added, edited nor imported: the gold set would hold what nobody can check."""
    [gold_id] = [
        row[0] for row in used.sql("SELECT gold_id FROM gold g JOIN items i ON i.key = g.item WHERE i.id = 'a'")
    ]
    used("forget", "--yes", "--item", "a")
    file = used.write("references.jsonl", [{"item_id": "a", "reference": "Upstairs."}])

    assert "were forgotten" in used("gold", "add", "a", "--reference", "Upstairs.", status=2).stderr
    assert "were forgotten" in used("gold", "edit", gold_id, "--reference", "Upstairs.", status=2).stderr
    used("gold", "import", file, status=4)
    used("labels", "import", used.write("odd.jsonl", [label("a", CANARIES["rationale"], "bob"), label("b")]), status=4)

    assert used.sql(f"SELECT status, reference FROM gold WHERE gold_id = '{gold_id}'") == [("retired", FORGOTTEN)]
    refused = used.sql("SELECT stage, reason, raw FROM quarantine ORDER BY rowid")[-2:]
    assert refused == [("gold", "forgotten", b""), ("labels", "forgotten", b"")]
    assert left(used, *OF_ITEM) == set()


def test_what_a_model_replied_in_a_check_goes_too(used: Assay) -> None:
    """Such a reply names no item, and may quote any: its words go, what it cost stays; a probe has no words of ours."""
    used.sql("INSERT INTO runs (key, url, model, started_at) VALUES (1, 'u', 'm', 'now')")
    for purpose in ("item", "probe"):
        used.sql(
            "INSERT INTO attempts (run, purpose, judges, step, outcome, seconds, prompt_tokens, reply, is_open, at) "
            f"VALUES (1, '{purpose}', 'j', 0, 'ok', 1.0, 7, 'It says: {CANARIES['question']}', 0, 'now')"
        )
    used("forget", "--yes", "--item", "b")

    assert used.sql("SELECT purpose, prompt_tokens, reply IS NULL FROM attempts ORDER BY 1") == [
        ("item", 7, 1),
        ("probe", 7, 0),
    ]


def test_off_a_terminal_it_wants_yes_and_names_what_it_would_forget(used: Assay) -> None:
    """Status 2 and nothing is blanked; a dry run needs no yes."""
    before = used.sql("SELECT count(*) FROM events")
    for args, whom in ((("--item", "a", "--item", "b"), "item a, b"), (("--annotator", "ann"), "annotator ann")):
        result = used("forget", *args, status=2)
        assert f"would forget {whom} for good" in result.stderr
        assert "--yes" in result.stderr
        assert result.stderr.count("\n") == 1
    assert used.sql("SELECT count(*) FROM events") == before
    used("forget", "--item", "a", "--dry-run")
    used("forget", "--item", "a", "--yes")
