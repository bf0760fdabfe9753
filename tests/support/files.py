"""Files made and read by the tests of files."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from annotate.files import FileRow, Rejected, read_rows

File = Callable[[bytes | str], str]
BOM = b"\xef\xbb\xbf"


def parquet(table: pa.Table, **how: str | bool) -> bytes:
    """The table as a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **how)
    return sink.getvalue()


def arrow(table: pa.Table, kind: str = "file", compression: str | None = None) -> bytes:
    """The table as an Arrow file or stream."""
    sink = io.BytesIO()
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def workbook(*sheets: Sequence[Sequence[object]], merged: Sequence[str] = ()) -> bytes:
    """A workbook with these sheets, as openpyxl writes it: formulas without values."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                sheet.cell(number, column, value)
                if isinstance(value, str) and value.startswith("=") and " " in value:
                    sheet.cell(number, column).data_type = "s"
        for cells in merged:
            sheet.merge_cells(cells)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def good(path: str) -> list[dict[str, object]]:
    """The fields of every row, none of which may be rejected."""
    rows = list(read_rows(path))
    assert all(isinstance(row, FileRow) for row in rows), rows
    return [dict(row.fields) for row in rows if isinstance(row, FileRow)]


def rejected(path: str) -> list[Rejected]:
    """What was rejected."""
    return [row for row in read_rows(path) if isinstance(row, Rejected)]
