"""Times of the store, ISO 8601 in UTC, in the reader's own zone."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

UNKNOWN = "—"


def moment(at: str | None) -> str:
    """Day and minute, in the reader's zone; "—" for no time, the text itself where it is none."""
    found = _read(at)
    if found is None:
        return at or UNKNOWN
    return found.strftime("%Y-%m-%d %H:%M")


def day(at: str | None) -> str:
    """The day, in the reader's zone."""
    found = _read(at)
    return (at or UNKNOWN) if found is None else found.strftime("%Y-%m-%d")


def zone() -> tzinfo:
    """The reader's zone as the browser says it; UTC where it does not."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def zone_name() -> str:
    """The name of that zone."""
    return str(zone())


def _read(at: str | None) -> datetime | None:
    """A time in the reader's zone; one without a zone is in UTC. None where it is none, or where no zone can hold it."""
    try:
        found = datetime.fromisoformat(at or "")
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(zone())
    except (ValueError, OverflowError):
        return None
