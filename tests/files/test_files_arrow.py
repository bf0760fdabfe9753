"""Arrow of any shape: the same rows as Parquet, damaged files never raise, and claims are checked before memory is taken."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest

from annotate.files import FileRow, Rejected, read_rows
from support.files import File, arrow, good, rejected

MOMENT = dt.datetime(2026, 11, 21, 8, tzinfo=dt.UTC)
TABLE = pa.table(
    {
        "id": pa.array([7, None]),
        "at": pa.array([MOMENT, None], pa.timestamp("us", "UTC")),
        "contexts": pa.array([[{"text": "t", "score": 0.1}], None]),
        "system": pa.array(["a", "a"]).dictionary_encode(),
    }
)


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_files_and_streams_give_values_as_python_has_them(file: File, kind: str, compression: str | None) -> None:
    """With dictionaries and compressed buffers too."""
    first, second = good(file(arrow(TABLE, kind, compression)))

    assert first == {"id": 7, "at": MOMENT, "contexts": [{"text": "t", "score": 0.1}], "system": "a"}
    assert second == {"id": None, "at": None, "contexts": None, "system": "a"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_a_damaged_arrow_file_is_rejected_not_raised(file: File, kind: str, compression: str | None) -> None:
    """Cut anywhere, or with bytes changed anywhere, it gives rows or a reason."""
    content = arrow(pa.table({"id": [str(n) for n in range(50)], "contexts": [["a", "b"]] * 50}), kind, compression)
    rng = random.Random(20261121)
    damaged = [content[:cut] for cut in range(9, len(content), 13)]
    for _ in range(200):
        copy = bytearray(content)
        for place in rng.sample(range(8, len(copy)), 3):
            copy[place] = rng.randrange(256)
        damaged.append(bytes(copy))

    for each in damaged:
        for row in read_rows(file(each)):
            assert isinstance(row, FileRow) or (row.reason and row.line >= 0)
    assert len(rejected(file(content[: len(content) // 2]))) == 1


@pytest.mark.slow
def test_a_claim_out_of_all_proportion_is_refused_before_anything_is_decoded(file: File) -> None:
    """Gigabytes in compressed buffers, and rows of nothing."""
    before = pa.default_memory_pool().max_memory()
    bombs = {
        "would unpack to": pa.table(dict.fromkeys(map(str, range(60)), pa.array(["z" * 10_000_000]))),
        "claims 60,000,000 rows": pa.table({"n": pa.nulls(60_000_000)}),
    }
    contents = {reason: arrow(table, "stream", "zstd") for reason, table in bombs.items()}
    del bombs
    before = max(before, pa.total_allocated_bytes())

    for reason, content in contents.items():
        [row] = read_rows(file(content))
        assert isinstance(row, Rejected)
        assert reason in row.reason
        assert pa.total_allocated_bytes() < before + 50_000_000
