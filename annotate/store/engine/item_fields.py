"""The fields of an item by which traffic is parted, as SQL over its row."""

from __future__ import annotations

from annotate.store.engine.dated import DATED

OWN = "metadata."
FIELDS = {
    "system": "i.system",
    "language": "i.language",
    "day": f"substr({DATED}, 1, 10)",
    "week": f"date({DATED}, 'weekday 0', '-6 days')",  # its Monday
    "month": f"substr({DATED}, 1, 7)",
}
