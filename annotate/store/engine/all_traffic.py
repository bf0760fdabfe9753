"""Ask of all traffic, wherever it lies: the one door for queries that read every item, or any item by its row.

What the ledger keeps of the sample (draws, labels, gold) is asked of the ledger itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

Bound = Sequence[Any] | Mapping[str, Any]


class TrafficRows(Protocol):
    """The rows of a query, read as they are asked for."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows."""

    def fetchone(self) -> Any:
        """Return the next row; None at the end."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return so many of the next rows; none at the end."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""


class AllTraffic(Protocol):
    """What answers SQL about items, texts, scores, failures, details and verdicts beside the tables of the ledger."""

    def execute(self, query: str, bound: Bound = (), /) -> TrafficRows:
        """Return the rows of a query that only reads."""

    def create_function(self, name: str, narg: int, func: Callable[[int], bool], /) -> None:
        """Let queries call a function on the rows of items."""
