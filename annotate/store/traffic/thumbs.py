"""Read which current items have a thumb up or down, which could not have been rated, and how much each week was."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from annotate.domain.feedback_channel import RatedWeek, Unrated
from annotate.store.engine.item_fields import FIELDS
from annotate.store.engine.rollups import CountingRoom
from annotate.store.engine.stretches import next_item

RATED = """
    SELECT i.key, f.is_down FROM (
        SELECT item_id, max(sign = -1) AS is_down FROM feedback WHERE sign != 0 GROUP BY item_id) f
    CROSS JOIN items i ON i.id = f.item_id AND i.is_current
"""
WEEKS = f"""
    SELECT {{stretch}}, i.system, {FIELDS["week"]}, count(*) FROM items i WHERE i.is_current AND {{among}} GROUP BY 1, 2, 3
"""
RATED_WEEKS = f"""
    SELECT i.system, {FIELDS["week"]}, count(*) FROM (SELECT DISTINCT item_id FROM feedback) f
    CROSS JOIN items i ON i.id = f.item_id AND i.is_current GROUP BY 1, 2
"""
OF_RUN = f"""
    SELECT i.key FROM items i WHERE i.is_current AND i.system IS :system
    AND (:first IS NULL OR {FIELDS["week"]} BETWEEN :first AND :last)
"""


class Thumb(IntEnum):
    """What end users said of an item; one with both thumbs counts as down, because somebody complained."""

    NONE = 0
    DOWN = 1
    UP = 2
    UNRATED = 3


class Thumbs(CountingRoom):
    """Read items and feedback."""

    def weeks(self) -> list[RatedWeek]:
        """Count the items of each system and week, and those with feedback, a comment or a mark of the middle included."""
        rows = self._rollups.counts("items by system and week", ("items",), "", WEEKS, names=2)
        rated = {(system, week): count for system, week, count in self._traffic.execute(RATED_WEEKS)}
        return [RatedWeek(system, week, items, rated.get((system, week), 0)) for system, week, items in rows]

    def of_items(self, left_out: Sequence[Unrated]) -> NDArray[np.uint8]:
        """Return the thumb of each item by its row."""
        thumbs = np.zeros(next_item(self._db), dtype=np.uint8)
        for run in left_out:
            thumbs[self.of_run(run)] = Thumb.UNRATED
        rows = np.array(self._traffic.execute(RATED).fetchall(), dtype=np.intp).reshape(-1, 2)
        thumbs[rows[:, 0]] = np.where(rows[:, 1] == 1, Thumb.DOWN, Thumb.UP)
        return thumbs

    def of_run(self, run: Unrated) -> NDArray[np.intp]:
        """Return the rows of the items that could not have been rated."""
        bound = {"system": run.system, "first": run.first, "last": run.last}
        return np.fromiter((key for (key,) in self._traffic.execute(OF_RUN, bound)), dtype=np.intp)
