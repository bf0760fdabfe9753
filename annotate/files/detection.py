"""Tell what a file is from its content: the format of its rows, or why no rows can be read from it."""

from __future__ import annotations

import io
import json
import re

from annotate.files.json_lines import decode
from annotate.files.rows import LONGEST_ROW, RepeatedKey
from annotate.files.streams import MAGIC, put_back
from proxy.errors import FileError

TITLES = {
    "jsonl": "JSON Lines",
    "json": "JSON",
    "csv": "CSV",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "excel": "Excel",
}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANKS = re.compile(r"\s*").match
PEEK_BYTES = 4096
AS_TEXT = "save it as CSV (UTF-8), JSON Lines or Parquet, and bring that in"
UNPACK = "unpack it, and bring what is in it"
KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet or document of old Office (.xls)", AS_TEXT),
    (b"BZh", "compressed with bzip2", UNPACK),
    (b"\xfd7zXZ\x00", "compressed with xz", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"%PDF-", "a PDF", AS_TEXT),
    (b"SQLite format 3\x00", "an SQLite database", "export its rows as CSV or JSON Lines"),
)
PAGES = (b"<html", b"<!doctype html", b"<table", b"<?xml")
CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
FEWEST, SHARE = 8, 0.05


def detect(stream: io.BufferedReader, file_format: str = "auto") -> tuple[str, io.BufferedReader]:
    """Return the format of the rows, and the stream to read them from.

    FileError where no reader here reads such a file, whatever format was named.
    """
    head = stream.peek(PEEK_BYTES)[:PEEK_BYTES]
    known = next((name for magic, name in MAGIC if head.startswith(magic)), None)
    if known is None and (reason := _foreign(head)):
        raise FileError(reason)
    if known is not None and file_format not in ("auto", known):
        what = "an Excel workbook or another zip archive" if known == "excel" else TITLES[known]
        raise FileError(f"this is {what}, and not {TITLES[file_format]}: leave --format out")
    if file_format != "auto":
        return file_format, stream
    return (known, stream) if known else _text(stream, head)


def _text(stream: io.BufferedReader, head: bytes) -> tuple[str, io.BufferedReader]:
    """Tell JSON, JSON Lines and CSV apart."""
    match head.removeprefix(BYTE_ORDER_MARK).lstrip()[:1]:
        case b"[" | b"\x1e":  # an array, or a JSON text sequence
            return "json", stream
        case b"{" | b"":
            return _lines_or_values(stream)
        case _:
            return "csv", stream


def _lines_or_values(stream: io.BufferedReader) -> tuple[str, io.BufferedReader]:
    """Tell lines that each hold an object from objects that go over lines, or that stand together in one."""
    taken, lines = b"", list[bytes]()
    while len(lines) < 2 and (line := stream.readline(LONGEST_ROW)):
        taken += line
        lines += [text] if (text := line.removeprefix(BYTE_ORDER_MARK).strip()) else []
    first, second = [*lines, b"", b""][:2]
    is_json = len(first) + 2 >= LONGEST_ROW or (_runs_on(first) and not _is_object(second))
    return "json" if is_json else "jsonl", put_back(stream, taken)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(decode(line), dict)
    except RepeatedKey:
        return True
    except (ValueError, RecursionError):
        return False


def _runs_on(line: bytes) -> bool:
    """Return whether the line ends within a value, other than in a text, or holds several objects."""
    try:
        decode(line)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return error.doc[error.pos] == "{" and _holds_objects(error.doc, error.pos)
        return error.pos >= len(error.doc)
    except (ValueError, RecursionError):
        pass
    return False


def _holds_objects(text: str, place: int) -> bool:
    """Return whether the rest of the line is whole objects."""
    decoder = json.JSONDecoder()
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            place = BLANKS(text, place).end()  # type: ignore[union-attr]
            if not isinstance(value, dict):
                return False
    except (ValueError, RecursionError):
        return False
    return True


def _foreign(head: bytes) -> str | None:
    """Return what the file is and what to do, where its first bytes are no rows; None where it may be read."""
    for magic, kind, advice in KINDS:
        if head.startswith(magic):
            return f"this is {kind}, and no rows can be read from it; {advice}"
    if head.removeprefix(BYTE_ORDER_MARK).lstrip()[:20].lower().startswith(PAGES):
        return f"this is HTML or XML (some programs save a spreadsheet so), and no rows can be read from it; {AS_TEXT}"
    zeros = head.count(0)
    if zeros > len(head) / 3:
        order = "le" if head[1::2].count(0) > zeros / 2 else "be"
        return f"this looks like UTF-16 without a byte order mark: add --encoding utf-16-{order}"
    controls = len(head) - len(head.translate(None, CONTROL))
    if controls >= FEWEST and controls > SHARE * len(head):
        return f"this is binary content, and no rows can be read from it; {AS_TEXT}"
    return None
