"""Where our fields lie in foreign rows, and what becomes of values of any kind."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from annotate.domain.field_mapping import Fields, follow, parse_mapping, plain
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.domain.timestamps import Times
from proxy.errors import InputError, UsageError

KNOWN = ("id", "question", "contexts")


def fields(row: Mapping[str, object], **mapping: str) -> Fields:
    """The row, asked by our names."""
    return Fields(row, mapping)


def test_a_mapping_names_a_field_and_a_path() -> None:
    """The path is all after the first sign of equality, since a column's name may hold one."""
    assert parse_mapping(["question=a.b[-1]", "id=x=y"], KNOWN) == {"question": "a.b[-1]", "id": "x=y"}


@pytest.mark.parametrize("pair", ["question", "querstion=a", "=a"])
def test_a_mapping_of_nothing_we_know_is_a_wrong_request(pair: str) -> None:
    """The message lists the fields there are."""
    with pytest.raises(UsageError, match="id, question, contexts"):
        parse_mapping([pair], KNOWN)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("inputs.question", "Q"),
        ("inputs.messages[-1].content", "last"),
        ("inputs.messages[0].content", "first"),
        ("inputs.messages[2].content", None),
        ("inputs.messages[-3].content", None),
        ("inputs.nothing.there", None),
        ("inputs[0]", None),
        ("encoded.output.text", "inside"),
        ("encoded.list[1]", 2),
        ("with.dot", "flat"),
        ("outer.llm.input", "dotted within"),
        ('outer["llm.input"]', "dotted within"),
        ("outer['llm.input']", "dotted within"),
        ("deep.a.b.c[0]", "deepest"),
        ('["with"]["dot"]', "nested"),
        ('["with.dot"]', "flat"),
        ("inputs.messages[-1", None),
        ("broken.x", None),
        ("nothing", None),
    ],
)
def test_a_path_steps_into_objects_lists_and_json_text(path: str, expected: object) -> None:
    """A column of that very name comes first; what is not there is None."""
    row = {
        "inputs": {"question": "Q", "messages": [{"content": "first"}, {"content": "last"}]},
        "encoded": json.dumps({"output": json.dumps({"text": "inside"}), "list": [1, 2]}),
        "with.dot": "flat",
        "outer": {"llm.input": "dotted within"},
        "deep": {"a.b": {"c": ["deepest"]}, "a": {"b": None}},
        "with": {"dot": "nested"},
        "broken": "{not json",
    }

    assert fields(row, question=path).value("question") == expected


def test_an_empty_path_takes_nothing() -> None:
    """`--map reference=` leaves a column of that name alone: it becomes metadata."""
    row = fields({"reference": "r"}, reference="")

    assert row.value("reference") is None
    assert row.others(("reference",)) == {"reference": "r"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("00123", "00123"),
        (123, "123"),
        (2**70, str(2**70)),
        (7.0, "7"),
        ("", None),
        (None, None),
        (float("nan"), None),
        ("null", None),
        (" \t", None),
        (0, "0"),
        ("a b", "a b"),
    ],
)
def test_an_id_is_text_for_ever(value: object, expected: str | None) -> None:
    """Leading zeros stay and no integer is too large."""
    assert fields({"id": value}).short("id") == expected


@pytest.mark.parametrize("value", [True, 1.5, float("inf"), ["a"], {"a": 1}, "x" * 1001, "a\ud800", "a\0b"])
def test_what_names_nothing_is_no_id(value: object) -> None:
    """Truth values, fractions, structures, novels and half characters are refused with the field's name."""
    with pytest.raises(InputError, match=r"^id: "):
        fields({"id": value}).short("id")


@pytest.mark.parametrize(
    ("value", "expected"), [("0.5", 0.5), (1, 1.0), ("1e-3", 0.001), (Decimal("0.25"), 0.25), ("", None)]
)
def test_a_number_may_come_as_text(value: object, expected: float | None) -> None:
    """CSV knows no numbers."""
    assert fields({"n": value}).number("n") == expected


