"""Read the optional time of a row as ISO 8601 in UTC; a time that cannot be costs the time, never the row.

Optional values that were dropped are counted here, the scores of passages too.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from proxy.text.times import iso, parse

# Earlier are the times that programs write for none: 1970 (0 seconds), 1900, 1601, 0001.
EARLIEST = "2000-01-01T00:00:00.000Z"
# A clock or a zone can be off by a day, and dates that were shifted or simulated by months. Later is a placeholder
# (9999-12-31, 2099-01-01) or a number in another unit.
LEAD = timedelta(days=366)
# Stores hold times from before there were limits. What reads them has no clock.
LATEST_KEPT = "2100-01-01T00:00:00.000Z"

UNREADABLE, IMPOSSIBLE = "unreadable", "impossible"
NO_NUMBER = "no_number"


class Dropped(NamedTuple):
    """A reason to drop optional values: how many were dropped, and an example."""

    reason: str
    rows: int
    example: str


class Times:
    """Read times, and count those that are dropped because they are unreadable or impossible; and scores that are no numbers."""

    def __init__(self, now: str | None = None) -> None:
        self.now = now or iso(datetime.now(UTC))
        self._latest = iso(datetime.fromisoformat(self.now) + LEAD)
        self._dropped: dict[str, Dropped] = {}

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Counts of what was dropped, the most frequent reason first."""
        return tuple(sorted(self._dropped.values(), key=lambda dropped: -dropped.rows))

    def read(self, value: object) -> str | None:
        """Return the time in ISO 8601, UTC; None where there is none or it is dropped.

        A time without a zone is taken as UTC, a number as seconds, milliseconds, microseconds or nanoseconds since 1970.
        """
        if value is None or value == "":
            return None
        reason = IMPOSSIBLE
        try:
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


def stable(value: object) -> str | None:
    """Return a dropped time as text that does not change with the day on which it is read."""
    if value is None or value == "":
        return None
    try:
        return parse(value)
    except (ValueError, OverflowError, OSError):
        return str(value)


def shown(value: object) -> str:
    """Return a value cut short for a message."""
    text = str(value)
    return repr(text if len(text) <= 40 else text[:40] + "…")
