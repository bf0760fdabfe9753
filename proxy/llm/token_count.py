"""Read a number of tokens as an endpoint reports it."""

from __future__ import annotations

# More than any request takes; what is larger is no count.
MOST = 2**40


def token_count(value: object) -> int | None:
    """Return the number; None where the value is no count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST else None
