"""Attach the lake in which a store's traffic lies, if it does."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from annotate.store.engine.database import put_traffic
from annotate.store.engine.sqlite import Database
from annotate.store.lake.address import read_address
from annotate.store.lake.kinds import KINDS
from annotate.store.lake.manifest import Manifest
from annotate.store.lake.parts import Lake
from proxy.errors import StoreError, UsageError

HAS_TRAFFIC = "SELECT EXISTS (SELECT 1 FROM items)"
# The ledger holds the items of the sample alone; rows about others name items that lie in the lake.
FREE = "PRAGMA foreign_keys = OFF"
INSTALL = "pip install 'assay[lake]'"


class MadeStore(NamedTuple):
    """A new store, and where its traffic is to lie; None: in the store itself."""

    lake: str | None


def checked_lake(address: str) -> str:
    """Return the address of a lake that can be used, a folder as its whole path.

    UsageError where it holds a key; StoreError where it cannot be reached, or where DuckDB is missing.
    """
    place = read_address(address)
    if place.secrets:
        raise UsageError(
            f"{place.shown}: leave keys out of the address: they come from the environment, as for other tools"
        )
    try:
        import duckdb  # noqa: F401 - whether it is there
    except ImportError as error:
        raise StoreError(f"a lake needs DuckDB: {INSTALL}") from error
    lake = Lake.open(address)
    if next(lake.others((), kinds=KINDS), None) is not None:
        raise UsageError(f"{lake.shown} holds the traffic of another store: give a folder of its own")
    return place.location if place.is_url else str(Path(address).expanduser().absolute())


def attach(db: Database, *, is_copy: bool = False) -> None:
    """Let all traffic be asked of the lake that the ledger names; StoreError where it cannot be read.

    What is written to a copy, which nobody keeps, leaves the lake as it is.
    """
    address = Manifest(db).address()
    if address is None:
        return
    try:
        from annotate.store.lake.traffic import LakeTraffic

        traffic = LakeTraffic(db, address, is_copy=is_copy)
    except ImportError as error:
        raise StoreError(f"the traffic of this store lies in a lake, which needs DuckDB: {INSTALL}") from error
    db.conn.execute(FREE)
    put_traffic(db, traffic)
    if not is_copy and not db.conn.execute("PRAGMA query_only").fetchone()[0]:
        traffic.tidy()


def found(db: Database, address: str) -> None:
    """Note where the traffic of a store without any is to lie; call inside a transaction.

    UsageError where the store has traffic, or a lake already.
    """
    manifest = Manifest(db)
    if manifest.address() is not None:
        raise UsageError(f"the traffic of this store lies in {manifest.address()} already")
    if db.conn.execute(HAS_TRAFFIC).fetchone()[0]:
        raise UsageError("this store has traffic of its own: make a new one with --db, and ingest the traffic there")
    manifest.set_address(address)
