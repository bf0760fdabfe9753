"""Tell what programs write into a cell where there is no value."""

from __future__ import annotations

import math

# No person writes these as a text. `None` may be one, and is no name.
NO_TEXTS = frozenset(("nan", "NaN", "null", "NULL", "<NA>", "NaT"))
NO_NAMES = NO_TEXTS | {"None"}


def is_absent(value: object) -> bool:
    """Return whether a value is empty, or what programs write in place of a name or a time that is missing."""
    if isinstance(value, str):
        return not value or value in NO_NAMES or value.isspace()
    return value is None or (isinstance(value, float) and math.isnan(value))
