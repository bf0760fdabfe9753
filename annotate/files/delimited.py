"""Read CSV with any usual delimiter: a header line, then one record each."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import IO

from annotate.files.rows import (
    LONGEST_ROW,
    MOST_COLUMNS,
    NAME_ENCODING,
    NOTHING_AFTER,
    TOO_LONG,
    FileRow,
    Rejected,
    rejected,
)
from proxy.errors import InputError

PEEK_BYTES = 4096
DELIMITERS = ",;\t|"
UNDECODED = re.compile("[\udc80-\udcff]")
QUOTED = re.compile(rb'"[^"]*"')
# By which spreadsheets are told the delimiter.
NAMED = re.compile(rb"(?:\xef\xbb\xbf)?\"?sep=(.)\"?\r?\n", re.IGNORECASE)
# promptfoo writes these behind the answers of each provider.
REPEATED = frozenset(("Status", "Score", "Named Scores", "Grader Reason", "Comment"))
# A byte order mark stands within where files were put together.
BLANKS = " \t\ufeff"
EACH_ONCE = "the {} must name its columns, each once; found {}"
DIFFERENT = "two columns of one name differ"
OPEN_QUOTE = "a quote opens in this record and is not closed"


def csv_rows(stream: io.BufferedReader) -> Iterator[FileRow | Rejected]:
    """Yield the records; a cell with bytes that are no UTF-8 costs only its record."""
    csv.field_size_limit(sys.maxsize)
    named = NAMED.match(stream.peek(PEEK_BYTES)[:PEEK_BYTES])
    if named:
        stream.read(named.end())
    delimiter = named[1].decode("latin-1") if named else _delimiter(stream.peek(PEEK_BYTES)[:PEEK_BYTES])
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield from _rows(_Lines(text, passed=bool(named)), delimiter)
    finally:
        text.detach()


def _delimiter(head: bytes) -> str:
    """Return the delimiter of the header's columns: a comma, or the sign of other spreadsheets and of databases."""
    header = QUOTED.sub(b"", head.lstrip()).split(b"\n")[0]
    return max(DELIMITERS, key=lambda sign: header.count(sign.encode()))


def _rows(lines: _Lines, delimiter: str) -> Iterator[FileRow | Rejected]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    number = 0
    while True:
        line = lines.start()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = OPEN_QUOTE if str(error) == "unexpected end of data" else str(error)
            if header is None:
                raise InputError(f"no CSV: {reason}, in the header") from error
            yield rejected(line, f"no CSV: {reason}", lines.raw())
            continue
        except InputError as error:
            if header is None:
                raise
            yield rejected(line, str(error), lines.raw())
            return
        if header is None:
            header = _header(cells) if cells else None
        elif cells and not _is_header(cells, header):
            row = _row(line, header, cells, lines)
            if number == 0 and isinstance(row, Rejected) and row.reason == DIFFERENT:
                raise InputError(EACH_ONCE.format("CSV header", ", ".join(header)))
            yield row
            number += 1


class _Lines:
    """Lines of text that remembers those of the record being read, so that a bad one can be kept as it came."""

    def __init__(self, stream: IO[str], *, passed: int) -> None:
        self._stream = stream
        self._taken: list[str] = []
        self._size = 0
        self._number = passed

    def start(self) -> int:
        """Begin a record, and return the number of its first line."""
        self._taken, self._size = [], 0
        return self._number + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._stream.readline(LONGEST_ROW)
        if not line:
            raise StopIteration
        self._number += 1
        self._taken.append(line)
        self._size += len(line)
        if self._size >= LONGEST_ROW:
            raise InputError(f"no CSV: a record {TOO_LONG}, where a quote may be open; {NOTHING_AFTER}")
        return line

    def raw(self) -> bytes:
        """Return the bytes of the current record."""
        return "".join(self._taken).encode("utf-8", "surrogateescape")


def _header(cells: list[str]) -> list[str]:
    """Return the column names. One may stand there twice, as where a frame's index is one of its columns too."""
    names = [cell.strip() for cell in cells]
    if any(names) and names.count("") > 1:  # as spreadsheets write columns that were emptied
        names = [name or f"column {place}" for place, name in enumerate(names, start=1)]
    times = Counter(names)
    if (repeated := {name for name in times if times[name] > 1}) and repeated <= REPEATED:
        names = [_numbered(name, names[: place + 1].count(name)) for place, name in enumerate(names)]
    if any(UNDECODED.search(name) for name in names):
        raise InputError(f"the CSV header is no UTF-8 text: {NAME_ENCODING}")
    check_header(list(dict.fromkeys(names)), "CSV header")
    return names


def _is_header(cells: list[str], header: list[str]) -> bool:
    """Return whether a record names the columns again, as where files were put together."""
    return len(header) > 1 and [cell.strip(BLANKS) for cell in cells] == header


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} {number}"


def check_header(names: list[str], what: str) -> None:
    """Raise InputError unless the names are there and differ."""
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"has {len(names):,} columns, and at most {MOST_COLUMNS:,} are read: leave out what is not needed"
        )
    if len(set(names)) < len(names) or not any(names):
        raise InputError(EACH_ONCE.format(what, ", ".join(names) or "nothing"))


def _row(line: int, header: list[str], cells: list[str], lines: _Lines) -> FileRow | Rejected:
    if len(cells) != len(header):
        return rejected(line, f"{len(cells)} cells where the header has {len(header)} columns", lines.raw())
    for name, cell in zip(header, cells, strict=True):
        if not cell.isascii() and UNDECODED.search(cell):
            return rejected(line, f"invalid UTF-8 in column {name}: {NAME_ENCODING}", lines.raw())
    fields = dict(zip(header, cells, strict=True))
    if len(fields) < len(header) and any(fields[name] != cell for name, cell in zip(header, cells, strict=True)):
        return rejected(line, DIFFERENT, lines.raw())
    return FileRow(line, fields, sum(map(len, cells)), is_cells=True, is_table=True)
