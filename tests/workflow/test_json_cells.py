"""Tables whose cells are texts written as JSON: read as the texts where all of a column is so, and the screen says it."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence

import pandas as pd
import pytest

from annotate import Project
from support.store import Assay

ROWS = (
    ("a1", 'Was heißt "so"?', "Zwei\nZeilen."),
    ("a2", '"Nur" Zitate', '"Ja"'),
    ("a3", "Und dann?", "\ud83d allein"),
)


def write(assay: Assay, rows: Sequence[Sequence[str]], name: str = "t.csv") -> str:
    path = assay.folder / name
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("id", "question", "answer"), *rows])
    return str(path)


def test_cells_that_are_all_json_are_read_as_their_texts(assay: Assay) -> None:
    """Quotes and escapes are the notation's; what stands in the text stays, a quote around all of it too."""
    file = write(assay, [tuple(map(json.dumps, row)) for row in ROWS])

    dry, done = assay("ingest", file, "--dry-run"), assay("ingest", file)

    for out in (dry, done):
        words = " ".join((out.stdout + out.stderr).split())
        assert "t.csv: all filled cells of 3 columns are texts written as JSON" in words
        assert "without their quotes and escapes: id, question, answer" in words
    items = Project.open(assay.db).items()
    assert list(zip(items.id, items.question, items.answer, strict=True)) == list(ROWS)
    again = assay.json("ingest", file)
    assert again["json_cells"] == [{"file": "t.csv", "columns": ["id", "question", "answer"], "odd": []}]
    assert (again["added"], again["unchanged"]) == (0, 3)


def test_none_among_cells_of_json_is_an_empty_cell(assay: Assay) -> None:
    """What writes each cell as JSON writes `null` where there is none; it is no name of a system, and takes no quotes off others."""
    rows = [
        ["id", "question", "answer", "system"],
        *([*row, system] for row, system in zip(ROWS, ("v1", None, "v2"), strict=True)),
    ]
    path = assay.folder / "n.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([rows[0], *(map(json.dumps, row) for row in rows[1:])])

    done = assay.json("ingest", str(path))

    assert done["json_cells"] == [{"file": "n.csv", "columns": ["id", "question", "answer", "system"], "odd": []}]
    systems = Project.open(assay.db).items().set_index("id").system
    assert (systems["a1"], systems["a3"]) == ("v1", "v2")
    assert systems.isna()["a2"]


@pytest.mark.parametrize(
    "rows",
    [
        [("1", "One?", '"Only."')],
        [("1", "One?", '"Yes."'), ("2", "Two?", "Nobody.")],
        [("1", "One?", '"Yes."'), ("2", "Two?", '"an "inner" one"')],
        [("1", "One?", '"Yes."'), ("2", "Two?", '"two\nlines"')],
    ],
    ids=["a single cell", "a cell without quotes", "a quote within", "a line break within"],
)
def test_what_no_column_proves_keeps_its_quotes(assay: Assay, rows: list[tuple[str, str, str]]) -> None:
    """A person may have written the quotes."""
    done = assay.json("ingest", write(assay, rows))

    assert done["json_cells"] == []
    assert list(Project.open(assay.db).items().answer) == [answer for _, _, answer in rows]


def test_a_late_cell_decides_for_the_whole_file(assay: Assay) -> None:
    """The first rows alone would have been read without quotes, the rest with them; without an escape a person may have quoted."""
    rows = [(str(number), "One?", '"Yes."') for number in range(300)]
    file = write(assay, [*rows, ("last", "One?", "No.")])

    out = assay("ingest", file)

    words = " ".join(out.stderr.split())
    assert "t.csv: 300 cells of column answer look like texts written as JSON, and 1 does not, in row 302" in words
    odd = {"column": "answer", "texts": 300, "cells": 1, "row": 302, "is_read": False}
    assert assay.json("ingest", file)["json_cells"] == [{"file": "t.csv", "columns": [], "odd": [odd]}]
    assert set(Project.open(assay.db).items().answer) == {'"Yes."', "No."}


