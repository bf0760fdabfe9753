"""What an import says of a file is true of that file: its shape, its empty cells and columns, and the store it goes into."""

from __future__ import annotations

import json

import pytest

from support.store import Assay, draw, label, traffic_row


def shown(assay: Assay, *args: str, status: int = 0) -> str:
    """What an import prints, in one line."""
    result = assay("ingest", *args, status=status)
    return " ".join((result.stdout + result.stderr).split())


def cells(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def test_rows_with_our_names_in_other_spelling_have_our_shape(assay: Assay) -> None:
    """The count is that of the answers that come in, not of names that are spelled as ours."""
    source = assay.write("t.csv", cells("QUESTION,ANSWER", "Where?,There.", "When?,Now."))

    assert "2 of the first 2 rows have its shape" in shown(assay, source, "--dry-run")


@pytest.mark.slow
def test_a_dry_run_counts_what_would_change_in_the_store_that_is_there(assay: Assay) -> None:
    """One item is known as it is, one has other content, one other metadata, one is new; nothing is written."""
    before = [traffic_row("a"), traffic_row("b"), traffic_row("c", note=1)]
    assay("ingest", assay.write("old.jsonl", before))
    after = [traffic_row("a"), traffic_row("b", answer="Elsewhere."), traffic_row("c", note=2), traffic_row("d")]
    source = assay.write("new.jsonl", after)

    dry = assay.json("ingest", source, "--dry-run")
    sentence = shown(assay, source, "--dry-run")
    real = assay.json("ingest", source)

    counts = ("added", "revised", "updated", "unchanged")
    assert [dry[name] for name in counts] == [real[name] for name in counts] == [1, 1, 1, 1]
    assert (dry["items"], real["items"]) == (3, 4)
    assert "1 items would be added to the 3 in this store" in sentence


def test_a_dry_run_without_a_store_speaks_of_an_empty_one(assay: Assay) -> None:
    source = assay.write("t.jsonl", [traffic_row("a")])

    assert "1 items would be added to an empty store" in shown(assay, source, "--dry-run")
    assert not assay.db.exists()


def test_no_option_is_advised_that_was_just_given(assay: Assay) -> None:
    """An empty cell under a mapped column is said to be empty, whether it was needed or not."""
    source = assay.write("t.csv", cells("f,a,t,c", "Where?,There.,2026-11-20,Here.", "When?,,,", "Who?,She.,,"))
    paths = ["question=f", "answer=a", "timestamp=t", "contexts=c", "id="]

    text = shown(assay, source, *(part for path in paths for part in ("--map", path)))

    assert "1 of 3 answers has no words" in text
    assert "2 of 3 answers have no time under t." in text
    assert "2 of 3 answers have no passages under c." in text
    assert "--map" not in text


def test_times_that_cannot_be_read_are_not_said_to_be_missing(assay: Assay) -> None:
    source = assay.write("t.csv", cells("question,answer,timestamp,note", "Where?,There.,tomorrow,x"))

    text = shown(assay, source)

    assert "1 row kept without their time" in text.replace("its time", "their time")
    assert "have no time" not in text


@pytest.mark.parametrize("answer", ["", " \n"])
@pytest.mark.parametrize("name", ["t.jsonl", "t.csv"])
def test_an_answer_without_a_word_is_an_answer_and_is_counted(assay: Assay, name: str, answer: str) -> None:
    """A system that declines in silence is right or wrong like any other: leaving it out would change the share right."""
    rows = [{"question": "Where?", "answer": "There."}, {"question": "When?", "answer": answer}]
    table = cells("question,answer", "Where?,There.", f'When?,"{answer}"')
    file = assay.write(name, table if name.endswith("csv") else rows)

    assert "1 of 2 answers has no words; each counts as an answer." in shown(assay, file)
    assert sorted(assay.sql("select answer_chars from items")) == sorted([(len(answer),), (len("There."),)])


def test_a_row_without_an_answer_is_quarantined(assay: Assay) -> None:
    rows = [{"question": "Where?", "answer": "There."}, {"question": "When?", "answer": None}]

    done = assay.json("ingest", assay.write("t.jsonl", rows), status=4)

    assert (done["added"], done["quarantined"]) == (1, 1)
    assert done["reasons"][0]["reason"] == "no answer: 'answer' is empty in this row"


def test_spans_are_asked_for_where_there_are_spans_alone(assay: Assay) -> None:
    row = {"user_input": "Where?", "response": "There.", "retrieved_contexts": []}
    span = {"id": "a", "bookmarked": False, "input": "Where?", "output": "There."}

    table, traces = shown(assay, assay.write("t.jsonl", [row])), shown(assay, assay.write("s.jsonl", [span]))

    assert "has no passages" in table
    assert "span" not in table
    assert "export the spans of retrievers too" in traces


def test_columns_without_a_name_are_not_named_and_scores_with_a_mode_are(assay: Assay) -> None:
    header = ",user_input,response,reference,factual_correctness(mode=f1),Context Recall"
    source = assay.write("t.csv", cells(header, "0,Where?,There.,,0.5,0.25"))

    text = shown(assay, source)

    assert "Kept as metadata: factual_correctness(mode=f1), Context Recall." in text
    assert "Scores of another tool: factual_correctness(mode=f1), Context Recall." in text
    assert "Columns not used" not in assay("scores", "import", source).stdout


def test_a_column_that_is_empty_in_all_rows_is_no_field(assay: Assay) -> None:
    source = assay.write("t.jsonl", [{"question": "Where?", "answer": "There.", "reference": "", "contexts": []}])

    fields = json.loads(assay("ingest", source, "--dry-run", "--json").stdout)["sources"][0]["fields"]

    assert [field["name"] for field in fields] == ["question", "answer"]


def test_the_step_counts_what_waits_for_a_decision(loaded: Assay) -> None:
    """As its own command and the report count it: where annotators differ, and where nobody is sure."""
    draw(loaded)
    rows = [label("a", "right", annotator="ann"), label("a", "wrong", annotator="bob"), label("b", "unsure")]

    imported = loaded.json("labels", "import", loaded.write("l.jsonl", rows))

    assert imported["disagreements"] == loaded.json("report")["disagreements"] == 2
    assert len(loaded.json("labels", "disagreements")["disagreements"]) == 2
