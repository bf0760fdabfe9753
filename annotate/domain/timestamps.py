"""Read the optional time of a row as ISO 8601 in UTC; a time that cannot be costs the time, never the row.

Optional values that were dropped are counted here, the scores of passages too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from annotate.domain.absent import is_absent
from proxy.text.times import iso, parse

# Earlier are the times that programs write for none: 1970 (0 seconds), 1900, 1601, 0001.
EARLIEST = "2000-01-01T00:00:00.000Z"
# A clock or a zone can be off by a day, and dates that were shifted or simulated by months. Later is a placeholder
# (9999-12-31, 2099-01-01) or a number in another unit.
LEAD = timedelta(days=366)
# Stores hold times from before there were limits. What reads them has no clock.
LATEST_KEPT = "2100-01-01T00:00:00.000Z"

UNREADABLE, IMPOSSIBLE, UNORDERED = "unreadable", "impossible", "unordered"
# Day and month, or month and day, then the year.
SPOKEN = re.compile(
    r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[\sT,]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([ap])\.?m\.?)?)?\s*",
    re.IGNORECASE,
)
NO_NUMBER = "no_number"
MONTHS = 12


class DateOrder(StrEnum):
    """The order of day and month in dates such as 03/11/2026."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


class Dropped(NamedTuple):
    """A reason to drop optional values: how many were dropped, and an example."""

    reason: str
    rows: int
    example: str


class Times:
    """Read times, and count those that are dropped because they are unreadable or impossible; and scores that are no numbers."""

    def __init__(self, now: str | None = None, order: DateOrder | None = None) -> None:
        self._order = order
        self.now = now or iso(datetime.now(UTC))
        self._latest = iso(datetime.fromisoformat(self.now) + LEAD)
        self._dropped: dict[str, Dropped] = {}

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Counts of what was dropped, the most frequent reason first."""
        return tuple(sorted(self._dropped.values(), key=lambda dropped: -dropped.rows))

    def read(self, value: object) -> str | None:
        """Return the time in ISO 8601, UTC; None where there is none or it is dropped.

        A time without a zone is taken as UTC, a number as seconds, milliseconds, microseconds or nanoseconds since 1970. A date
        such as 03/11/2026 is read where the order of day and month is known.
        """
        if is_absent(value):
            return None
        reason = IMPOSSIBLE
        try:
            if is_spoken(value):
                if self._order is None:
                    self.drop(UNORDERED, value)
                    return None
                value = _written(str(value), self._order)
            time = parse(value)
            if EARLIEST <= time <= self._latest:
                return time
        except OverflowError:
            pass
        except (ValueError, OSError):
            reason = UNREADABLE
        self.drop(reason, value)
        return None

    def drop(self, reason: str, value: object) -> None:
        """Count a value that is dropped."""
        before = self._dropped.get(reason) or Dropped(reason, 0, shown(value))
        self._dropped[reason] = before._replace(rows=before.rows + 1)


def is_spoken(value: object) -> bool:
    """Return whether a value is a date whose day and month have no order that is known everywhere."""
    return isinstance(value, str) and SPOKEN.fullmatch(value) is not None


def _written(text: str, order: DateOrder) -> str:
    """Return such a date in ISO 8601; ValueError where the calendar has none."""
    match = SPOKEN.fullmatch(text)
    if match is None:
        raise ValueError(text)
    first, _, second, year, hour, minute, seconds, half = match.groups()
    day, month = (first, second) if order is DateOrder.DAY_FIRST else (second, first)
    hours = int(hour or 0)
    if half:
        hours = hours % 12 + (12 if half in "pP" else 0)
    return datetime(int(year), int(month), int(day), hours, int(minute or 0), int(seconds or 0)).isoformat()  # noqa: DTZ001


def order_of(values: Iterable[object]) -> DateOrder | None:
    """Return the order of day and month that all of these dates fit, where they fit no other; None where that is open.

    Where all are written with dots and fit both, the day comes first: no country writes the month before it so.
    """
    day_first = month_first = False
    signs = set[str]()
    for value in values:
        match = SPOKEN.fullmatch(value) if isinstance(value, str) else None
        if match is not None:
            signs.add(match[2])
            day_first, month_first = day_first or int(match[1]) > MONTHS, month_first or int(match[3]) > MONTHS
    if day_first and month_first:
        return None
    if month_first:
        return DateOrder.MONTH_FIRST
    return DateOrder.DAY_FIRST if day_first or signs == {"."} else None


def stable(value: object) -> str | None:
    """Return a dropped time as text that does not change with the day on which it is read."""
    if is_absent(value):
        return None
    try:
        return parse(value)
    except (ValueError, OverflowError, OSError):
        return str(value)


def shown(value: object) -> str:
    """Return a value cut short for a message."""
    text = str(value)
    return repr(text if len(text) <= 40 else text[:40] + "…")
