"""Rows of traffic to items: what counts, what is kept beside, and what is refused in words that help."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from annotate.domain.field_mapping import plain
from annotate.domain.timestamps import Times
from annotate.traffic.rows import item_from_row
from proxy.errors import InputError
from proxy.records import Context, Item, Turn
from support.store import Assay, traffic_row


def item(mapping: Mapping[str, str] | None = None, **row: object) -> Item:
    """The item of a row with a question and an answer."""
    return item_from_row({"question": "Q?", "answer": "A.", **row}, mapping or {})


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        (["a", "b"], (Context(text="a"), Context(text="b"))),
        ([{"text": "a", "id": 7, "title": "T", "score": "0.5"}], (Context(text="a", id="7", title="T", score=0.5),)),
        ('[{"text": "a", "score": 1}]', (Context(text="a", score=1.0),)),
        ('["a", "b"]', (Context(text="a"), Context(text="b"))),
        ("one passage", (Context(text="one passage"),)),
        ({"text": "a"}, (Context(text="a"),)),
        ([], ()),
        ("", ()),
        (None, ()),
        ([""], (Context(text=""),)),
    ],
    ids=repr,
)
def test_contexts_come_in_every_usual_shape(contexts: object, expected: tuple[Context, ...]) -> None:
    """Texts, objects, JSON in a cell, one text, or none; their order is the rank."""
    assert item(contexts=contexts).contexts == expected


@pytest.mark.parametrize("contexts", [[3], [None], [{"id": "a"}], [{"text": 3}], 7])
def test_contexts_that_are_no_texts_are_refused(contexts: object) -> None:
    """The reason names the place."""
    with pytest.raises(InputError, match=r"contexts\[0\]"):
        item(contexts=contexts)


@pytest.mark.parametrize("score", [float("nan"), "NaN", "high", float("inf"), True, [1], {"a": 1}])
def test_a_score_that_is_no_number_costs_the_score(score: object) -> None:
    """The item stays with what came as metadata, and the score is counted; a score that is absent is not."""
    times = Times()
    row = {"question": "Q?", "answer": "A.", "contexts": [{"text": "a", "score": score}, {"text": "b", "score": None}]}

    parsed = item_from_row(row, {}, times)

    assert parsed.contexts == (Context(text="a"), Context(text="b"))
    assert parsed.metadata == {"contexts": plain(row["contexts"])}
    assert [(drop.reason, drop.rows) for drop in times.dropped] == [("no_number", 1)]


def test_fields_of_a_passage_that_we_do_not_know_are_metadata() -> None:
    """Nothing that came with a passage is lost."""
    contexts = [{"text": "a", "page": 3, "score": 0.5}, "b"]

    assert item(contexts=contexts).metadata == {"contexts": contexts}


def test_every_field_has_its_place_and_others_are_metadata() -> None:
    """A full row; a column that we do not know keeps its name and value."""
    parsed = item(
        id="00123",
        system="v2",
        timestamp="2026-11-21T09:00:00+01:00",
        group="chat-7",
        history=["Hi", {"role": "user", "text": "a"}, {"role": "assistant", "content": "b"}],
        reference="R",
        language="en",
        model={"name": "m", "temperature": 0.5},
        cost=None,
    )

    assert parsed == Item(
        id="00123",
        question="Q?",
        answer="A.",
        system="v2",
        timestamp="2026-11-21T08:00:00.000Z",
        group="chat-7",
        history=(Turn(role="", text="Hi"), Turn(role="user", text="a"), Turn(role="assistant", text="b")),
        reference="R",
        language="en",
        metadata={"model": {"name": "m", "temperature": 0.5}},
    )


def test_a_mapping_finds_the_fields_of_another_schema() -> None:
    """Paths into nested values and from the end of a list."""
    row = {
        "run_id": 7,
        "inputs": {"messages": [{"content": "old"}, {"content": "What?"}]},
        "outputs": '{"text": "This."}',
        "docs": [{"text": "a"}],
    }
    mapping = {
        **{"id": "run_id", "question": "inputs.messages[-1].content"},
        **{"answer": "outputs.text", "contexts": "docs"},
    }

    parsed = item_from_row(row, mapping)

    assert (parsed.id, parsed.question, parsed.answer, parsed.contexts) == ("7", "What?", "This.", (Context(text="a"),))
    assert parsed.metadata == {"inputs": row["inputs"], "outputs": row["outputs"]}


@pytest.mark.parametrize(
    ("row", "field"),
    [({"answer": "A."}, "question"), ({"question": "Q?"}, "answer")],
    ids=repr,
)
def test_without_question_or_answer_the_reason_says_how_to_map(row: Mapping[str, object], field: str) -> None:
    """It says what is missing, what the row has, and which option points to it."""
    with pytest.raises(InputError, match=f"no {field}.*--map {field}=COLUMN") as caught:
        item_from_row({**row, "prompt": "x"}, {})
    assert "prompt" in str(caught.value)


@pytest.mark.parametrize("question", ["", " \n", None])
def test_an_empty_cell_is_said_to_be_empty(question: str | None) -> None:
    """No option is advised: the column is there."""
    with pytest.raises(InputError, match=r"^no question: 'question' is empty in this row$"):
        item_from_row({"question": question, "answer": "A."}, {})


def test_a_mapped_column_that_is_not_there_is_named() -> None:
    """The reason repeats the path that was looked for."""
    with pytest.raises(InputError, match=r"nothing under 'inputs\.q'"):
        item({"question": "inputs.q"})


@pytest.mark.parametrize("answer", [3, ["A."], {"text": "A."}, True])
def test_an_answer_that_is_no_text_is_refused(answer: object) -> None:
    """Nothing is turned into text by guessing."""
    with pytest.raises(InputError, match="answer: expected text"):
        item(answer=answer)


def test_an_empty_answer_is_an_answer_and_null_is_none() -> None:
    """A system that declines in silence may be right; a row that says that there is no answer has none."""
    assert item(answer="").answer == ""
    with pytest.raises(InputError, match="no answer: 'answer' is empty"):
        item(answer=None)


def test_without_an_id_the_content_is_the_id() -> None:
    """The same row has the same id, and a change of anything that makes an item another one changes it."""
    first = item()
    variants = [
        item(answer="B."),
        item(question="Q??"),
        item(system="v2"),
        item(contexts=["a"]),
        item(contexts=["a", "b"]),
        item(contexts=["ab"]),
        item(history=["a"]),
        item(history=[{"role": "user", "text": "a"}]),
        item(timestamp="2026-11-21"),
        item(answer="\ud800"),
    ]

    assert item(model="m").id == first.id
    assert len({first.id, *(variant.id for variant in variants)}) == len(variants) + 1


IDS = ["00123", "1e5", "2026-11-21", "true", " padded ", str(2**70), "Ünïcode 駅 😀", "a/b#c?d", "x" * 1000]


@pytest.mark.slow
def test_ids_pass_through_csv_jsonl_and_the_store_unchanged(assay: Assay) -> None:
    """Nothing takes an id for a number, a date or a truth value, from CSV nor from JSONL."""
    rows = [traffic_row(name) for name in IDS]
    cells = "\n".join(f'"{name}",Q,A' for name in IDS)
    assay("ingest", assay.write("a.jsonl", rows))
    assay("ingest", assay.write("a.csv", f"id,question,answer\n{cells}\n"))

    assert [name for (name,) in assay.sql("SELECT id FROM items WHERE revision = 1 ORDER BY key")] == IDS
    assert assay.sql("SELECT count(*), max(revision) FROM items") == [(2 * len(IDS), 2)]
    assay("sample", "--labels", "9", "--seed", "1")
    assay("draws", "export", "draws.jsonl")
    drawn = [json.loads(line)["item_id"] for line in (assay.folder / "draws.jsonl").read_text().splitlines()]
    assert sorted(drawn) == sorted(IDS)


@pytest.mark.parametrize("nan", ["nan", "NaN"])
@pytest.mark.parametrize("field", ["question", "answer"])
def test_a_missing_value_as_pandas_writes_it_is_no_text(nan: str, field: str) -> None:
    """JSON's NaN comes as this text too."""
    with pytest.raises(InputError, match=f"no {field}: {nan} stands for a missing value"):
        item_from_row({**traffic_row("a"), field: nan}, {})


