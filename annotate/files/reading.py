"""Read the rows of a file one at a time; what cannot be read becomes Rejected, and the rest goes on.

The content tells the format, within any compression (see detection.py and streams.py). `-` is standard input. Memory holds
some rows, whatever the size of the file.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from annotate.files.arrow import arrow_rows
from annotate.files.delimited import csv_rows
from annotate.files.detection import detect
from annotate.files.encodings import AUTO, GuessedEncoding, guess_encoding
from annotate.files.json_lines import json_lines
from annotate.files.json_values import json_values
from annotate.files.parquet import parquet_rows
from annotate.files.rows import FileRow, Rejected, rejected
from annotate.files.streams import plain, seekable
from proxy.errors import FileError, InputError, UsageError

TEXTS = ("jsonl", "json", "csv")
BUFFER_BYTES = 1 << 18  # with the usual 8 KB every row of traffic is read in two pieces
Rows = Iterator[FileRow | Rejected]


def digest(path: str) -> str | None:
    """Return a digest of a file's content, to tell it from any other; None for standard input, which can be read only once."""
    if path == "-" or not Path(path).is_file():
        return None
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_rows(
    path: str,
    file_format: str = "auto",
    stream: io.BufferedReader | None = None,
    column: str | None = None,
    partition: Mapping[str, str] | None = None,
    encoding: str = AUTO,
) -> Rows:
    """Yield the rows of a file in order.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    file_format
        jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
    stream
        The file, where it is open already.
    column
        The only column that rows need hold.
    partition
        Columns that the names of folders give, which rows have where they bring none of that name.
    encoding
        Of a text; auto goes by a byte order mark, else it is UTF-8.

    Raises
    ------
    FileError
        Where the file is of a kind that no reader here reads, such as a PDF.
    """
    rows = _rows(path, stream, file_format, column, encoding)
    return _with(partition, rows) if partition else rows


def detected(path: str) -> str:
    """Return the format of a file; FileError where no reader here reads it, InputError where it cannot be unpacked."""
    with _opened(path, None) as stream:
        return detect(plain(stream))[0]


def guessed_encoding(path: str, stream: io.BufferedReader | None = None) -> GuessedEncoding | None:
    """Return the encoding of a file of text that is surely not UTF-8, and surely another; None for any other file.

    What cannot be read as text says so when its rows are read.
    """
    try:
        with _opened(path, stream) as opened:
            file_format, text = detect(plain(opened))
            return guess_encoding(text) if file_format in TEXTS else None
    except (InputError, FileError):
        return None


@contextmanager
def _opened(path: str, stream: io.BufferedReader | None) -> Iterator[io.BufferedReader]:
    if stream is not None or path == "-":
        yield stream or cast(io.BufferedReader, sys.stdin.buffer)
        return
    try:
        with Path(path).open("rb", buffering=BUFFER_BYTES) as opened:
            yield cast(io.BufferedReader, opened)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _rows(path: str, given: io.BufferedReader | None, file_format: str, column: str | None, encoding: str) -> Rows:
    """Yield the rows; a fault that ends the reading is Rejected behind the last row, at line 0 where there is none."""
    line = 0
    with _opened(path, given) as stream:
        try:
            for row in _formatted(*detect(plain(stream, encoding), file_format), column):
                line = row.line + 1
                yield row
        except InputError as error:
            yield rejected(line, str(error))
        except FileError as error:
            raise FileError(f"{'standard input' if path == '-' else path}: {error}") from error


def _formatted(file_format: str, stream: io.BufferedReader, column: str | None) -> Rows:
    match file_format:
        case "jsonl":
            yield from json_lines(stream, column)
        case "json":
            yield from json_values(stream)
        case "csv":
            yield from csv_rows(stream)
        case "parquet":
            with seekable(stream) as table:
                yield from parquet_rows(table, column)
        case "arrow":
            with seekable(stream) as table:
                yield from arrow_rows(table)
        case _:
            from annotate.files.excel import excel_rows

            with seekable(stream) as table:
                yield from excel_rows(table)


def _with(partition: Mapping[str, str], rows: Rows) -> Rows:
    for row in rows:
        yield row._replace(fields={**partition, **row.fields}) if isinstance(row, FileRow) else row
