"""Read the rows of a file one at a time; what cannot be read becomes Rejected, and the rest goes on.

The format is told by the content: Parquet's magic bytes, `{` for JSONL, anything else is CSV with a header line. `-` is
standard input. Memory holds one row (one row group for Parquet), whatever the size of the file.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple, cast

from annotate.files.parquet import parquet_rows, size_of
from proxy.errors import FileError, InputError, UsageError

FORMATS = ("auto", "jsonl", "csv", "parquet")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PARQUET_MAGIC = b"PAR1"
PEEK_BYTES = 4096
KEPT_BYTES = 1_000_000
# Made once: `json.loads` with an option makes a decoder for each call. NaN and Infinity become text.
DECODE = json.JSONDecoder(parse_constant=str).decode
UNDECODED = re.compile("[\udc80-\udcff]")
OPEN_QUOTE = "a quote opens in this record and is not closed"
AS_TEXT = "save it as CSV (UTF-8), JSON Lines or Parquet, and bring that in"
UNPACK = "unpack it, and bring what is in it"
KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a spreadsheet (.xlsx, .ods) or another zip archive", AS_TEXT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet or document of old Office (.xls)", AS_TEXT),
    (b"\xff\xfe", 'text in UTF-16 ("Unicode text" of a spreadsheet)', AS_TEXT),
    (b"\xfe\xff", 'text in UTF-16 ("Unicode text" of a spreadsheet)', AS_TEXT),
    (b"\x1f\x8b", "compressed with gzip", "unpack it (`gunzip`), or pipe it in: `zcat FILE | assay … -`"),
    (b"BZh", "compressed with bzip2", UNPACK),
    (b"\xfd7zXZ\x00", "compressed with xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"%PDF-", "a PDF", AS_TEXT),
    (b"SQLite format 3\x00", "an SQLite database", "export its rows as CSV or JSON Lines"),
    (b"ARROW1", "an Arrow file", "write it as Parquet, and bring that in"),
)
PAGES = (b"<html", b"<!doctype html", b"<table", b"<?xml")
CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
FEWEST, SHARE = 8, 0.05


class FileRow(NamedTuple):
    """One readable row: its line (or row number) in the file, its fields as they came, and its size in bytes, about.

    `is_cells` is whether they are cells of a CSV, which an export of ours may have put a quote before.
    """

    line: int
    fields: Mapping[str, object]
    size: int
    is_cells: bool = False


class Rejected(NamedTuple):
    """Data that could not be read: where, why, and the bytes themselves (the first megabyte)."""

    line: int
    reason: str
    raw: bytes


def digest(path: str) -> str | None:
    """Return a digest of a file's content, to tell it from any other; None for standard input, which can be read only once."""
    if path == "-" or not Path(path).is_file():
        return None
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_rows(
    path: str, file_format: str = "auto", stream: io.BufferedReader | None = None, column: str | None = None
) -> Iterator[FileRow | Rejected]:
    """Yield the rows of a file in order; from `stream` where it is open already. With `column` they need hold no other one.

    Raises FileError where the file is of a kind that no reader here reads, such as a spreadsheet.
    """
    if stream is not None or path == "-":
        yield from _rows(path, stream or cast(io.BufferedReader, sys.stdin.buffer), file_format, column)
        return
    try:
        with Path(path).open("rb") as opened:
            yield from _rows(path, opened, file_format, column)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _rows(path: str, stream: io.BufferedReader, file_format: str, column: str | None) -> Iterator[FileRow | Rejected]:
    """Yield the rows; a fault that makes the whole file unreadable is one Rejected at line 0."""
    head = stream.peek(PEEK_BYTES)[:PEEK_BYTES]
    if reason := foreign(head):
        raise FileError(f"{'standard input' if path == '-' else path}: {reason}")
    try:
        match _detect(head) if file_format == "auto" else file_format:
            case "jsonl":
                yield from _jsonl(stream, column)
            case "parquet":
                yield from _parquet(stream, column)
            case _:
                yield from _csv(stream)
    except InputError as error:
        yield _rejected(0, str(error), b"")


def _detect(head: bytes) -> str:
    """Return the format that the first bytes announce."""
    if head.startswith(PARQUET_MAGIC):
        return "parquet"
    first = head.removeprefix(BYTE_ORDER_MARK).lstrip()[:1]
    if first == b"[":
        raise InputError("the file is one JSON array: give one object a line (for example with `jq -c '.[]'`)")
    return "jsonl" if first in (b"{", b"") else "csv"


def _jsonl(stream: IO[bytes], column: str | None) -> Iterator[FileRow | Rejected]:
    """Read one JSON object a line; an unreadable line costs only itself."""
    only = _only(column) if column and column.isascii() else None
    for number, line in enumerate(stream, start=1):
        data = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if data.isspace() or not data:
            continue
        fields = only(data) if only else None
        yield _json_row(number, data) if fields is None else FileRow(number, fields, 0)


