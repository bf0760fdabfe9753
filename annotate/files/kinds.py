"""Recognise files that hold no rows (spreadsheets, archives, documents) by their first bytes."""

from __future__ import annotations

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