@pytest.mark.parametrize("nan", ["nan", "NaN"])
def test_a_missing_value_is_no_passage_and_no_group(nan: str) -> None:
    """Else all rows without a group would be one, and the id would repeat; a text that only holds the word is one."""
    absent = dict.fromkeys(["id", "contexts", "group", "system", "language"], nan)
    item = item_from_row({**traffic_row("a"), **absent}, {})

    assert (item.contexts, item.group, item.system, item.language) == ((), None, None, None)
    assert item.id.startswith("item-")
    assert item_from_row(traffic_row("a", contexts="nan is a bread", answer="None"), {}).answer == "None"
    assert item_from_row(traffic_row("a", contexts="nan is a bread"), {}).contexts == (Context(text="nan is a bread"),)


def test_json_s_nan_in_every_answer_stops_the_import(assay: Assay) -> None:
    rows = "".join(f'{{"question": "Where is {number}?", "answer": NaN}}\n' for number in range(3))

    assert (
        "3 × no answer: NaN stands for a missing value"
        in assay("ingest", assay.write("t.jsonl", rows), status=1).stderr
    )


def test_an_id_in_an_object_is_refused_with_the_path_to_it() -> None:
    """As a database exports its keys."""
    row = traffic_row("a", id={"$oid": "65f0"})
    with pytest.raises(InputError, match=r"--map 'id=id\.\$oid'"):
        item_from_row(row, {})

    assert item_from_row(row, {"id": "id.$oid"}).id == "65f0"


def test_a_time_that_names_utc_is_read() -> None:
    """As BigQuery writes times into its exports."""
    assert (
        item_from_row(traffic_row("a", timestamp="2026-11-20 08:00:00 UTC"), {}).timestamp == "2026-11-20T08:00:00.000Z"
    )
