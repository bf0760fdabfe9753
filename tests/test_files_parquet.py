"""Parquet of any shape: values as Python has them, a bad cell costs its row, a damaged file never raises."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest

from annotate.files import Rejected, Row, read_rows
from fixtures_files import File, good, parquet, rejected


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


def test_parquet_rows_are_numbered_across_batches(file: File) -> None:
    """The number is the row's place in the file, whatever the batches."""
    rows = list(read_rows(file(parquet(pa.table({"n": list(range(1, 1202))})))))

    assert [row.line for row in rows] == list(range(1, 1202))
    assert all(isinstance(row, Row) and row.fields["n"] == row.line for row in rows)


def test_a_parquet_cell_that_is_no_utf8_costs_only_its_row(file: File) -> None:
    """Writers that do not check leave such cells behind."""
    cells = pa.StringArray.from_buffers(3, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0"), pa.py_buffer(b"a\xffc"))

    rows = list(read_rows(file(parquet(pa.table({"a": cells})))))

    assert [type(row) for row in rows] == [Row, Rejected, Row]
    assert [row.line for row in rows] == [1, 2, 3]
    assert "UTF-8" in rows[1].reason if isinstance(rows[1], Rejected) else False


@pytest.mark.slow
def test_a_damaged_parquet_file_is_rejected_not_raised(file: File) -> None:
    """Cut anywhere, or with bytes changed anywhere, it gives rows or a reason and never an exception."""
    content = parquet(pa.table({"id": [str(n) for n in range(50)], "contexts": [["a", "b"]] * 50}))
    random_bytes = random.Random(20261121)
    damaged = [content[:cut] for cut in range(4, len(content), 7)]
    for _ in range(200):
        copy = bytearray(content)
        for place in random_bytes.sample(range(4, len(copy)), 3):
            copy[place] = random_bytes.randrange(256)
        damaged.append(bytes(copy))

    for each in damaged:
        for row in read_rows(file(each)):
            assert isinstance(row, Row) or (row.reason and row.line >= 0)
    assert len(rejected(file(content[:-10]))) == 1
