"""A row of a file, and a row that could not be read; and what bounds them both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# Kept of a row that cannot be read.
KEPT_BYTES = 1_000_000
# A row of traffic is some kilobytes; what is longer is no row, or a file that unpacks to fill memory.
LONGEST_ROW = 64_000_000
MOST_COLUMNS = 10_000
TOO_LONG = f"longer than {LONGEST_ROW // 1_000_000} MB"
TO_UTF8 = "convert the file, for example `iconv -f cp1252 -t utf-8 FILE > NEW`, and bring that in"
CUT_OFF = "the file may be cut off here"
NOTHING_AFTER = "nothing after it was read"


class FileRow(NamedTuple):
    """One readable row: its line (or row number) in the file, its fields as they came, and its size in bytes, about.

    `is_cells` is whether they are cells of a spreadsheet, which an export of ours may have put a quote before.
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


def rejected(line: int, reason: str, raw: bytes = b"") -> Rejected:
    """Return a row that could not be read, with the first megabyte of it."""
    return Rejected(line, reason, raw[:KEPT_BYTES])


def size_of(value: object) -> int:
    """Estimate how many bytes a value takes."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(size_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    return 8
