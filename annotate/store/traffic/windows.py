"""Count the traffic by day, week or month with its verdicts and thumbs; find when a judge first scored the drawn items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from annotate.domain.selection import Selection
from annotate.store.engine.database import Room, from_column
from annotate.store.engine.frame_blocks import NOT_FRAMED
from annotate.store.engine.frames import Frames
from annotate.store.engine.item_fields import DATED, FIELDS, and_within
from annotate.store.engine.rollups import CountingRoom
from proxy.text.controls import displayable

COUNTED = """
    SELECT {{stretch}}, {window}, count(*), count(v.item), sum(v.verdict = 'pass') FROM items i
    LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key WHERE i.is_current AND {{among}} GROUP BY 1, 2
"""
THUMBS = """
    SELECT {window}, count(*), sum(f.is_down) FROM (
        SELECT item_id, max(sign = -1) AS is_down FROM feedback WHERE sign != 0 GROUP BY item_id) f
    CROSS JOIN items i ON i.id = f.item_id AND i.is_current{within} GROUP BY 1 ORDER BY 1
"""
FIRST_SCORED = """
    SELECT min(s.at) FROM draws d CROSS JOIN scores s ON s.item = d.item
    AND s.judge = (SELECT key FROM judges WHERE judge = ? AND signature = ?)
"""
BLOCK = 5_000
TRAITS = """
    SELECT i.key, i.language, i.question_chars, i.contexts, i.contexts_chars, i.answer_chars, t.question
    FROM items i JOIN texts t ON t.key = i.key WHERE i.is_current ORDER BY i.key
"""
OWN_FIELDS = """
    SELECT CAST(j.key AS BLOB), count(DISTINCT j.value) FROM texts t, json_each(t.metadata) j
    WHERE t.key IN (SELECT value FROM json_each(?)) AND j.type NOT IN ('object', 'array', 'null') GROUP BY 1 ORDER BY 1
"""
ELSEWHERE = """
    SELECT i.key FROM items i WHERE i.key IN (SELECT value FROM json_each(?))
    AND i.ingested_at <= (SELECT at FROM waves WHERE key = ?)
"""


class WindowCounts(NamedTuple):
    """A window's current items, how many of them have a verdict, and how many pass."""

    items: int
    scored: int
    passed: int


class WindowThumbs(NamedTuple):
    """Numbers of a window's items with a thumb, and with a thumb down."""

    rated: int
    down: int


class Windows(CountingRoom):
    """Read items, verdicts, feedback, draws and scores."""

    def shown(self, rule: int, by: str) -> dict[str | None, WindowCounts]:
        """Return each window's items under the rule in this row; None is what has no timestamp."""
        query = COUNTED.format(window=FIELDS[by])
        rows = self._rollups.counts(f"windows by {by}", ("items", "scores"), str(rule), query, (rule,))
        return {
            None if name is None else str(name): WindowCounts(int(items or 0), int(scored or 0), int(passed or 0))
            for name, items, scored, passed in rows
        }

    def has_times(self) -> bool:
        """Return whether any current item has a timestamp."""
        query = f"SELECT EXISTS (SELECT 1 FROM items i WHERE is_current AND ({DATED}) IS NOT NULL)"
        return bool(self._traffic.execute(query).fetchone()[0])

    def thumbs(self, by: str) -> dict[str | None, WindowThumbs]:
        """Return each window's thumbs."""
        rows = self._traffic.execute(THUMBS.format(window=FIELDS[by], within=""))
        return {None if name is None else str(name): WindowThumbs(int(rated), int(down)) for name, rated, down in rows}

    def thumbs_of_all(self, selection: Selection | None = None) -> WindowThumbs:
        """Return the thumbs on all current items, or on those of a selection."""
        thumbs = self._traffic.execute(THUMBS.format(window="NULL", within=and_within(selection))).fetchone()
        return WindowThumbs(*map(int, thumbs[1:])) if thumbs else WindowThumbs(rated=0, down=0)

    def first_scored(self, judge: str, signature: str) -> str | None:
        """Return when this signature first scored a drawn item."""
        first = self._db.conn.execute(FIRST_SCORED, (judge, signature)).fetchone()[0]
        return None if first is None else str(first)


class Trait(NamedTuple):
    """A current item: lengths in characters, `contexts` a count."""

    item: int
    language: str | None
    question_chars: int
    contexts: int
    contexts_chars: int
    answer_chars: int
    question: str


class Traits(Room):
    """Read items, texts and frames."""

    def blocks(self) -> Iterator[list[Trait]]:
        """Yield every current item, in the order of the rows."""
        cursor = self._traffic.execute(TRAITS)
        while rows := cursor.fetchmany(BLOCK):
            yield [Trait(*row)._replace(question=from_column(row[-1])) for row in rows]

    def own_fields(self, items: Sequence[int]) -> dict[str, int]:
        """Return the fields of the caller's own that these items have, with the number of different values of each.

        Those with half characters in their names are left out, because no question in SQL can name them.
        """
        rows = self._db.conn.execute(OWN_FIELDS, (json.dumps(list(items)),))
        names = ((from_column(name), count) for name, count in rows)
        return {name: int(count) for name, count in names if displayable(name) == name}

    def outside(self, wave: int, items: Sequence[int]) -> set[int]:
        """Return those of these items that were there when the wave was drawn and that it did not look at."""
        rows = self._db.conn.execute(ELSEWHERE, (json.dumps(list(items)), wave))
        keys = np.array([key for (key,) in rows], dtype=np.int64)
        return set(keys[Frames(self._db).codes(wave, keys) == NOT_FRAMED].tolist())
