"""Workbooks as people make them: one header, cells by their values, and reasons where a cell has none."""

from __future__ import annotations

import datetime as dt
import io
import sys
import zipfile

import pytest

from annotate.files import FileRow, Rejected, excel, read_rows
from proxy.errors import FileError
from support.files import File, good, rejected, workbook

HEADER = ["id", "question", "contexts"]


def test_cells_come_by_their_values(file: File) -> None:
    """Numbers, dates, truth values and texts with line ends; empty rows and columns are none."""
    moment = dt.datetime(2026, 11, 21, 8, 30)  # noqa: DTZ001 (a cell has no zone)
    rows = [
        [*HEADER, "at", "ok", None],
        [7, "a\nb", None, moment, True],
        [],
        ["8", "=1+1 as text", "x", None, 0.5],
    ]

    read = list(read_rows(file(workbook(rows))))

    assert [row.fields for row in read if isinstance(row, FileRow)] == [
        {"id": 7, "question": "a\nb", "contexts": None, "at": moment, "ok": True},
        {"id": "8", "question": "=1+1 as text", "contexts": "x", "at": None, "ok": 0.5},
    ]
    assert [row.line for row in read] == [2, 4]


def test_the_first_sheet_with_a_header_is_read(file: File) -> None:
    """Empty ones before it are passed over, and those behind it are not read."""
    assert good(file(workbook([], [["id"], [1]], [["other"], [2]]))) == [{"id": 1}]
    assert list(read_rows(file(workbook([])))) == []


def test_another_sheet_with_the_same_columns_is_no_silent_loss(file: File) -> None:
    """A table that goes on over sheets; one with other columns, or with the header alone, is none."""
    path = file(workbook([["id", "a"], [1, 2]], [["id", "a"], [3, 4]], [["id", "a"]], [["id", "b"], [5, 6]]))
    read, last = read_rows(path)

    assert isinstance(read, FileRow)
    assert isinstance(last, Rejected)
    assert last.reason.endswith("has the same columns and was not read: save it as CSV (UTF-8), and bring that in")


def test_a_title_above_the_header_names_no_column(file: File) -> None:
    """Cells merged over the columns hold one value."""
    content = workbook([["Export of November"], [], HEADER, ["1", "Q?", "x"]], merged=["A1:C1"])

    assert good(file(content)) == [{"id": "1", "question": "Q?", "contexts": "x"}]


def test_a_merged_header_says_which_column_has_no_name(file: File) -> None:
    """A cell below the merged part belongs to no field, and it is not dropped."""
    content = workbook([HEADER, ["1", "Q?", "x", "y"], ["2", "Q?", "x"]], merged=["C1:D1"])

    first, second = read_rows(file(content))

    assert isinstance(first, Rejected)
    assert "column D" in first.reason
    assert isinstance(second, FileRow)


@pytest.mark.parametrize("header", [["a", "a"], ["a", "b", "a"]])
def test_a_header_names_each_column_once(file: File, header: list[str]) -> None:
    """One reason for the sheet."""
    [row] = rejected(file(workbook([header, ["1", "2"]])))

    assert "each once" in row.reason


def test_an_error_in_a_cell_is_no_text(file: File) -> None:
    """`#N/A` is what a spreadsheet shows where it has nothing."""
    first, second = read_rows(file(workbook([HEADER, ["1", "#N/A", "x"], ["2", "Q?", "x"]])))

    assert isinstance(first, Rejected)
    assert "B2" in first.reason
    assert isinstance(second, FileRow)


@pytest.mark.slow
def test_formulas_come_by_their_last_value(file: File) -> None:
    """The value that the spreadsheet kept; oracle: the part of the archive, as Excel writes it."""
    content = replaced(workbook([["id"], ["=1+1"]]), b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")

    assert good(file(content)) == [{"id": 2}]


def test_formulas_without_a_value_stop_the_file(file: File) -> None:
    """A program wrote them, and no spreadsheet has computed them: ids would be lost without a word."""
    [row] = rejected(file(workbook([["id", "question"], ["=1+1", "Q?"]])))

    assert "A2" in row.reason
    assert "save it" in row.reason


def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    """The workbook with other bytes in its sheet."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            assert old in data or "sheet" not in name
            target.writestr(name, data.replace(old, new))
    return out.getvalue()


def test_carriage_returns_and_wrong_dimensions_do_no_harm(file: File) -> None:
    """Excel writes a return as `_x000D_`, and some programs say that a sheet has one cell."""
    content = replaced(workbook([["id", "q"], ["1", "a_x000D_\nb"]]), b'ref="A1:B2"', b'ref="A1"')

    assert good(file(content)) == [{"id": "1", "q": "a\r\nb"}]


@pytest.mark.slow
def test_ten_thousand_columns(file: File) -> None:
    """They are read."""
    [row] = good(file(workbook([[f"c{n}" for n in range(10_000)], ["x"] * 10_000])))

    assert len(row) == 10_000


def test_without_the_extra_the_error_says_what_to_install(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    """One command brings it."""
    path = file(workbook([HEADER]))
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    with pytest.raises(FileError, match=r"pip install 'assay\[excel\]'"):
        list(read_rows(path))


@pytest.mark.slow
@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"])
def test_a_workbook_that_unpacks_to_fill_memory_is_refused(
    file: File, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few bytes that would be 30 MB, where 25 are allowed: a reason before anything is parsed."""
    monkeypatch.setattr(excel, "WHOLE_BYTES", 25_000_000)
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook([HEADER]))) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in {*source.namelist(), part}:
            target.writestr(name, b"<c>" * 10_000_000 if name == part else source.read(name))

    [row] = rejected(file(out.getvalue()))

    assert "MB" in row.reason


@pytest.mark.slow
@pytest.mark.parametrize("row", ["999999999999", "1e12"])
def test_a_row_far_down_is_no_endless_sheet(file: File, row: str) -> None:
    """Excel has a million rows; the empty ones above such a row are not counted through."""
    content = replaced(workbook([["id"], ["1"]]), b'<row r="2"', f'<row r="{row}"'.encode())

    rows = list(read_rows(file(content)))

    assert isinstance(rows[-1], Rejected)


@pytest.mark.slow
def test_a_damaged_workbook_is_rejected_not_raised(file: File) -> None:
    """Cut or changed anywhere."""
    import random

    rng = random.Random(20261121)
    content = workbook([HEADER, *([str(n), "Q?", "x"] for n in range(30))])
    for _ in range(150):
        copy = bytearray(content)
        for place in rng.sample(range(4, len(copy)), 3):
            copy[place] = rng.randrange(256)
        for each in (bytes(copy), content[: rng.randrange(5, len(content))]):
            try:
                rows = list(read_rows(file(each)))
            except FileError:
                continue
            assert all(isinstance(row, FileRow) or row.reason for row in rows)
