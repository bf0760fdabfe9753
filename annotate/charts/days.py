"""Choose the days of a course that get a date on the axis: as many of its points' days as do not overlap.

The rule: a date stands at a point's own day, never between two.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date


def thinned(days: Sequence[str], most: int) -> list[str]:
    """Return the first day, and each that lies at least a `most`-th of the whole stretch after the one taken before it."""
    ordered = sorted({date.fromisoformat(day[:10]) for day in days})
    chosen: list[date] = []
    for day in ordered:
        if not chosen or (day - chosen[-1]).days * most >= (ordered[-1] - ordered[0]).days:
            chosen.append(day)
    return [day.isoformat() for day in chosen]
