"""Read one thing of all current items as a column of numbers, a stretch at a time, as it is kept beside the store.

What is kept of a stretch is read again when it has changed there; another label, rule or threshold changes none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.rollups import CountingRoom, Row
from annotate.store.engine.stretches import all_items, stretches

CURRENT = "SELECT i.key, 1 FROM items i WHERE i.is_current AND {among}"
NAMED = "SELECT i.key, i.{field} FROM items i WHERE i.is_current AND {among}"
QUESTION, GROUP = "question", '"group"'
ABSENT = 0

Number = TypeVar("Number", bound=np.generic)
Names = NDArray[np.uint64]


class KeptColumn(NamedTuple, Generic[Number]):
    """What a column is kept as, what it is made of, and what stands for an item that has none of it."""

    name: str
    sources: Sequence[str]
    absent: Number


class ItemColumns(CountingRoom):
    """Read items."""

    def current(self, among: KeyRange) -> Iterator[NDArray[np.int64]]:
        """Yield the rows of the current items of each stretch."""

        def read(rows: KeyRange) -> Iterable[Row]:
            return self._traffic.execute_among(rows, CURRENT.format(among=rows.among)).fetchall()

        for stretch, is_current in self.column(KeptColumn("current items", ("items",), np.uint8(ABSENT)), read, among):
            yield np.flatnonzero(is_current) + stretch.first

    def named(
        self, field: str, name: str, number_of: Callable[[str], int], absent: Number
    ) -> Iterator[NDArray[Number]]:
        """Yield, for the current items of each stretch, the number of the question or group that they are of.

        Of one `name` one field is kept; a number is never ABSENT.
        """

        def read(rows: KeyRange) -> Iterable[Row]:
            named = self._traffic.execute_among(rows, NAMED.format(field=field, among=rows.among)).fetchall()
            numbers = {text: number_of(text) for text in {text for _, text in named}}
            return [(key, numbers[text]) for key, text in named]

        kind = KeptColumn(name, ("items",), absent)
        for _, numbers in self.column(kind, read, all_items(self._db), field):
            yield numbers[numbers != ABSENT]

    def names(self, field: str) -> Names:
        """Return the questions or groups of all current items as numbers of 64 bits: equal where the names are."""
        return np.concatenate([np.zeros(0, np.uint64), *self.named(field, f"{field} of items", _hashed, np.uint64(0))])

    def column(
        self, kind: KeptColumn[Number], read: Callable[[KeyRange], Iterable[Row]], among: KeyRange, question: str = ""
    ) -> Iterator[tuple[KeyRange, NDArray[Number]]]:
        """Yield a number for each row, a stretch at a time: what `read` gives for it, or else the one of absence."""
        kept_as = kind.absent.dtype

        def make(rows: KeyRange) -> Iterator[bytes]:
            column: NDArray[Any] = np.full(rows.last - rows.first + 1, kind.absent, dtype=kept_as)
            keys, numbers = list(zip(*read(rows), strict=True)) or ((), ())
            column[np.array(keys, dtype=np.int64) - rows.first] = np.array(numbers, dtype=kept_as)
            for stretch in stretches(rows):
                yield column[stretch.first - rows.first : stretch.last - rows.first + 1].tobytes()

        for stretch, content in self._rollups.by_stretch(kind.name, kind.sources, question, make, among):
            yield stretch, np.frombuffer(content, dtype=kept_as)


def sizes_of(names: Names) -> NDArray[np.int64]:
    """Return how many items each of these names has."""
    return np.unique(names, return_counts=True)[1].astype(np.int64)


def joined(first: Names, other: Names) -> Names:
    """Return a number for each pair of names."""
    return first * np.uint64(0x9E3779B97F4A7C15) ^ other


def _hashed(name: str | bytes) -> int:
    content = name.encode() if isinstance(name, str) else name
    return int.from_bytes(blake2b(content, digest_size=8).digest()) or 1
