"""A file in, its rows out, one at a time: what cannot be read comes out as Rejected, and the rest goes on.

The format is told by the content: Parquet's magic bytes, `{` for JSONL, anything else is CSV with a header line. `-` is
standard input. Memory holds one row (one row group for Parquet), whatever the size of the file.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from proxy.errors import InputError, UsageError

FORMATS = ("auto", "jsonl", "csv", "parquet")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PARQUET_MAGIC = b"PAR1"
PEEK_BYTES = 4096
KEPT_BYTES = 1_000_000
UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Row:
    """One readable row: its line (or row number) in the file, and its fields as they came."""

    line: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Rejected:
    """What could not be read: where, why, and the bytes themselves (the first megabyte)."""

    line: int
    reason: str
    raw: bytes


def read_rows(path: str, file_format: str = "auto") -> Iterator[Row | Rejected]:
    """The rows of a file in order."""
    if path == "-":
        yield from _rows(cast(io.BufferedReader, sys.stdin.buffer), file_format)
        return
    try:
        with Path(path).open("rb") as stream:
            yield from _rows(stream, file_format)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _rows(stream: io.BufferedReader, file_format: str) -> Iterator[Row | Rejected]:
    """The rows; a fault that makes the whole file unreadable is one Rejected at line 0."""
    try:
        found = _detect(stream.peek(PEEK_BYTES)[:PEEK_BYTES]) if file_format == "auto" else file_format
        yield from {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[found](stream)
    except InputError as error:
        yield _rejected(0, str(error), b"")


def _detect(head: bytes) -> str:
    """The format that the first bytes announce."""
    if head.startswith(PARQUET_MAGIC):
        return "parquet"
    first = head.removeprefix(BYTE_ORDER_MARK).lstrip()[:1]
    if first == b"[":
        raise InputError("the file is one JSON array: give one object a line (for example with `jq -c '.[]'`)")
    return "jsonl" if first in (b"{", b"") else "csv"


def _jsonl(stream: IO[bytes]) -> Iterator[Row | Rejected]:
    """One JSON object a line; an unreadable line costs only itself."""
    for number, line in enumerate(stream, start=1):
        data = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if data.isspace() or not data:
            continue
        yield _json_row(number, data)


def _json_row(number: int, line: bytes) -> Row | Rejected:
    try:
        fields = json.loads(line.decode(), parse_constant=str)
    except UnicodeDecodeError as error:
        return _rejected(number, f"invalid UTF-8 at byte {error.start} of the line", line)
    except json.JSONDecodeError as error:
        cut = "" if line.endswith(b"\n") else " (the file may be cut off here)"
        return _rejected(number, f"no JSON: {error.msg} at character {error.pos}{cut}", line)
    except RecursionError:
        return _rejected(number, "nested too deeply", line)
    except ValueError as error:
        return _rejected(number, f"no JSON: {error}", line)
    if not isinstance(fields, dict):
        return _rejected(number, f"expected a JSON object, found {type(fields).__name__}", line)
    return Row(number, fields)


def _csv(stream: IO[bytes]) -> Iterator[Row | Rejected]:
    """A header line, then one record each; a cell with bytes that are no UTF-8 costs only its record."""
    csv.field_size_limit(sys.maxsize)
    lines = _Lines(io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline=""))
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None
    while True:
        line, lines.taken = reader.line_num + 1, []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield _rejected(line, f"no CSV: {error}", lines.raw())
            continue
        if header is None:
            header = _header(cells)
        elif cells:
            yield _csv_row(line, header, cells, lines)


class _Lines:
    """Lines of text that remembers those of the record being read, so that a bad one can be kept as it came."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.taken: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._stream)
        self.taken.append(line)
        return line

    def raw(self) -> bytes:
        """The bytes of the current record."""
        return "".join(self.taken).encode("utf-8", "surrogateescape")


def _header(cells: list[str]) -> list[str]:
    """The column names, which must be there and differ."""
    names = [cell.strip() for cell in cells]
    if len(set(names)) < len(names) or not any(names):
        raise InputError(f"the CSV header must name its columns, each once; found {', '.join(names) or 'nothing'}")
    return names


def _csv_row(line: int, header: list[str], cells: list[str], lines: _Lines) -> Row | Rejected:
    if len(cells) != len(header):
        return _rejected(line, f"{len(cells)} cells where the header has {len(header)} columns", lines.raw())
    for name, cell in zip(header, cells, strict=True):
        if not cell.isascii() and UNDECODED.search(cell):
            return _rejected(line, f"invalid UTF-8 in column {name}", lines.raw())
    return Row(line, dict(zip(header, cells, strict=True)))


def _parquet(stream: IO[bytes]) -> Iterator[Row | Rejected]:
    """Rows of a Parquet file in batches, so that a large row group is never whole in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(stream)
        number = 0
        for batch in table.iter_batches(batch_size=500):
            for fields in batch.to_pylist():
                number += 1
                yield Row(number, fields)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {str(error).splitlines()[0]}") from error


def _rejected(line: int, reason: str, raw: bytes) -> Rejected:
    return Rejected(line, reason, raw[:KEPT_BYTES])