@pytest.mark.parametrize("value", ["NaN", "inf", "1e999", 10**400, True, "five", [1], {"a": 1}, float("nan")])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    """NaN never enters."""
    with pytest.raises(InputError, match=r"^n: expected a number"):
        fields({"n": value}).number("n")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-21T09:30:00+01:30", "2026-11-21T08:00:00.000Z"),
        ("2026-11-21T08:00:00Z", "2026-11-21T08:00:00.000Z"),
        ("2026-11-21 08:00:00.123456", "2026-11-21T08:00:00.123Z"),
        ("2026-11-21", "2026-11-21T00:00:00.000Z"),
        ("2026/11/21 8:00", "2026-11-21T08:00:00.000Z"),
        ("2026/1/2", "2026-01-02T00:00:00.000Z"),
        ("2026.11.21 17:00:00 +0900", "2026-11-21T08:00:00.000Z"),
        ("2026-11-21 08:00:00.123456 +0000 UTC", "2026-11-21T08:00:00.123Z"),
        ("NaT", None),
        (1_795_248_000, "2026-11-21T08:00:00.000Z"),
        (1_795_248_000.5, "2026-11-21T08:00:00.500Z"),
        ("1795248000", "2026-11-21T08:00:00.000Z"),
        ("1795248000.5", "2026-11-21T08:00:00.500Z"),
        (date(2026, 11, 21), "2026-11-21T00:00:00.000Z"),
        (datetime(2026, 11, 21, 8, tzinfo=UTC), "2026-11-21T08:00:00.000Z"),
        (datetime(2026, 11, 21, 3, tzinfo=timezone(timedelta(hours=-5))), "2026-11-21T08:00:00.000Z"),
        ("", None),
        (None, None),
    ],
    ids=repr,
)
def test_times_come_in_as_utc(value: object, expected: str | None) -> None:
    """With a zone, without one (UTC), as a date, as seconds since 1970 (text in CSV), or as Parquet has them."""
    assert fields({"at": value}).moment("at") == expected


@pytest.mark.parametrize(
    "value",
    [
        "yesterday",
        "21/11/2026",
        "2026/13/01",
        "2026/11/21x",
        "2026-13-01",
        "2026",
        "12345",
        True,
        1e300,
        -(10**40),
        [],
        "9999-12-31T23:00:00-05:00",
        "9999-12-31",
        "1970-01-01T00:00:00Z",
        0,
        "0001-01-01",
    ],
)
def test_what_is_no_time_is_dropped_and_counted(value: object) -> None:
    """An optional field never costs the row; a short number is rather a year or a counter than seconds since 1970."""
    times = Times()

    assert fields({"at": value}).moment("at", times) is None
    assert [drop.rows for drop in times.dropped] == [1]


@pytest.mark.parametrize("value", [1_795_248_000_000, 1_795_248_000_000_000, 1_795_248_000_000_000_000])
def test_numbers_in_any_unit_since_1970_are_times(value: int) -> None:
    """Milliseconds, microseconds and nanoseconds, as numbers and as text of CSV."""
    assert fields({"at": value}).moment("at") == fields({"at": str(value)}).moment("at") == "2026-11-21T08:00:00.000Z"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("one text", ["one text"]),
        ("[not json", ["[not json"]),
        ({"text": "a"}, [{"text": "a"}]),
        ("", []),
        (None, []),
        ([], []),
        ("[]", []),
    ],
)
def test_a_sequence_is_a_list_however_it_comes(value: object, expected: list[object]) -> None:
    """A list, JSON in a CSV cell, or one thing by itself."""
    assert fields({"contexts": value}).sequence("contexts") == expected


@pytest.mark.parametrize(
    ("column", "name"),
    [("Question", "question"), ("QUESTION", "question"), (" question ", "question"), ("ID", "id"), ("Id", "id")]
    + [(column, "item_id") for column in ("Item ID", "item-id", "itemId", "ITEM_ID")],
)
def test_a_name_may_be_spelled_otherwise(column: str, name: str) -> None:
    """Case, blanks, dashes and underscores do not matter; what was read so is no metadata."""
    row = fields({column: "x", "Model": "m"})

    assert row.value(name) == "x"
    assert row.others((name,)) == {"Model": "m"}


@pytest.mark.parametrize("column", ["_id", "questions", "user question", "ids", "I.D"])
def test_another_name_is_another(column: str) -> None:
    """Synonyms are proposed, and never taken."""
    row = fields({column: "x"})

    assert (row.value("id"), row.value("question")) == (None, None)
    assert row.others(("id", "question")) == {column: "x"}


def test_the_exact_name_comes_first() -> None:
    """A column beside it that is spelled otherwise is metadata."""
    row = fields({"ID": "other", "id": "mine"})

    assert row.value("id") == "mine"
    assert row.others(("id",)) == {"ID": "other"}


def test_two_spellings_of_one_name_are_refused() -> None:
    """Either may be meant; the message says what to add."""
    with pytest.raises(InputError, match=r"'ID' and 'Id' differ in spelling only: add --map id=COLUMN"):
        fields({"ID": "a", "Id": "b"}).value("id")
    assert fields({"ID": "a", "Id": "b"}, id="Id").value("id") == "b"


def test_a_column_that_is_mapped_to_another_field_is_taken_once() -> None:
    """`--map group=ID` says what ID is; an empty path takes nothing in any spelling."""
    assert fields({"ID": "a"}, group="ID").value("id") is None
    assert fields({"ID": "a"}, id="").value("id") is None
    assert fields({"Question": "Q"}, id="x").value("question") == "Q"


