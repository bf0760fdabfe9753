"""Name the part of the traffic that a report is of."""

from __future__ import annotations

from annotate.domain.message import Listing, Name, Value, message
from annotate.domain.selection import Selection, short


def name(selection: Selection) -> Value:
    """Name a selection by its system and its window of time."""
    parts: list[Value] = [_system(selection.system)]
    if selection.since is not None:
        parts.append(message("report.of_since", time=short(selection.since)))
    if selection.until is not None:
        parts.append(message("report.of_until", time=short(selection.until)))
    return Listing(tuple(parts))


def _system(name: str | None) -> Value:
    if name is None:
        return message("report.of_all_systems")
    return message("report.of_system", system=Name(name)) if name else message("report.feedback_no_system")
