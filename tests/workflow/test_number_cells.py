"""Numbers in columns of texts: a spreadsheet takes an answer such as 42 for a number, and it is a text all the same."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from support.store import Assay

HEADS = ("question", "answer", "reference", "floor")
ROWS: Sequence[Sequence[object]] = [
    ("How many beds?", 42, 40.0, 3),
    (2019, "Ward 3 moved.", None, 3),
    ("What does it cost?", 12.5, "12.50", 0.5),
]
TEXTS = [
    ("2019", "Ward 3 moved.", None),
    ("How many beds?", "42", "40"),
    ("What does it cost?", "12.5", "12.50"),
]


def sheet(rows: Sequence[Sequence[object]], formats: Mapping[str, str] | None = None) -> bytes:
    workbook, content = Workbook(), io.BytesIO()
    for row in rows:
        workbook.active.append(row)
    for place, number_format in (formats or {}).items():
        workbook.active[place].number_format = number_format
    workbook.save(content)
    return content.getvalue()


def texts(assay: Assay) -> list[tuple[str, str, str | None]]:
    return assay.sql("SELECT question, answer, reference FROM texts ORDER BY question")


def test_numbers_in_a_sheet_are_texts(assay: Assay) -> None:
    """Whole ones without decimals, as the sheet shows them; other columns keep their numbers."""
    file = assay.write("t.xlsx", sheet([HEADS, *ROWS]))

    done = assay.json("ingest", file)

    assert (done["added"], done["quarantined"], texts(assay)) == (3, 0, TEXTS)
    assert assay.sql("SELECT metadata ->> 'floor' FROM texts ORDER BY 1") == [(0.5,), (3,), (3,)]


def test_columns_of_numbers_alone_in_parquet_are_texts(assay: Assay) -> None:
    """Also under other names, by a path or by a tool's own."""
    table = pa.table(
        {"user_input": ["How many?", "How much?"], "response": [42.0, 2.5], "retrieved_contexts": [["a"], ["b"]]}
    )
    content = io.BytesIO()
    pq.write_table(table, content)
    for paths in ((), ("--format", "own", "--map", "question=user_input", "--map", "answer=response", "--yes")):
        assay.db.unlink(missing_ok=True)
        assay("ingest", assay.write("t.parquet", content.getvalue()), *paths)
        assert texts(assay) == [("How many?", "42", None), ("How much?", "2.5", None)]


def test_a_sheet_of_numbers_alone_is_read(assay: Assay) -> None:
    """No row has a text for an answer."""
    file = assay.write("t.xlsx", sheet([("Question", "Answer"), ("How many?", 42), ("How many in all?", 43)]))

    assert assay.json("ingest", file)["added"] == 2


@pytest.mark.parametrize("heads", [("question", "answer"), ("user_input", "response")])
def test_a_share_is_read_as_the_percentage_that_the_sheet_shows(assay: Assay, heads: tuple[str, str]) -> None:
    """A number with another unit is not guessed: its row goes to quarantine."""
    rows = [
        (*heads, "retrieved_contexts"),
        ("How many?", 0.425, "[]"),
        ("How much?", 12, "[]"),
        ("And then?", 0.5, "[]"),
    ]
    file = assay.write("t.xlsx", sheet(rows, {"B2": "0.0%", "B3": '"€" 0.00', "B4": "0%"}))

    done = assay.json("ingest", file, "--yes", status=4)

    assert (done["added"], done["quarantined"]) == (2, 1)
    assert [answer for _, answer, _ in texts(assay)] == ["50%", "42.5%"]
    assert "quote it as text" in assay.quarantine()[0]["reason"]
