"""Read the rows of an Excel workbook (.xlsx): the first sheet with a header, formulas by their last values.

Sheets are read row by row; what openpyxl would read as a whole is measured before.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import time, timedelta
from itertools import chain, islice
from typing import Any

from annotate.files.delimited import check_header
from annotate.files.detection import AS_TEXT, UNPACK
from annotate.files.rows import FileRow, Rejected, rejected, size_of
from annotate.files.tables import check_claims
from proxy.errors import FileError, InputError

MISSING = "this is an Excel workbook, which openpyxl reads: pip install 'assay[excel]'"
OTHER = f"this is a spreadsheet or document of another kind (.ods, .xlsb), and no rows can be read from it; {AS_TEXT}"
ARCHIVE = f"this is a zip archive, and no rows can be read from it; {UNPACK}"
OWN_FILE = "save it as CSV (UTF-8), and bring that in"
OFFICE = {"mimetype", "[Content_Types].xml"}  # the first parts of a document of LibreOffice or Microsoft
# openpyxl holds what is no sheet as a whole (texts that cells share among it), and of a sheet one row.
WHOLE_BYTES, ROW_BYTES = 250_000_000, 16_000_000
MOST_ROWS = 1_048_576  # Excel's own limit
FIRST_ROWS = 100
# How numbers are shown: by digits, also with separators; as a percentage, with so many decimals.
PLAIN_NUMBER, PERCENTAGE = re.compile(r"General|@|[#0,]*0(\.[0#]+)?"), re.compile(r"0(\.0+)? ?%")
RETURN = "_x000D_"  # a carriage return, as Excel writes it

Cells = Sequence[Any]


def excel_rows(stream: io.BufferedReader) -> Iterator[FileRow | Rejected]:
    """Yield the rows under the header; empty ones are none.

    FileError where it is no workbook or openpyxl is not installed, InputError where it cannot be read.
    """
    _check(stream)
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise FileError(MISSING) from error
    try:
        warnings.filterwarnings("ignore", module="openpyxl")  # of parts that are no cells
        workbook = load_workbook(stream, read_only=True, data_only=True)
        sheets = iter(workbook.worksheets)
        for sheet in sheets:
            rows = _filled(sheet)
            first = list(islice(rows, FIRST_ROWS))
            if header := _header([cells for _, cells in first]):
                _check_values(first, load_workbook(stream, read_only=True)[sheet.title])
                number, names = header
                yield from _rows(names, chain(first[number + 1 :], rows))
                yield from _alike(names, sheets)
                return
    except (InputError, FileError):
        raise
    except Exception as error:  # openpyxl raises whatever it comes upon in a damaged part
        raise InputError(f"cannot be read as an Excel workbook: {error}") from error


def _alike(names: Sequence[str], sheets: Iterable[Any]) -> Iterator[Rejected]:
    """Yield the sheets with the same columns as the one that was read: their rows would be lost without a word."""
    for sheet in sheets:
        first = list(islice(_filled(sheet), FIRST_ROWS))
        if any([_text(cell) for cell in cells][: len(names)] == list(names) for _, cells in first[:-1]):
            yield rejected(0, f"sheet {sheet.title!r} has the same columns and was not read: {OWN_FILE}")


def _check(stream: io.BufferedReader) -> None:
    """Raise FileError if the archive is not a workbook, InputError if it unpacks to far more than its size."""
    size = stream.seek(0, io.SEEK_END)
    try:
        with zipfile.ZipFile(stream) as archive:
            parts = archive.infolist()
            if not any(re.fullmatch(r"xl/workbook\d*\.xml", part.filename) for part in parts):
                raise FileError(ARCHIVE if OFFICE.isdisjoint(part.filename for part in parts) else OTHER)
            check_claims(columns=0, rows=0, claimed=sum(part.file_size for part in parts), size=size)
            for part in parts:
                if part.filename.startswith("xl/worksheets/"):
                    _check_sheet(archive, part)
                elif part.file_size > WHOLE_BYTES:
                    raise InputError(
                        f"{part.filename} in it is over {WHOLE_BYTES // 1_000_000} MB: save it as CSV (UTF-8)"
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError) as error:
        raise InputError(f"the workbook is damaged or locked by a password: {error}") from error


def _check_sheet(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Raise InputError where a row of a sheet is far longer than cells can be."""
    since_row, tail = 0, b""
    with archive.open(part) as sheet:
        while piece := sheet.read(1 << 20):
            end = (tail + piece).rfind(b"row>")
            since_row = len(piece) + since_row if end < 0 else len(tail) + len(piece) - end
            tail = piece[-3:]
            if since_row > ROW_BYTES:
                raise InputError(
                    f"a row of {part.filename} is over {ROW_BYTES // 1_000_000} MB: save it as CSV (UTF-8)"
                )


