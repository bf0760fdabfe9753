"""What must follow from a write, in the same unit of work: a part that writes is not made without it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, TypeVar

Row_contra = TypeVar("Row_contra", contravariant=True)


class Consequence(Protocol[Row_contra]):
    """Work to be done for the rows that were written."""

    def __call__(self, rows: Collection[Row_contra], /, *, now: str) -> object:
        """Do it; called inside the transaction that wrote them."""
