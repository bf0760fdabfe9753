"""DuckDB counts over parts, in a folder and on S3, through pyarrow's dataset: it needs no key and no extension of its own."""

from __future__ import annotations

import pyarrow as pa
import pytest

from annotate.store.lake.parts import Lake
from support.lake import DAY, content, flipped, overwrite, rows

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'assay[lake]'")
SCHEMA = pa.schema([*rows(0).schema, ("language", pa.string())])


def test_filters_and_totals_over_parts(lake: Lake) -> None:
    """Of all parts that are given, those without a later column among them."""
    old = [lake.write(rows(3000, first=first), "items", DAY) for first in (0, 3000)]
    new = lake.write(rows(10, first=6000).append_column("language", [["ko"] * 10]), "items", [("date", "2026-11-21")])
    with duckdb.connect() as connection:
        connection.register("items", lake.dataset([*old, new], SCHEMA))

        totals = "SELECT count(*), count(value), sum(key), count(language) FROM items"
        assert connection.sql(totals).fetchall() == [(6010, 4808, sum(range(6010)), 10)]
        some = "SELECT key FROM items WHERE key BETWEEN 2998 AND 3001 AND value IS NOT NULL AND text LIKE '%답변%' ORDER BY 1"
        assert connection.sql(some).fetchall() == [(2998,), (2999,), (3001,)]
        groups = "SELECT language, count(*), max(len(passages)) FROM items GROUP BY 1 ORDER BY 2"
        assert connection.sql(groups).fetchall() == [("ko", 10, 2), (None, 6000, 2)]

        connection.register("none", lake.dataset([], SCHEMA))
        assert connection.sql("SELECT count(*), sum(key) FROM none").fetchall() == [(0, None)]


def test_a_damaged_or_missing_part_is_never_counted(lake: Lake) -> None:
    """The query fails; `check` then names the part."""
    part = lake.write(pa.table({"key": pa.array(range(10_000), pa.int64())}), "items", DAY)
    whole = content(lake, part.path)
    overwrite(lake, part, flipped(whole, len(whole) // 3))
    with duckdb.connect() as connection:
        connection.register("items", lake.dataset([part], pa.schema([("key", pa.int64())])))
        for _ in range(2):
            with pytest.raises((OSError, duckdb.Error)):
                connection.sql("SELECT sum(key) FROM items").fetchall()
            lake.remove(part)
