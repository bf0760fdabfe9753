"""Time of an item in SQL, as pages and windows read it: none where it is impossible, as it may be in an older store."""

from __future__ import annotations

from annotate.domain.timestamps import EARLIEST, LATEST_KEPT

DATED = f"CASE WHEN i.timestamp >= '{EARLIEST}' AND i.timestamp < '{LATEST_KEPT}' THEN i.timestamp END"