def _filled(sheet: Any) -> Iterator[tuple[int, Cells]]:
    """Yield (number, cells) of each row that is not empty."""
    sheet.reset_dimensions()  # some programs write wrong ones
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        if number > MOST_ROWS:
            raise InputError(f"has more than {MOST_ROWS:,} rows, which no workbook can")
        if any(cell.value not in (None, "") for cell in cells):
            yield number, cells


def _header(rows: Sequence[Cells]) -> tuple[int, list[str]] | None:
    """Return which of the first rows names the columns, and the names: a title above them has one cell, and they have several."""
    widths = [sum(cell.value not in (None, "") for cell in cells) for cells in rows]
    if not rows:
        return None
    number = next((number for number, width in enumerate(widths) if width > 1), 0)
    names = [_text(cell) for cell in rows[number]]
    while names and not names[-1]:
        names.pop()
    check_header([name for name in names if name], "header of the sheet")
    return number, names


def _text(cell: Any) -> str:
    return "" if cell.value is None else str(cell.value).strip()


def _check_values(rows: Sequence[tuple[int, Cells]], formulas: Any) -> None:
    """Raise InputError where a formula has no value: no program has computed it since it was written."""
    last = rows[-1][0]
    formulas.reset_dimensions()
    written = dict(enumerate(islice(formulas.iter_rows(), last), start=1))
    for number, cells in rows:
        for cell, formula in zip(cells, written.get(number, ()), strict=False):
            if cell.value is None and formula.data_type == "f":
                raise InputError(
                    f"the formula in {formula.coordinate} has no value: open the file in a spreadsheet and save it"
                )


def _rows(names: Sequence[str], rows: Iterator[tuple[int, Cells]]) -> Iterator[FileRow | Rejected]:
    for number, cells in rows:
        fault = _fault(names, cells)
        if fault:
            yield rejected(number, fault, repr([cell.value for cell in cells]).encode("utf-8", "backslashreplace"))
        else:
            fields = {name: _value(cell.value) for name, cell in zip(names, cells, strict=False) if name}
            numbers = ((name, cell) for name, cell in zip(names, cells, strict=False) if name and cell.data_type == "n")
            shown = {name: _shown(cell) for name, cell in numbers if cell.value is not None and not _is_plain(cell)}
            yield FileRow(number, fields, size_of(fields), is_cells=True, is_table=True, shown=shown)


def _is_plain(cell: Any) -> bool:
    """Return whether a sheet shows a number by its digits alone."""
    return PLAIN_NUMBER.fullmatch(cell.number_format.partition(";")[0]) is not None


def _shown(cell: Any) -> str:
    """Return a share as the sheet shows it, as a percentage; "" for a number with another unit."""
    share = PERCENTAGE.fullmatch(cell.number_format.partition(";")[0])
    return f"{cell.value:.{len(share[1] or '.') - 1}%}" if share else ""


def _fault(names: Sequence[str], cells: Cells) -> str | None:
    """Return why a row cannot be read: an error in a cell, or a cell under no name."""
    for place, cell in enumerate(cells):
        if cell.value in (None, ""):
            continue
        if cell.data_type == "e":
            return f"cell {cell.coordinate} holds an error, {cell.value}"
        if place >= len(names) or not names[place]:
            return f"column {cell.column_letter} has a cell, and no name in the header: name each column, none merged"
    return None


def _value(value: object) -> object:
    if isinstance(value, str):
        return value.replace(RETURN, "\r")
    return str(value) if isinstance(value, (time, timedelta)) else value
