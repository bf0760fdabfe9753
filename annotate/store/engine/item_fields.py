"""The fields of an item by which traffic is parted, as SQL over its row."""

from __future__ import annotations

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
