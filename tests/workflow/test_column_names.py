"""Columns of people's tables: several that hold passages, names in other languages, and files of which no row can be read."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from support.store import Assay, traffic_row


def table(header: str, *lines: str) -> str:
    return "\n".join([header, *lines]) + "\n"


def refusal(assay: Assay, *args: str) -> str:
    """What stops an import; no store is made."""
    text = " ".join(assay("ingest", *args, status=1).stderr.split())
    assert not assay.db.exists()
    return text


def advised(text: str) -> list[str]:
    """The options that a message gives."""
    return shlex.split(" ".join(re.findall(r"--map (?:'[^']+'|[^\s;,`]+)", text)))


def kept_contexts(assay: Assay) -> list[list[str]]:
    return [json.loads(contexts) for (contexts,) in assay.sql("select contexts from texts order by key")]


def test_several_columns_of_passages_come_in_the_order_of_the_options(assay: Assay) -> None:
    """An empty cell adds no passage, a list adds all of its own."""
    lines = ["Where?,There.,one,\"['two', 'three']\"", "When?,Now.,,four"]
    source = assay.write("t.csv", table("question,answer,A,B", *lines))

    assay("ingest", source, "--map", "contexts=B", "--map", "contexts=A", "--map", "id=")

    assert kept_contexts(assay) == [["two", "three", "one"], ["four"]]
    assert assay.sql("select distinct metadata from texts") == [("{}",)]


def test_each_of_several_columns_has_to_be_there(assay: Assay) -> None:
    source = assay.write("t.csv", table("question,answer,A", "Where?,There.,one"))

    assert "--map contexts=B leads to nothing" in refusal(
        assay, source, "--map", "contexts=A", "--map", "contexts=B", "--map", "id="
    )


def test_a_field_that_is_one_takes_one_path(assay: Assay) -> None:
    """The second was taken in place of the first, without a word."""
    source = assay.write("t.csv", table("a,b,answer", "Where?,When?,There."))

    message = assay("ingest", source, "--map", "question=a", "--map", "question=b", status=2).stderr

    assert "question has a path already; only contexts and retrieved take several" in " ".join(message.split())


@pytest.mark.parametrize(
    "columns",
    [
        ["Context 1", "Context 2", "Context 10"],
        ["source1", "source2", "source3"],
        ["passage_1", "passage_2", "passage_3"],
        ["Quelle 1", "Quelle 2", "Quelle 3"],
        ["段落1", "段落2", "段落3"],
        ["근거 1", "근거 2", "근거 3"],
        ["DOC-01", "DOC-02", "DOC-03"],
    ],
    ids=lambda columns: str(columns[0]),
)
def test_numbered_columns_of_passages_are_proposed_in_the_order_of_their_numbers(
    assay: Assay, columns: list[str]
) -> None:
    header = ",".join(["id", "question", "answer", "timestamp", *reversed(columns)])
    source = assay.write(
        "t.csv", table(header, "1,Where?,There.,2026-11-20,three,two,one", "2,When?,Now.,2026-11-20,,,only")
    )

    options = advised(refusal(assay, source))
    assay("ingest", source, *options)

    assert options == [part for column in columns for part in ("--map", f"contexts={column}")]
    assert kept_contexts(assay) == [["one", "two", "three"], ["only"]]


def test_numbered_columns_of_something_else_are_left_alone(assay: Assay) -> None:
    header = "id,question,answer,timestamp,Score 1,Score 2,Reviewer 1"
    source = assay.write("t.csv", table(header, "1,Where?,There.,2026-11-20,0.5,0.6,Ann"))

    assert assay.json("ingest", source)["added"] == 1


@pytest.mark.parametrize(
    "header",
    ["Nr.,Datum,Frage,Antwort KI,Quelle", "編號,日期,病人問題,AI回答,來源", "번호,날짜,환자 질문,AI 답변,출처"],
    ids=["German", "Chinese", "Korean"],
)
def test_names_in_other_languages_are_proposed_and_then_read(assay: Assay, header: str) -> None:
    source = assay.write("t.csv", table(header, "7,2026-11-20,Where?,There.,Here."))

    assay("ingest", source, *advised(refusal(assay, source)))

    query = "select id, timestamp, t.question, t.answer, t.contexts from items join texts t using (key)"
    assert assay.sql(query) == [("7", "2026-11-20T00:00:00.000Z", "Where?", "There.", '["Here."]')]


def test_a_question_and_an_answer_alone_in_another_language_are_proposed(assay: Assay) -> None:
    source = assay.write("t.csv", table("KI-Antwort,Frage der Patientin,Station", "There.,Where?,4B"))

    options = advised(refusal(assay, source))

    assert options == ["--map", "question=Frage der Patientin", "--map", "answer=KI-Antwort"]


def test_a_file_of_which_no_row_can_be_read_leaves_nothing(assay: Assay) -> None:
    """The store that is there stays as it is, and the reasons are told."""
    assay("ingest", assay.write("good.jsonl", [traffic_row("a")]))
    before = assay.sql("select count(*) from quarantine") + assay.sql("select count(*) from events")

    text = assay("ingest", assay.write("t.jsonl", [{"q1": "Where?"}, {"q1": "When?"}]), status=1).stderr

    assert "t.jsonl: none of 2 rows can be read, so nothing was taken in; 2 × no question" in " ".join(text.split())
    assert assay.sql("select count(*) from quarantine") + assay.sql("select count(*) from events") == before


def test_a_file_with_one_row_that_can_be_read_is_taken_in(assay: Assay) -> None:
    assay("ingest", assay.write("t.jsonl", [{"q1": "Where?"}, traffic_row("a")]), status=4)

    assert len(assay.quarantine()) == 1


def test_another_format_than_the_chosen_one_is_named(assay: Assay) -> None:
    row = {"record_id": "r", "record_json": "{}", "input": "Where?", "output": "There."}

    text = refusal(assay, assay.write("t.jsonl", [row]), "--format", "trulens")

    assert "its rows look like TruLens records: --format trulens_records" in text
