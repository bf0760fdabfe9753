"""Choose some of many in their order, at equal distances: a quick look that covers all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Element = TypeVar("Element")


def evenly_spaced(elements: Sequence[Element], most: int) -> list[Element]:
    """Return at most `most` of the elements, at equal distances, the first of them included."""
    count = min(most, len(elements))
    return [elements[place * len(elements) // count] for place in range(count)]
