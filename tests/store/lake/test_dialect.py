"""What SQLite says of metadata with half characters, DuckDB says too, though it calls such JSON malformed."""

from __future__ import annotations

import json
import sqlite3

import pytest

from annotate.store.lake.dialect import translated
from annotate.store.traffic.partitions import _name_of, _source

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'assay[lake]'")
VALUES = ("plain", "병동 é", 4, 0.5, None, "whole \U0001f600", "half \ud800 of it")


def test_own_fields_read_the_same_in_both() -> None:
    """Half characters are replaced; a pair that is whole, a number and what is absent stay as they are."""
    rows = [(json.dumps({"ward": value}),) for value in VALUES]
    query = f"SELECT {_source('metadata.ward')[0]} FROM texts t"
    named = []
    with sqlite3.connect(":memory:") as small, duckdb.connect() as large:
        for database, asked in ((small, query), (large, translated(query, is_named=False, lists="json_each"))):
            database.execute("CREATE TABLE texts (metadata VARCHAR)")
            database.executemany("INSERT INTO texts VALUES (?)", rows)
            named.append([_name_of(value) for (value,) in database.execute(asked).fetchall()])

    assert named[0] == ["plain", "병동 é", "4", "0.5", None, "whole \U0001f600", "half \ufffd of it"]
    assert named[1] == named[0]
