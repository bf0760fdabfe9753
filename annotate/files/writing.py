"""Write rows as JSONL or CSV, by the file's ending; `-` is standard output as JSONL.

JSONL is exact. In CSV a cell that a spreadsheet would take for a formula gets a leading quote, which `from_cell` takes away
again, and a list becomes JSON.
Files are written whole or not at all, and readable by their owner only.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO

from proxy.errors import UsageError
from proxy.text.controls import as_json

# OWASP's list, with the fullwidth signs that spreadsheets read as the plain ones.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Spreadsheets pass over these when they look for a formula, and a leading quote must itself be told from ours.
_PASSED_OVER = " '\"\u00a0\u3000"


def write_rows(path: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> int:
    """Write the rows and return how many; `columns` is the order in CSV."""
    if path == "-":
        return _write(sys.stdout, ".jsonl", columns, rows)
    target = Path(path)
    if target.suffix not in (".jsonl", ".csv"):
        raise UsageError(f"{path}: name a file that ends in .jsonl or .csv")
    if not target.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {target.parent}")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            count = _write(stream, target.suffix, columns, rows)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count


def _write(stream: IO[str], suffix: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> int:
    count = 0
    writer = csv.writer(stream)
    if suffix == ".csv":
        writer.writerow(columns)
    for count, row in enumerate(rows, start=1):  # noqa: B007 (the count is the result)
        if suffix == ".csv":
            writer.writerow([_cell(row.get(name)) for name in columns])
        else:
            stream.write(_line(row))
    return count


def _line(row: Mapping[str, object]) -> str:
    """Write one JSON object; lone surrogates are kept by escaping the whole line."""
    line = as_json(row, is_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        line = as_json(row)
    return line + "\n"


def _cell(value: object) -> str:
    """Return a CSV cell that no spreadsheet runs."""
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return to_cell(text)


def to_cell(text: str) -> str:
    """Return the text with a leading quote where a spreadsheet would take it for a formula."""
    return "'" + text if _is_formula(text) else text


def from_cell(text: str) -> str:
    """Return the text of a cell that `write_rows` may have put a quote before."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    return text.lstrip(_PASSED_OVER).startswith(FORMULA_STARTS)


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a CSV file of these rows, in which no cell is a formula."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(map(_cell, columns))
    writer.writerows(map(_cell, row) for row in rows)
    return stream.getvalue().encode(errors="backslashreplace")


def write_whole(path: str, ending: str, write: Callable[[IO[bytes]], object]) -> None:
    """Have `write` fill a file that takes the place of `path` when it is done; the name must end in `ending`."""
    target = Path(path)
    if target.suffix != ending:
        raise UsageError(f"{path}: name a file that ends in {ending}")
    if not target.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {target.parent}")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            write(stream)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
