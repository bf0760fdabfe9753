"""Parquet of any shape: values as Python has them, a bad cell costs its row, a damaged file never raises."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable

import pyarrow as pa
import pytest

from annotate.files import FileRow, Rejected, read_rows
from support.files import File, good, parquet, rejected


def test_parquet_values_come_as_python_has_them(file: File) -> None:
    """Numbers, times, lists and structs keep their kind; null is None."""
    moment = dt.datetime(2026, 11, 21, 8, tzinfo=dt.UTC)
    table = pa.table(
        {
            "id": pa.array([7, None]),
            "f": pa.array([0.5, None]),
            "at": pa.array([moment, None], pa.timestamp("us", "UTC")),
            "day": pa.array([moment.date(), None]),
            "contexts": pa.array([["a", "b"], None]),
            "struct": pa.array([[{"text": "t", "score": 0.1}], None]),
        }
    )

    first, second = good(file(parquet(table)))

    assert first == {
        **{"id": 7, "f": 0.5, "at": moment, "day": moment.date()},
        **{"contexts": ["a", "b"], "struct": [{"text": "t", "score": 0.1}]},
    }
    assert set(second.values()) == {None}


def test_bytes_that_are_text_come_as_text(file: File) -> None:
    """ClickHouse and Hive write texts without saying that they are; other bytes stay."""
    cells = {"a": [b"Gr\xc3\xbc\xc3\x9fe", b"\xff"], "b": [[b"x"], None], "c": [{"text": b"y"}, None]}

    assert good(file(parquet(pa.table(cells)))) == [
        {"a": "Grüße", "b": ["x"], "c": {"text": "y"}},
        {"a": b"\xff", "b": None, "c": None},
    ]


def test_parquet_rows_are_numbered_across_batches(file: File) -> None:
    """The number is the row's place in the file, whatever the batches."""
    rows = list(read_rows(file(parquet(pa.table({"n": list(range(1, 1202))})))))

    assert [row.line for row in rows] == list(range(1, 1202))
    assert all(isinstance(row, FileRow) and row.fields["n"] == row.line for row in rows)


def test_a_parquet_cell_that_is_no_utf8_costs_only_its_row(file: File) -> None:
    """Writers that do not check leave such cells behind."""
    cells = pa.StringArray.from_buffers(3, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0"), pa.py_buffer(b"a\xffc"))

    rows = list(read_rows(file(parquet(pa.table({"a": cells})))))

    assert [type(row) for row in rows] == [FileRow, Rejected, FileRow]
    assert [row.line for row in rows] == [1, 2, 3]
    assert "UTF-8" in rows[1].reason if isinstance(rows[1], Rejected) else False


@pytest.mark.slow
def test_a_damaged_parquet_file_is_rejected_not_raised(file: File) -> None:
    """Cut anywhere, or with bytes changed anywhere, it gives rows or a reason and never an exception."""
    content = parquet(pa.table({"id": [str(n) for n in range(50)], "contexts": [["a", "b"]] * 50}))
    random_bytes = random.Random(20261121)
    damaged = [content[:threshold] for threshold in range(4, len(content), 7)]
    for _ in range(200):
        copy = bytearray(content)
        for place in random_bytes.sample(range(4, len(copy)), 3):
            copy[place] = random_bytes.randrange(256)
        damaged.append(bytes(copy))

    for each in damaged:
        for row in read_rows(file(each)):
            assert isinstance(row, FileRow) or (row.reason and row.line >= 0)
    assert len(rejected(file(content[:-10]))) == 1


def bomb(value: str, rows: int) -> bytes:
    """A file of a few kilobytes whose one long value stands in every row."""
    return parquet(
        pa.table({"question": pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value]))})
    )


@pytest.mark.slow
def test_a_long_value_that_many_rows_repeat_is_decoded_once(file: File) -> None:
    """Five megabytes in each of 2,000 rows of a batch would be ten gigabytes at once."""
    path = file(bomb("z" * 5_000_000, 2_000))
    before = pa.total_allocated_bytes()
    most = 0
    for number, row in enumerate(read_rows(path)):
        assert isinstance(row, FileRow)
        assert row.size == 5_000_000
        most = max(most, pa.total_allocated_bytes() - before)
        if number > 150:
            break
    assert most < 100_000_000


def test_a_file_that_unpacks_out_of_all_proportion_is_left_off(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read so far is kept, and the reason says what to do."""
    monkeypatch.setattr("annotate.files.tables.READ_BYTES", 10_000_000)
    monkeypatch.setattr("annotate.files.tables.READ_A_BYTE", 100)

    *rows, last = read_rows(file(bomb("z" * 100_000, 100_000)))

    assert 90 <= len(rows) <= 110
    assert isinstance(last, Rejected)
    assert "unpacks to over 100 times its size" in last.reason
    assert "JSONL" in last.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (lambda: pa.table({"n": pa.nulls(60_000_000, pa.int8())}), "claims 60,000,000 rows"),
        (lambda: pa.table(dict.fromkeys(map(str, range(60)), pa.array(["z" * 10_000_000]))), "would unpack to 0.6 GB"),
        (lambda: pa.table({f"c{n}": [1] for n in range(10_001)}), "10,001 columns"),
    ],
    ids=["rows", "bytes", "columns"],
)
def test_a_claim_out_of_all_proportion_is_refused_before_anything_is_decoded(
    file: File, table: Callable[[], pa.Table], reason: str
) -> None:
    """Rows, bytes and columns that no file of this size holds: one reason, and no memory."""
    path = file(parquet(table(), compression="zstd", use_dictionary=False, write_statistics=False))
    before = pa.default_memory_pool().max_memory()

    [row] = read_rows(path)

    assert isinstance(row, Rejected)
    assert reason in row.reason
    assert pa.default_memory_pool().max_memory() <= before + 50_000_000
