"""Files made and read by the tests of files."""

from __future__ import annotations

import io
from collections.abc import Callable

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


def good(path: str) -> list[dict[str, object]]:
    """The fields of every row, none of which may be rejected."""
    rows = list(read_rows(path))
    assert all(isinstance(row, FileRow) for row in rows), rows
    return [dict(row.fields) for row in rows if isinstance(row, FileRow)]


def rejected(path: str) -> list[Rejected]:
    """What was rejected."""
    return [row for row in read_rows(path) if isinstance(row, Rejected)]
