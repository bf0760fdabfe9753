"""Rows of a file as the command reads them: what is missing, what a dry run shows, and what the user says of them."""

from __future__ import annotations

import json

import pytest

from support.store import Assay, traffic_row
from support.tool_rows import ASKED, CHAT, GIVEN, RIGHT, ROWS, items


def test_a_row_without_an_answer_says_what_is_missing(assay: Assay) -> None:
    """It goes to quarantine as it came, and the rest goes in."""
    rows = [ROWS["openai chat"][1], {"messages": CHAT[:2]}]

    ingested = assay.json("ingest", assay.write("t.jsonl", rows), status=4)

    assert (ingested["added"], ingested["quarantined"]) == (1, 1)
    assert "no turn of the user that was answered" in ingested["reasons"][0]["reason"]
    assert json.loads(assay.sql("SELECT raw FROM quarantine")[0][0]) == rows[1]


SHARED = [{"from": "human", "value": ASKED}, {"from": "gpt", "value": GIVEN}]
LINE, SHARED_LINE = json.dumps(CHAT), json.dumps(SHARED)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (LINE, 1),
        (json.dumps(CHAT, indent=2), 1),
        (f"{LINE}\n{SHARED_LINE}\n", 2),
        (f"[{LINE}, {SHARED_LINE}]", 2),
        (f'{{"messages": {LINE}}}\n{SHARED_LINE}\n', 2),
    ],
    ids=["one array", "one pretty array", "an array a line", "an array of arrays", "objects and arrays"],
)
def test_an_array_of_messages_is_a_conversation(assay: Assay, text: str, answers: int) -> None:
    """Each gives the answer that the same messages give under `messages`, from the last exchange of each conversation."""
    ingested = assay.json("ingest", assay.write("talk.json", text))

    assert (ingested["added"], ingested["quarantined"]) == (answers, 0)
    assert set(assay.sql("SELECT id FROM items")) >= {(items("chat", {"messages": CHAT})[0].id,)}


@pytest.mark.parametrize(
    "rows",
    [
        [{**message, "conversation_id": str(place)} for place, message in enumerate(CHAT[1:3])],
        [*CHAT[1:3], {"role": "nurse", "content": "Yes."}],
        [*CHAT[1:3], 7],
    ],
    ids=["of several conversations", "a role that is none", "a number"],
)
def test_an_array_of_other_things_is_no_conversation(assay: Assay, rows: list[object]) -> None:
    """They are rows as before, of which none can be read, and no answer is made up from two conversations."""
    refused = assay("ingest", assay.write("talk.json", json.dumps(rows)), status=1)

    assert f"none of {len(rows)} rows can be read" in " ".join(refused.stderr.split())
    assert not assay.db.exists()


def test_a_row_of_another_format_than_its_file_says_so(assay: Assay) -> None:
    """An option for all rows of the file would not mend it."""
    rows = [*({**ROWS["ragas"][1], "user_input": f"Q{n}?"} for n in range(3)), ROWS["openai chat"][1], traffic_row("a")]

    done = assay.json("ingest", assay.write("t.jsonl", rows), status=4)

    assert (done["added"], done["quarantined"]) == (4, 1)
    [reason] = [row["reason"] for row in assay.quarantine()]
    assert reason.endswith("; the row looks like chat messages: bring such rows in as a file of their own")
    assert "--map" not in reason


def test_scores_beside_the_rows_are_named(assay: Assay) -> None:
    """They stay metadata, and the screen says how they come in as scores."""
    row = {**ROWS["ragas"][1], "faithfulness": 0.5, "latency": 3}

    file = assay.write("t.jsonl", [row])
    out = " ".join(assay("ingest", file).stdout.split())

    assert "read as Ragas (1 of the first 1 rows have its shape)" in out
    assert "question ← user_input; contexts ← retrieved_contexts, 1 passage an answer; answer ← response" in out
    assert "Kept as metadata: faithfulness, latency." in out
    assert f"Scores of another tool: faithfulness. Bring them in: `assay scores import {file}" in out


def test_a_dry_run_shows_three_answers_and_keeps_nothing(assay: Assay) -> None:
    """There is not even a store after it, and what would stop the import is said."""
    rows = [{**traffic_row(f"a{n}"), "contexts": None, "page_content": "p", "documents": ["d"]} for n in range(5)]

    ingested = assay.json("ingest", assay.write("t.jsonl", rows), "--dry-run", status=1)

    assert not assay.db.exists()
    assert [example["id"] for example in ingested["examples"]] == ["a0", "a1", "a2"]
    assert (ingested["is_dry"], ingested["rows"], ingested["sources"][0]["format"]) == (True, 5, "own")
    assert "--map contexts=documents" in ingested["stop"]


def test_a_dry_run_masks_what_the_folder_masks(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown on a screen leaves the store's house."""
    monkeypatch.chdir(assay.folder)
    assay.write("assay.toml", "[redaction]\non = true\n")
    row = traffic_row("a", question="Write to jane.doe@example.org?")

    ingested = assay.json("ingest", assay.write("t.jsonl", [row]), "--dry-run")

    assert "jane.doe" not in json.dumps(ingested["examples"])


def test_paths_of_a_format_stand_in_the_settings(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table a format; the command line comes before it, and a wrong name is refused."""
    monkeypatch.chdir(assay.folder)
    assay.write("assay.toml", '[traffic.deepeval]\ngroup = "extra.chat"\nsystem = "name"\n')
    file = assay.write("t.jsonl", [{**ROWS["deepeval"][1], "name": "v2", "other": "v3", "extra": {"chat": "c7"}}])

    assay("ingest", file, "--map", "system=other")

    assert assay.sql('SELECT "group", system FROM items') == [("c7", "v3")]
    assay.write("assay.toml", '[traffic.deepval]\ngroup = "extra.chat"\n')
    assert "knows a table for each of own, otlp" in assay("ingest", file, status=2).stderr
    assay.write("assay.toml", '[traffic.deepeval]\ngrup = "extra.chat"\n')
    assert "not grup" in assay("ingest", file, status=2).stderr


def test_a_named_format_overrules_what_the_rows_look_like(assay: Assay) -> None:
    """A file that looks like DeepEval's can be read as our own."""
    file = assay.write("t.jsonl", [{**ROWS["deepeval"][1], "question": "Q?", "answer": "A."}])

    assay("ingest", file, "--format", "own", "--yes")

    assert assay.sql("SELECT question FROM texts") == [("Q?",)]


@pytest.mark.parametrize("column", ["ground_truth", "expected_output"])
def test_a_right_answer_beside_our_own_rows_is_the_reference(assay: Assay, column: str) -> None:
    """It used to be metadata."""
    row = {"question": ASKED, "answer": GIVEN, column: RIGHT}

    assay("ingest", assay.write("t.jsonl", [row]))

    assert assay.sql("SELECT reference FROM texts") == [(RIGHT,)]