@pytest.mark.parametrize(("texts", "is_read"), [(9, False), (10, True)])
def test_an_escape_in_another_column_proves_less(assay: Assay, texts: int, is_read: bool) -> None:
    """Two quoted answers of three may be a person's, beside a column that a program wrote."""
    rows = [(str(number), json.dumps(f"Line\n{number}?"), '"Yes."') for number in range(texts)]

    done = assay.json("ingest", write(assay, [*rows, ("last", '"One?"', "No.")]))

    [odd] = done["json_cells"][0]["odd"]
    assert (odd["column"], odd["is_read"]) == ("answer", is_read)
    assert set(Project.open(assay.db).items().answer) == {"Yes." if is_read else '"Yes."', "No."}


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_a_bad_cell_costs_its_row_and_no_other(assay: Assay, kind: str) -> None:
    """One text was cut off, as Excel cuts at 32,767 characters; one cell is plain, as no JSON is; an object is JSON."""
    answers = [
        '"Zwei\\nZeilen."',
        '"Ja."',
        '"cut \\"off',
        '"Nein."',
        "plain",
        '{"a": "b"}',
        '"Ende."',
        '"Gut."',
        "null",
    ]
    rows = [(f"a{number}", f"Frage {number}?", answer) for number, answer in enumerate(answers)]
    file = write(assay, rows) if kind == "csv" else write_typed(assay, rows, kind)

    out = assay("ingest", file, status=4)

    words = " ".join(out.stderr.split())
    assert "5 cells of column answer are texts written as JSON, and were read without their quotes" in words
    assert "2 others, the first in row" in words
    items = Project.open(assay.db).items().set_index("id").answer
    plain = {
        "a0": "Zwei\nZeilen.",
        "a1": "Ja.",
        "a3": "Nein.",
        "a4": "plain",
        "a5": '{"a": "b"}',
        "a6": "Ende.",
        "a7": "Gut.",
    }
    assert dict(items) == plain
    reasons = [row["reason"] for row in assay.quarantine()]
    assert reasons[0].startswith(
        "column answer: the texts of this column are written as JSON, and this one cannot be read"
    )
    assert reasons[1].startswith("no answer")


def write_typed(assay: Assay, rows: Sequence[Sequence[str]], kind: str) -> str:
    frame = pd.DataFrame(rows, columns=["id", "question", "answer"])
    path = assay.folder / f"t.{kind}"
    frame.to_excel(path, index=False) if kind == "xlsx" else frame.to_parquet(path)
    return str(path)


def test_empty_cells_prove_nothing_and_break_nothing(assay: Assay) -> None:
    """A column with gaps is read like any other."""
    rows = [("1", "One?", '"Yes."'), ("2", "Two?", ""), ("3", "Three?", '"No."')]

    done = assay.json("ingest", write(assay, rows))

    assert [cells["columns"] for cells in done["json_cells"]] == [["answer"]]
    assert list(Project.open(assay.db).items().answer) == ["Yes.", "", "No."]


def test_a_part_of_a_folder_is_read_as_the_others(assay: Assay) -> None:
    """One row by itself would keep its quotes."""
    (assay.folder / "parts").mkdir()
    for name, rows in (("parts/1.csv", ROWS[:2]), ("parts/2.csv", ROWS[2:])):
        write(assay, [tuple(map(json.dumps, row)) for row in rows], name)

    done = assay.json("ingest", str(assay.folder / "parts"))

    assert [cells["columns"] for cells in done["json_cells"]] == [["id", "question", "answer"]] * 2
    assert set(Project.open(assay.db).items().answer) == {answer for _, _, answer in ROWS}


def test_scores_and_labels_name_the_same_items(assay: Assay) -> None:
    """The ids of all files of one program are written alike."""
    assay("ingest", write(assay, [tuple(map(json.dumps, row)) for row in ROWS]))
    scores = assay.folder / "s.csv"
    with scores.open("w", newline="") as stream:
        cells = [(json.dumps(item_id), "tone", "0.5") for item_id, _, _ in ROWS]
        csv.writer(stream).writerows([("item_id", "judge", "value"), *cells])

    done = assay.json("scores", "import", str(scores))

    assert done["new"] == 3
    assert list(Project.open(assay.db).scores().item_id) == [item_id for item_id, _, _ in ROWS]
    assert done["json_cells"] == [{"file": "s.csv", "columns": ["item_id"], "odd": []}]