def test_what_no_field_claims_is_metadata() -> None:
    """Mapped columns are claimed by their column's name; nothing else is lost, and nothing is None."""
    row = {
        "prompt": "Q",
        "question": "other",
        "model": "m",
        "empty": None,
        "n": float("nan"),
        "day": date(2026, 11, 21),
    }

    others = fields(row, question="prompt").others(KNOWN)

    assert others == {"question": "other", "model": "m", "n": "nan", "day": "2026-11-21"}
    json.dumps(others, allow_nan=False)


def test_metadata_may_be_deep_but_not_endless() -> None:
    """Fifty levels are kept; deeper ones are refused instead of breaking what reads them later."""
    deep: object = "x"
    for _ in range(49):
        deep = [deep]
    assert plain({"a": deep}) == {"a": deep}
    with pytest.raises(InputError, match="deeper"):
        plain({"a": [[deep]]})


def anything(rng: random.Random, depth: int = 0) -> object:
    """A value of any kind that a file can hold."""
    kinds: list[object] = [
        *(
            None,
            True,
            False,
            0,
            -1,
            2**70,
            0.5,
            float("nan"),
            float("inf"),
            1e300,
            "",
            " ",
            "text",
            "[1]",
            "[",
            '{"text": 3}',
        ),
        *(
            "\ud800",
            "\0",
            "NaN",
            "2026-11-21",
            "right",
            "x" * 1001,
            b"\xff",
            date(2026, 11, 21),
            Decimal("NaN"),
            [],
            {},
        ),
    ]
    if depth < 3 and rng.random() < 0.4:
        if rng.random() < 0.5:
            return [anything(rng, depth + 1) for _ in range(rng.randrange(3))]
        keys = ["text", "id", "title", "score", "role", "content", "\ud800", ""]
        return {rng.choice(keys): anything(rng, depth + 1) for _ in range(rng.randrange(3))}
    return rng.choice(kinds)


@pytest.mark.slow
def test_no_row_of_any_kind_raises_anything_but_a_reason() -> None:
    """5,000 rows with anything in any field are an item, a thumb, a label or a score, or are refused in words."""
    from annotate.domain import annotation, feedback
    from annotate.traffic import feedback_rows, rows
    from annotate.workflow.ingest import row_readers

    readers = [
        (rows.item_from_row, TRAFFIC_FIELDS),
        (feedback_rows.read_feedback, feedback.FIELDS),
        (annotation.annotation_from_row, annotation.FIELDS),
        (row_readers.score_from_row, row_readers.SCORE_FIELDS),
    ]
    rng = random.Random(20261121)
    fine = {"question": "Q?", "answer": "A.", "item_id": "a", "value": 1, "label": "right", "judge": "j"}
    read, reasons = 0, set[str]()
    for _ in range(5000):
        reader, names = rng.choice(readers)
        row = {**fine, **{rng.choice(names): anything(rng) for _ in range(rng.randrange(4))}}
        try:
            reader(row, {})
            read += 1
        except InputError as error:
            reasons.add(str(error))
    assert 1000 < read < 4500
    assert "" not in reasons


def test_cells_beyond_the_header_are_no_field() -> None:
    """What csv puts under None, the cells of a row that is too long, is read as none of our fields."""
    fields = Fields({"question": "q", None: ["x"]}, {})  # type: ignore[dict-item]

    assert fields.value("answer") is None
    assert fields.column("answer") == "answer"


def test_every_element_of_nested_lists_is_one_list_in_order() -> None:
    """`[*]` takes the elements in order, leaves out those without anything there, and leads to nothing where none has it."""
    row = {
        "citations": [{"refs": [{"text": "a"}, {"no": "x"}, {"text": "b"}]}, {"refs": []}, {"refs": [{"text": "c"}]}]
    }

    assert follow(row, "citations[*].refs[*].text") == ["a", "b", "c"]
    assert follow(row, "citations[*].refs[0].text") == ["a", "c"]
    assert follow(row, "citations[*].none") is None
    assert follow({"column[*]": "its own", "text": "t"}, "text[*]") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (r'context.split("\n---\n")', ["a.b", "c\n\nd"]),
        (r"context.split('\n\n')", ["a.b\n---\nc", "d\n---"]),
        (r'inner.text.split(" | ")', ['x "y"', "z"]),
        (r"""inner.text.split('"y"')""", ["x", "| z"]),
        ('inner.list.split("x")', ["p", "q"]),
        ('absent.split("x")', None),
        ('context.split("")', None),
        (r'context.split("\q")', None),
    ],
)
def test_a_path_may_end_with_what_splits_its_text(path: str, expected: object) -> None:
    """Blanks round the parts and empty parts are none; what is a list stays one."""
    row = {"context": "a.b\n---\nc\n\nd\n---\n", "inner": {"text": 'x "y" | z', "list": ["p", "q"]}}

    assert Fields(row, {"contexts": path}).value("contexts") == expected


def test_a_column_that_is_split_is_no_metadata() -> None:
    """Its text came in as passages."""
    assert Fields({"context": "a|b", "model": "m"}, {"contexts": 'context.split("|")'}).others(("contexts",)) == {
        "model": "m"
    }
