"""Names of many items, a byte an item: the distinct names, and the place of each item's among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.uint8]
Value = TypeVar("Value", bound=np.generic)
BLOCK = 1 << 16  # what numpy makes of a block, eight bytes an item and more, is soon free again


def blocks(count: int) -> Iterator[slice]:
    """Yield slices that together are so many items."""
    for start in range(0, count, BLOCK):
        yield slice(start, min(start + BLOCK, count))


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Names of items: the distinct `names`, at most 256, and the place of each item's name among them."""

    names: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, values: ArrayLike) -> Coded:
        """Encode names in order of appearance; without sorting, which takes seconds on a million strings."""
        texts = np.asarray(values, dtype=np.str_)
        names, codes, is_left = list[str](), np.zeros(len(texts), dtype=np.uint8), np.ones(len(texts), dtype=np.bool_)
        while is_left.any():
            names.append(str(texts[int(np.argmax(is_left))]))
            rows = texts == names[-1]
            codes[rows] = len(names) - 1
            is_left &= ~rows
        return cls(tuple(names), codes)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.codes)

    def __getitem__(self, rows: NDArray[Any] | slice) -> Coded:
        """Return the names of these items."""
        return Coded(self.names, self.codes[rows])

    def __iter__(self) -> Iterator[str]:
        """Yield the name of each item."""
        return iter(self.tolist())

    def in_order(self) -> Coded:
        """Return the same with its names in order of appearance, and no name that no item has."""
        first: dict[int, int] = {}
        for code in range(len(self.names)):
            rows = self.codes == code
            place = int(rows.argmax()) if len(rows) else 0
            if len(rows) and rows[place]:
                first[code] = place
        order = sorted(first, key=first.__getitem__)
        if order == list(range(len(self.names))):
            return self
        places = np.zeros(len(self.names), dtype=np.uint8)
        places[order] = np.arange(len(order))
        return Coded(tuple(self.names[code] for code in order), looked_up(places, self.codes))

    def among(self, *names: str) -> NDArray[np.bool_]:
        """Return whether each item has one of these names."""
        rows = np.zeros(len(self.codes), dtype=np.bool_)
        for code, name in enumerate(self.names):
            if name in names:
                rows |= self.codes == code
        return rows

    def count(self, rows: NDArray[np.bool_] | None = None) -> dict[str, int]:
        """Count the items, or these of them, by name; a name that none of them has is left out."""
        codes = self.codes if rows is None else self.codes[rows]
        counts = [int(np.count_nonzero(codes == code)) for code in range(len(self.names))]
        return {name: count for name, count in zip(self.names, counts, strict=True) if count}

    def tolist(self) -> list[str]:
        """Return the name of each item."""
        return [self.names[code] for code in self.codes.tolist()]


def looked_up(table: NDArray[Value], codes: Codes) -> NDArray[Value]:
    """Return `table[codes]`, block by block: an index takes eight bytes an item."""
    values = np.empty(len(codes), dtype=table.dtype)
    for block in blocks(len(codes)):
        values[block] = table[codes[block]]
    return values
