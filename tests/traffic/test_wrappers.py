"""Pages of an API: the objects of the one list in them are the rows; a row of ours or of a tool stays whole."""

from __future__ import annotations

import json

import pytest

from annotate.traffic.wrappers import rows_within
from support.store import Assay, traffic_row

ROWS = [{"question": "Q?", "answer": "A."}, {"question": "R?", "answer": "B."}]


@pytest.mark.parametrize("name", ["data", "items", "records"])
def test_the_one_list_of_objects_is_the_rows(name: str) -> None:
    """What stands beside it (a cursor, a count) is no row."""
    assert rows_within({name: ROWS, "meta": {"page": 1}, "total": 2}) == ROWS


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q?", "answer": "A.", "data": ROWS},
        {"id": "a", "data": []},
        {"conversations": []},
        {"data": ["a", "b"]},
        {"data": ROWS, "items": ROWS},
        {"documents": ROWS},
        {"resourceSpans": [{"scopeSpans": []}]},
        {"info": {"trace_id": "t"}, "data": {"spans": []}},
        {},
    ],
    ids=str,
)
def test_any_other_object_is_a_row(row: dict[str, object]) -> None:
    """A row of ours, two lists, no objects, and what a tool's format reads as it is."""
    assert rows_within(row) is None


def test_a_page_a_line_and_a_pretty_page_give_the_same_items(assay: Assay) -> None:
    """Traffic and feedback alike; what is refused has its line."""
    rows = [traffic_row(name) for name in "abcd"]
    pages = [{"data": rows[:2], "cursor": "x"}, {"data": rows[2:], "cursor": None}]
    lines = assay.write("pages.jsonl", pages)
    (assay.folder / "page.json").write_text(json.dumps({"data": rows}, indent=2))
    thumbs = assay.write(
        "thumbs.json", json.dumps({"data": [{"item_id": "a", "value": -1}, {"item_id": "b"}]}, indent=1)
    )

    assert assay.json("ingest", lines)["added"] == 4
    assert assay.json("ingest", str(assay.folder / "page.json"))["unchanged"] == 4
    told = assay.json("feedback", thumbs, status=4)
    assert (told["rows"], told["new"], told["quarantined"]) == (2, 1, 1)


def test_names_in_other_spelling_are_told_by_the_column_they_came_from(assay: Assay) -> None:
    """`Question` is the question, and no metadata."""
    row = {"ID": "7", "Question": "Q?", "Answer": "A.", "Contexts": ["c"], "Latency": 3}
    how = assay.json("ingest", assay.write("t.jsonl", [row]), "--dry-run")["sources"][0]

    assert {field["name"]: field["path"] for field in how["fields"]} == {
        "id": "ID",
        "question": "Question",
        "answer": "Answer",
        "contexts": "Contexts",
    }
    assert how["unused"] == ["Latency"]


@pytest.mark.parametrize("row", [{"data": [], "meta": {"page": 2}}, {"results": {"results": [], "stats": {}}}], ids=str)
def test_an_empty_page_has_no_rows(row: dict[str, object]) -> None:
    """It is no row without a question, which no option could mend."""
    assert rows_within(row) == []
