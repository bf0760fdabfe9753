"""Ask a lake in SQL: DuckDB reads the parts that the ledger lists, beside tables of the ledger itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.all_traffic import Bound, KeyRange, TrafficRows
from annotate.store.engine.sqlite import Database
from annotate.store.lake.dialect import MACROS, bound_values, lists_of, translated
from annotate.store.lake.kinds import TABLES, as_column, schema_of, view_of
from annotate.store.lake.manifest import Manifest
from annotate.store.lake.mirrors import Mirrors
from annotate.store.lake.parts import Lake
from proxy.errors import StoreError

if TYPE_CHECKING:
    import duckdb

NAMED = re.compile(r"(?:\b(?:FROM|JOIN)\s+|,\s*)(\w+)\b")
FETCHED = 10_000
DOCTOR = "a file of it is missing or damaged, or cannot be reached: `assay doctor` names it"


class LakeRows:
    """The rows of a query, with the connection that they come from."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, *, has_texts: bool) -> None:
        self._cursor = cursor
        self._has_texts = has_texts

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows."""
        while rows := self.fetchmany(FETCHED):
            yield from rows

    def fetchone(self) -> Any:
        """Return the next row; None at the end."""
        row = self._cursor.fetchone()
        return row if row is None or not self._has_texts else tuple(map(as_column, row))

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return so many of the next rows; none at the end."""
        return self._as_columns(self._cursor.fetchmany(size))

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""
        return self._as_columns(self._cursor.fetchall())

    def _as_columns(self, rows: list[Any]) -> list[Any]:
        return [tuple(map(as_column, row)) for row in rows] if self._has_texts else rows


class LakeQueries:
    """Queries over items, texts, scores, details and verdicts, each on a connection of its own."""

    def __init__(self, db: Database, lake: Lake) -> None:
        import duckdb

        self._lake = lake
        self._manifest = Manifest(db)
        self._mirrors = Mirrors(db)
        self._connection = duckdb.connect(":memory:")

    def connection(self) -> duckdb.DuckDBPyConnection:
        """Return a connection that knows no tables."""
        return self._connection.cursor()

    def execute(self, query: str, bound: Bound = (), /, *, among: KeyRange | None = None) -> TrafficRows:
        """Return the rows of a query that only reads, from the parts that hold these items, or from all."""
        return LakeRows(self._asked(query, bound, among), has_texts="texts" in query or "reason" in query)

    def numbers(self, query: str) -> NDArray[Any]:
        """Return the one column of numbers that a query asks for."""
        (column,) = self._asked(query, (), None).fetchnumpy().values()
        numbers: NDArray[Any] = np.asarray(column)
        return numbers

    def _asked(self, query: str, bound: Bound, among: KeyRange | None) -> duckdb.DuckDBPyConnection:
        """Run a query on a cursor of its own, which knows the tables that the query names."""
        cursor = self._connection.cursor()
        named = set(NAMED.findall(query))
        kinds = {"items" if table == "texts" else table for table in named & TABLES.keys()}
        for kind in kinds:
            cursor.register(f"parts_{kind}", self._dataset(kind, among))
        if "details" in named:
            cursor.register("ledger_details", self._mirrors.table("details"))
        for table in named & TABLES.keys():
            # What a judge said when it failed lies in the ledger, with the failure.
            more = " UNION SELECT * FROM ledger_details" if table == "details" else ""
            cursor.execute(f"CREATE TEMP VIEW {table} AS {view_of(table)}{more}")
        for table in named & self._mirrors.names:
            cursor.register(table, self._mirrors.table(table))
        values = bound_values(query, bound)
        lists = lists_of(bound)
        for macro in MACROS if "json_each" in query else ():
            cursor.execute(macro)
        with self._readable_errors():
            cursor.execute(translated(query, is_named=isinstance(values, dict), lists=lists), values)
        return cursor

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """Say of a part that is missing or damaged what finds it; DuckDB's own words may have the keys of an address."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            if "parts_" in str(error) and "stream" in str(error):
                raise StoreError(f"the lake {self._lake.shown} cannot be read: {DOCTOR}") from None
            raise

    def _dataset(self, kind: str, among: KeyRange | None) -> Any:
        parts = self._manifest.parts(kind)
        if among is not None:
            parts = [listed for listed in parts if listed.holds(among)]
        return self._lake.dataset([listed.part for listed in parts], schema_of(kind))
