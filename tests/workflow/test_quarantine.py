"""Rows in quarantine: numbered, dismissed where nobody wants them, and named by their element in a list of objects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotate import Project
from proxy.errors import UsageError
from support.store import Assay, read, traffic_row

BAD = [traffic_row("a", answer=None), traffic_row("b", question=""), traffic_row("c", answer=None), traffic_row("d")]


@pytest.fixture
def held(assay: Assay) -> Assay:
    """A store with three rows in quarantine, of two reasons."""
    assay("ingest", assay.write("t.jsonl", BAD), status=4)
    return assay


def events(assay: Assay) -> list[tuple[str, dict[str, Any]]]:
    rows = assay.sql("SELECT what, detail FROM events WHERE what LIKE 'quarantine%'")
    return [(what, json.loads(detail)) for what, detail in rows]


def test_a_row_is_dismissed_by_its_number(held: Assay) -> None:
    """It is listed with the dismissed, with all that it held, and counts no more when its file comes again."""
    first, second, third = (row["row"] for row in held.quarantine())

    done = held.json("quarantine", "--dismiss", str(first), str(third))

    assert (done["rows"], done["open"]) == (2, 1)
    assert [row["row"] for row in held.quarantine()] == [second]
    assert [row["row"] for row in held.json("quarantine", "--dismissed")["quarantine"]] == [first, third]
    assert events(held) == [("quarantine dismiss", {"rows": 2})]
    assert held.sql("SELECT count(*) FROM quarantine WHERE length(raw) > 0") == [(3,)]
    held("quarantine", "--dismissed", "--export", "q.jsonl")
    assert [row["row"] for row in read(held.folder / "q.jsonl")] == [first, third]

    again = held.json("ingest", str(held.folder / "t.jsonl"), status=4)
    assert (again["quarantined"], again["dismissed"]) == (1, 2)
    assert [reason["rows"] for reason in again["reasons"]] == [1]
    assert [row["row"] for row in held.quarantine()] == [second]


def test_a_file_whose_bad_rows_are_dismissed_is_read_whole(held: Assay) -> None:
    """The exit status is 0, and the screen says how many were dismissed before."""
    assert "3 rows dismissed" in held("quarantine", "--dismiss", "--all").stdout
    result = held("ingest", str(held.folder / "t.jsonl"))
    assert "3 dismissed before" in result.stdout
    assert "could not be read" not in result.stderr


def test_rows_are_dismissed_by_a_text_of_their_reason(held: Assay) -> None:
    """The same text shows which they are, before."""
    shown = held.json("quarantine", "--reason", "No Answer")
    assert shown["rows"] == 2

    assert held.json("quarantine", "--dismiss", "--reason", "No Answer")["rows"] == 2
    assert [row["reason"][:11] for row in held.quarantine()] == ["no question"]


def test_a_dismissed_row_that_comes_in_right_is_no_repair(held: Assay) -> None:
    """It had left the count before."""
    held("quarantine", "--dismiss", "--reason", "no answer")
    assert held.json("ingest", held.write("fixed.jsonl", [traffic_row(name) for name in "abc"]))["repaired"] == 1
    assert held.json("quarantine", "--dismissed")["rows"] == 2


@pytest.mark.parametrize(
    "args",
    [
        ("--dismiss",),
        ("--dismiss", "--all", "1"),
        ("--dismiss", "99"),
        ("--dismiss", "--reason", "no such reason"),
        ("--dismiss", "--repaired", "1"),
        ("--all",),
        ("--export", "q.jsonl", "1"),
    ],
    ids=" ".join,
)
def test_what_is_not_said_is_not_dismissed(held: Assay, args: tuple[str, ...]) -> None:
    """Nothing is dismissed where a number or a text is nobody's."""
    held("quarantine", *args, status=2)
    assert len(held.quarantine()) == 3
    assert events(held) == []


def test_from_python_it_is_the_same(held: Assay) -> None:
    """By state, numbers and reason."""
    project = Project.open(held.db)
    rows = project.quarantine().result

    assert project.dismiss_quarantined(rows=[rows[0].row]).result.open == 2
    assert project.quarantine(state="dismissed").result == [rows[0]]
    assert project.quarantine(reason="no question").result == [rows[1]]
    with pytest.raises(UsageError, match="open, repaired, dismissed"):
        project.quarantine(state="closed")
    with pytest.raises(UsageError, match="which rows"):
        project.dismiss_quarantined()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_row_of_a_list_is_named_by_its_element(assay: Assay, indent: int | None, wrapped: bool) -> None:
    """However the array is laid out, alone or within an object; the reason says so."""
    rows: object = {"data": BAD} if wrapped else BAD
    assay("ingest", assay.write("t.json", json.dumps(rows, indent=indent)), status=4)

    assert [(row["line"], row["reason"].rpartition(" (")[2]) for row in assay.quarantine()] == [
        (1, "element 1)"),
        (2, "element 2)"),
        (3, "element 3)"),
    ]


def test_what_is_no_object_in_an_array_is_named_by_its_element(assay: Assay) -> None:
    """So is the one at which an array breaks off, with its line."""
    whole = json.dumps([traffic_row("a"), 7, traffic_row("b")], indent=1)
    assay("ingest", assay.write("t.json", whole), status=4)
    assay("ingest", assay.write("cut.json", whole[: whole.index('"id": "b"')]), status=4)

    places = [(row["line"], row["reason"]) for row in assay.quarantine()]
    assert places[0] == (2, "expected a JSON object, found int (element 2)")
    assert places[1][0] == 2
    assert places[2][0] == 3
    assert "(element 3)" in places[2][1]
    assert "on line" in places[2][1]


def test_a_row_that_is_refused_later_says_its_element_too(loaded: Assay) -> None:
    """A label whose item is not here."""
    labels = [{"item_id": name, "label": "right"} for name in ("a", "lost")]
    loaded("labels", "import", loaded.write("l.json", json.dumps(labels)), status=4)
    [row] = loaded.quarantine()
    assert (row["line"], row["reason"].rpartition(" (")[2]) == (2, "element 2)")


def test_columns_of_a_reason_are_whole_or_counted(loaded: Assay) -> None:
    """Never cut without a word."""
    wide = {f"column_{number:02}": "x" for number in range(15)}
    rows = [{"item_id": "a", "label": "right"}, {"item_id": "b", **wide}]
    loaded("labels", "import", loaded.write("l.jsonl", rows), status=4)
    assert "column_11 and 4 more (use --map label=COLUMN)" in loaded.quarantine()[0]["reason"]

    few = [{"item_id": "a", "label": "right"}, {"item_id": "b", "x": 1}]
    loaded("labels", "import", loaded.write("m.jsonl", few), status=4)
    assert "the row has item_id, x (use" in loaded.quarantine()[1]["reason"]