def _only(column: str) -> Callable[[bytes], dict[str, object] | None]:
    """Return a reader of this column of a line alone, in a tenth of the time; it gives None where the line must be parsed."""
    key = json.dumps(column).encode()
    value = re.compile(re.escape(key) + rb'\s*:\s*"([^"\\\x80-\xff]+)"').match
    first = re.compile(rb"\s*\{\s*").match

    def read(data: bytes) -> dict[str, object] | None:
        place = data.find(key)
        if place < 0:
            return {}
        start = first(data)
        is_first = start is not None and start.end() == place
        # A key that comes once is the row's own, or there is none: whoever asks looks at what repeats again.
        match = value(data, place) if is_first or data.find(key, place + 1) < 0 else None
        return {column: match[1].decode()} if match else None

    return read


def _json_row(number: int, line: bytes) -> FileRow | Rejected:
    try:
        fields = DECODE(line.decode())
    except UnicodeDecodeError as error:
        return _rejected(number, f"invalid UTF-8 at byte {error.start} of the line", line)
    except json.JSONDecodeError as error:
        threshold = "" if line.endswith(b"\n") else " (the file may be cut off here)"
        what = error.msg.removesuffix(" at")
        return _rejected(number, f"not valid JSON: {what} at character {error.pos}{threshold}", line)
    except RecursionError:
        return _rejected(number, "nested too deeply", line)
    except ValueError as error:
        return _rejected(number, f"not valid JSON: {error}", line)
    if not isinstance(fields, dict):
        return _rejected(number, f"expected a JSON object, found {type(fields).__name__}", line)
    return FileRow(number, fields, len(line))


def _csv(stream: io.BufferedReader) -> Iterator[FileRow | Rejected]:
    """Read a header line, then one record each; a cell with bytes that are no UTF-8 costs only its record."""
    csv.field_size_limit(sys.maxsize)
    delimiter = _delimiter(stream.peek(PEEK_BYTES)[:PEEK_BYTES])
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield from _csv_rows(_Lines(text), delimiter)
    finally:
        text.detach()


def _delimiter(head: bytes) -> str:
    """Return the delimiter of the header's columns: a comma, or the semicolon or tab of other spreadsheets."""
    header = head.lstrip().split(b"\n")[0]
    return max(",;\t", key=lambda sign: header.count(sign.encode()))


def _csv_rows(lines: _Lines, delimiter: str) -> Iterator[FileRow | Rejected]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        line, lines.taken = reader.line_num + 1, []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = OPEN_QUOTE if str(error) == "unexpected end of data" else str(error)
            if header is None:
                raise InputError(f"no CSV: {reason}, in the header") from error
            yield _rejected(line, f"no CSV: {reason}", lines.raw())
            continue
        if header is None:
            header = _header(cells) if cells else None
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
        """Return the bytes of the current record."""
        return "".join(self.taken).encode("utf-8", "surrogateescape")


def _header(cells: list[str]) -> list[str]:
    """Return the column names, which must be there and differ."""
    names = [cell.strip() for cell in cells]
    if any(UNDECODED.search(name) for name in names):
        raise InputError("the CSV header is no UTF-8 text: save the file as UTF-8")
    if len(set(names)) < len(names) or not any(names):
        raise InputError(f"the CSV header must name its columns, each once; found {', '.join(names) or 'nothing'}")
    return names


def _csv_row(line: int, header: list[str], cells: list[str], lines: _Lines) -> FileRow | Rejected:
    if len(cells) != len(header):
        return _rejected(line, f"{len(cells)} cells where the header has {len(header)} columns", lines.raw())
    for name, cell in zip(header, cells, strict=True):
        if not cell.isascii() and UNDECODED.search(cell):
            return _rejected(line, f"invalid UTF-8 in column {name}", lines.raw())
    return FileRow(line, dict(zip(header, cells, strict=True)), sum(map(len, cells)), is_cells=True)


def _parquet(stream: IO[bytes], column: str | None) -> Iterator[FileRow | Rejected]:
    """Read the rows of a Parquet file; a cell that cannot be a Python value costs only its row."""
    for number, read in parquet_rows(stream, column):
        try:
            fields = read()
        except UnicodeDecodeError:
            yield _rejected(number, "invalid UTF-8 in a cell", b"")
        except (ValueError, OverflowError, IndexError) as error:
            yield _rejected(number, f"a cell cannot be read: {error}", b"")
        else:
            yield FileRow(number, fields, size_of(fields))


def _rejected(line: int, reason: str, raw: bytes) -> Rejected:
    return Rejected(line, reason, raw[:KEPT_BYTES])


def foreign(head: bytes) -> str | None:
    """Return what the file is and what to do, where its first bytes are no rows; None where it may be read."""
    for magic, kind, advice in KINDS:
        if head.startswith(magic):
            return f"this is {kind}, and no rows can be read from it; {advice}"
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower().startswith(PAGES):
        return f"this is HTML or XML (some programs save a spreadsheet so), and no rows can be read from it; {AS_TEXT}"
    controls = len(head) - len(head.translate(None, CONTROL))
    if not head.startswith(b"PAR1") and controls >= FEWEST and controls > SHARE * len(head):
        return f"this is binary content, and no rows can be read from it; {AS_TEXT}"
    return None
