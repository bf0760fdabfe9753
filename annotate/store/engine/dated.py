"""The time of an item as pages and windows read it: none where it is impossible, as it may be in a store of earlier days."""

from __future__ import annotations

from annotate.domain.timestamps import EARLIEST, LATEST_KEPT

DATED = f"CASE WHEN i.timestamp >= '{EARLIEST}' AND i.timestamp < '{LATEST_KEPT}' THEN i.timestamp END"
