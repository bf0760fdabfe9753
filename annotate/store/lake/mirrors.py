"""Tables of the ledger as DuckDB reads them beside the lake: small ones, copied when they are asked for and have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.store.engine.sqlite import Database
from annotate.store.lake.kinds import TABLES, as_text

if TYPE_CHECKING:
    import pyarrow as pa


class Mirrors:
    """What the ledger's tables hold, as Arrow tables; those that lie in the lake are none of them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._copies: dict[str, tuple[tuple[int, int], pa.Table]] = {}
        names = (name for (name,) in db.conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
        self.names = frozenset(names) - TABLES.keys()

    def table(self, name: str) -> pa.Table:
        """Return a table of the ledger as it is now."""
        now = (self._db.conn.total_changes, int(self._db.conn.execute("PRAGMA data_version").fetchone()[0]))
        known = self._copies.get(name)
        if known is None or known[0] != now:
            known = self._copies[name] = (now, self._copy(name))
        return known[1]

    def _copy(self, name: str) -> pa.Table:
        import pyarrow as pa

        types = {"INTEGER": pa.int64(), "REAL": pa.float64(), "BLOB": pa.binary()}
        columns = [(row[1], row[2].upper()) for row in self._db.conn.execute(f"PRAGMA table_info({name})")]
        rows = self._db.conn.execute(f"SELECT * FROM {name}").fetchall()
        by_column = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
        arrays = [
            pa.array([as_text(value) for value in values] if kind == "TEXT" else values, types.get(kind, pa.string()))
            for (_, kind), values in zip(columns, by_column, strict=True)
        ]
        return pa.Table.from_arrays(arrays, names=[column for column, _ in columns])
