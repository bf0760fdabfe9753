"""The fields of an item by which traffic is parted, as SQL over its row."""

from __future__ import annotations

from annotate.domain.selection import WITHOUT_SYSTEM, Selection
from annotate.domain.timestamps import EARLIEST, LATEST_KEPT

OWN = "metadata."
# None where the time is impossible, as it may be in an older store.
DATED = f"CASE WHEN i.timestamp >= '{EARLIEST}' AND i.timestamp < '{LATEST_KEPT}' THEN i.timestamp END"
FIELDS = {
    "system": "i.system",
    "language": "i.language",
    "day": f"substr({DATED}, 1, 10)",
    "week": f"date({DATED}, 'weekday 0', '-6 days')",  # its Monday
    "month": f"substr({DATED}, 1, 7)",
}


def condition_of(selection: Selection) -> str:
    """Return the SQL condition of a selection on items i."""
    column = "coalesce(i.system, '')" if selection.system == WITHOUT_SYSTEM else "i.system"
    parts = [f"{column} = {as_text(selection.system)}"] if selection.system is not None else []
    parts += [f"({DATED}) >= {as_text(selection.since)}"] if selection.since is not None else []
    parts += [f"({DATED}) < {as_text(selection.until)}"] if selection.until is not None else []
    return " AND ".join(parts) or "1"


def and_within(selection: Selection | None) -> str:
    """Return a further SQL condition on items i that keeps those of the selection; nothing where there is none."""
    return "" if selection is None else f" AND {condition_of(selection)}"


def as_text(value: str | None) -> str:
    """Return a text as SQL that no character of it can leave."""
    return f"CAST(X'{(value or '').encode('utf-8', 'surrogatepass').hex()}' AS TEXT)"
