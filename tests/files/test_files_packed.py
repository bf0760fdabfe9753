"""Compressed and wide files: what is in them comes out, and neither a cut nor a bomb does harm."""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest

from annotate.files import FileRow, Rejected, read_rows, streams
from support.files import File, arrow, good, parquet, rejected, workbook
from support.store import ROOT

ROWS = [{"id": str(n), "answer": f"Antwort {n} 駅"} for n in range(300)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def zstd(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


PACKERS = [gzip.compress, zstd]
Pack = Callable[[bytes], bytes]


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize(
    "content",
    [
        LINES,
        json.dumps(ROWS, indent=2).encode(),
        ("id,answer\n" + "".join(f"{row['id']},{row['answer']}\n" for row in ROWS)).encode(),
        parquet(pa.Table.from_pylist(ROWS)),
        arrow(pa.Table.from_pylist(ROWS)),
        workbook([["id", "answer"], *([row["id"], row["answer"]] for row in ROWS)]),
        LINES.decode().encode("utf-16"),
        gzip.compress(LINES),
    ],
    ids=["jsonl", "json", "csv", "parquet", "arrow", "excel", "utf-16", "packed twice"],
)
def test_whatever_is_compressed_is_read(file: File, pack: Pack, content: bytes) -> None:
    """The first bytes tell, and no name is needed."""
    assert good(file(pack(content))) == ROWS


@pytest.mark.parametrize("pack", PACKERS)
def test_standard_input_may_be_compressed(pack: Pack) -> None:
    """What cannot be gone back in is looked into all the same."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    for content in (LINES, json.dumps(ROWS).encode(), parquet(pa.Table.from_pylist(ROWS))):
        for sent in (pack(content), content):
            rows = list(read_rows("-", stream=io.BufferedReader(cast(io.RawIOBase, Pipe(sent)))))
            assert [row.fields for row in rows if isinstance(row, FileRow)] == ROWS


@pytest.mark.parametrize("pack", PACKERS)
def test_parts_that_were_packed_one_by_one_are_one_file(file: File, pack: Pack) -> None:
    """As logs are appended, and `cat` puts them together."""
    half = LINES.index(b"\n", len(LINES) // 2) + 1

    assert good(file(pack(LINES[:half]) + pack(LINES[half:]))) == ROWS


@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKERS)
def test_a_packed_file_that_is_cut_off_keeps_its_rows(file: File, pack: Pack) -> None:
    """What could be unpacked is read, and one row of quarantine behind it says so."""
    rng = random.Random(1)
    lines = b"".join(json.dumps({"id": rng.random(), "n": n}).encode() + b"\n" for n in range(10_000))
    packed = pack(lines)

    for share in (0.3, 0.9, 0.999):
        *rows, last = read_rows(file(packed[: int(len(packed) * share)]))
        assert [row.fields["n"] for row in rows if isinstance(row, FileRow)] == list(range(len(rows)))
        assert isinstance(last, Rejected)
        assert "is cut off" in last.reason
        assert last.line == len(rows) + 1 or (not rows and last.line == 0)
    assert len(rows) > 1_500


@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKERS)
def test_a_packed_file_with_changed_bytes_is_rejected_not_raised(file: File, pack: Pack) -> None:
    """A checksum or the format tells."""
    packed = bytearray(pack(LINES))
    for place in range(0, len(packed), 11):
        damaged = packed.copy()
        damaged[place] ^= 0xFF
        rows = _readable(file(bytes(damaged)))
        assert all(isinstance(row, FileRow) or row.reason for row in rows)


def _readable(path: str) -> list[FileRow | Rejected]:
    from proxy.errors import FileError

    try:
        return list(read_rows(path))
    except FileError:
        return []


def test_layers_have_an_end(file: File) -> None:
    """A file packed many times over is no file of traffic."""
    content = LINES
    for _ in range(5):
        content = gzip.compress(content)

    [row] = rejected(file(content))

    assert "packed more than" in row.reason


PEAK = """
import re, sys
from annotate.files import Rejected, read_rows
[row] = read_rows(sys.argv[1])
assert isinstance(row, Rejected)
print(row.reason)
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codec", "start"),
    [("gzip", b'{"a": "'), ("zstd", b'{"a": "'), ("zstd", b'[{"a": "'), ("zstd", b"a,b\n1,"), ("zstd", b'a\n"')],
)
def test_a_bomb_fills_no_memory(tmp_path: Path, codec: str, start: bytes) -> None:
    """A value of 500 megabytes in one: one reason, and a bounded part of it in memory."""
    path = tmp_path / "bomb"
    with pa.CompressedOutputStream(str(path), codec) as stream:
        stream.write(start)
        for _ in range(500):
            stream.write(b"x" * 1_000_000)
    assert path.stat().st_size < 1_000_000

    done = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True, cwd=ROOT)

    reason, peak = done.stdout.splitlines()
    assert "64 MB" in reason
    assert int(peak) < 500_000


def test_what_unpacks_without_end_is_left_off(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that repeat for ever would fill the disk."""
    monkeypatch.setattr(streams, "UNPACKED_BYTES", 100_000)
    monkeypatch.setattr(streams, "UNPACKED_A_BYTE", 10)

    *rows, last = read_rows(file(gzip.compress(b'{"a": 1}\n' * 50_000)))

    assert 10_000 < len(rows) < 20_000
    assert isinstance(last, Rejected)
    assert "10 times its size" in last.reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_text_is_read(file: File, encoding: str) -> None:
    """As spreadsheets save "Unicode text": tabs in UTF-16 with a byte order mark."""
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    text = mark + 'id\tanswer\r\n7\t"Fußweg 駅 \U0001f600"\r\n'

    assert good(file(text.encode(encoding))) == [{"id": "7", "answer": "Fußweg 駅 \U0001f600"}]


def test_a_wide_file_that_is_cut_within_a_character_costs_only_that_record(file: File) -> None:
    """What is left of it is no text."""
    rows = list(read_rows(file("a,b\n1,2\n3,x".encode("utf-16")[:-1])))

    assert [type(row) for row in rows] == [FileRow, Rejected]


def test_a_spreadsheet_may_name_its_delimiter(file: File) -> None:
    """Excel's first line `sep=;` is no header, and lines keep their numbers."""
    rows = list(read_rows(file("sep=;\r\na;b,c\r\n1;2\r\n")))

    assert rows == [FileRow(3, {"a": "1", "b,c": "2"}, 2, is_cells=True, is_table=True)]


def test_signs_in_quoted_names_separate_nothing(file: File) -> None:
    """A header of long titles with commas in it."""
    assert good(file('"a, b, c";"d"\n1;2\n')) == [{"a, b, c": "1", "d": "2"}]


def test_ten_thousand_columns_are_read_and_more_are_not(file: File) -> None:
    """In any format there is an end."""
    for count in (10_000, 10_001):
        names = [f"c{n}" for n in range(count)]
        [row] = read_rows(file(",".join(names) + "\n" + ",".join(["x"] * count) + "\n"))
        assert isinstance(row, FileRow) == (count == 10_000)
