"""Items that wait for adjudication, those that were adjudicated, and draws that wait for a second annotator.

All of it is read from the log of annotations. An item that was superseded or forgotten waits for nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.adjudication import AdjudicationCase, case
from annotate.domain.annotation import ADJUDICATION, SERIOUS
from annotate.domain.sampling.outcomes import Overlap
from annotate.domain.selection import Selection
from annotate.store.engine.database import Room, once
from annotate.store.engine.item_fields import and_within
from annotate.store.labels.annotations import INDEPENDENT, NEWEST, NO_DRAW, REVISIONS, STANDING, revision
from annotate.store.labels.labels import DRAW_OF_LABEL, LABEL_THAT_COUNTS

DOUBTFUL = f"""
    SELECT DISTINCT a.item FROM annotations a JOIN items i ON i.key = a.item
    WHERE i.is_current AND i.forgotten_at IS NULL AND (a.source = '{ADJUDICATION}' OR a.harm = '{SERIOUS}')
    UNION SELECT l.item FROM labels l JOIN items i ON i.key = l.item
    WHERE {LABEL_THAT_COUNTS} AND i.forgotten_at IS NULL AND l.judgement = 'unsure'
"""
UNDECIDED = f"""
    SELECT a.draw, a.item, a.annotator FROM annotations a JOIN items i ON i.key = a.item
    WHERE a.draw IS NOT NULL AND i.is_current AND i.forgotten_at IS NULL AND {STANDING} AND a.draw NOT IN (
        SELECT a.draw FROM annotations a WHERE a.draw IS NOT NULL AND a.judgement IN ('right', 'wrong')
        AND NOT a.is_deleted AND {NEWEST})
    ORDER BY a.draw, a.sequence
"""
BY_WAVE = f"""
    SELECT d.wave, count(*), coalesce(sum(l.judgement = 'right'), 0), coalesce(sum(l.judgement = 'wrong'), 0),
        coalesce(sum(l.judgement = 'unsure'), 0),
        sum(l.item IS NULL AND EXISTS (SELECT 1 FROM annotations a WHERE a.item = d.item AND a.draw = d.key AND {STANDING}))
    FROM draws d JOIN items i ON i.key = d.item AND i.is_current LEFT JOIN labels l ON l.draw = d.key
    GROUP BY d.wave ORDER BY d.wave
"""
OVERLAP = f"""
    SELECT coalesce(sum(given > 1 OR read > 1), 0), coalesce(sum(read > 1), 0) FROM (
        SELECT (SELECT count(DISTINCT t.server || ' ' || t.project) FROM tasks t WHERE t.draw = d.key AND t.state = 'confirmed')
            AS given,
            (SELECT count(DISTINCT a.annotator) FROM annotations a
            WHERE a.item = d.item AND a.judgement IS NOT NULL AND {STANDING} AND {INDEPENDENT}) AS read
        FROM draws d CROSS JOIN items i ON i.key = d.item AND i.is_current{{within}})
"""


class UndecidedDraw(NamedTuple):
    """A draw of which nobody has said right or wrong, and who has read or skipped it."""

    draw: int
    item: int
    annotators: tuple[str, ...]


class WaveProgress(NamedTuple):
    """Progress of the draws of a wave; `skipped` are those without a label that somebody has passed over."""

    wave: int
    drawn: int
    right: int
    wrong: int
    unsure: int
    skipped: int

    @property
    def open(self) -> int:
        """Draws without a label, skipped ones included."""
        return self.drawn - self.right - self.wrong - self.unsure


class Adjudication(Room):
    """Read annotations, labels, items and draws."""

    def of_item(self, item: int) -> AdjudicationCase | None:
        """Return the case of the item in this row; None while it has no label."""
        row = self._db.conn.execute(DRAW_OF_LABEL, (item,)).fetchone()
        return None if row is None else self._case(item, row[0])

    def waiting(self) -> list[AdjudicationCase]:
        """Return what waits to be adjudicated, the most urgent first."""
        return sorted(
            (doubtful for doubtful in self._doubtful() if doubtful.why is not None),
            key=lambda doubtful: doubtful.urgency,
        )

    def adjudicated(self) -> list[AdjudicationCase]:
        """Return what a person has adjudicated and nothing has changed since, the newest first."""
        adjudicated = [
            doubtful for doubtful in self._doubtful() if doubtful.adjudicated is not None and doubtful.why is None
        ]
        return sorted(adjudicated, key=lambda doubtful: -doubtful.seen)

    def name(self, named: AdjudicationCase) -> str:
        """Return the name of an adjudication in the log: the key of the draw's task, or the item where it is hand-picked."""
        if named.draw is None:
            return f"item:{named.item}"
        return str(self._db.conn.execute("SELECT task_key FROM draws WHERE key = ?", (named.draw,)).fetchone()[0])

    def second_readings(self) -> list[UndecidedDraw]:
        """Return the draws of current items that were read or skipped, and that nobody has called right or wrong."""
        annotators: dict[tuple[int, int], list[str]] = defaultdict(list)
        for draw, item, annotator in self._db.conn.execute(UNDECIDED):
            annotators[draw, item].append(annotator)
        return [UndecidedDraw(*key, tuple(dict.fromkeys(annotators))) for key, annotators in annotators.items()]

    def overlap(self, selection: Selection | None = None) -> Overlap:
        """Count the draws with two annotators, and how many of them have two independent readings; of all, or a selection."""
        return Overlap(*self._db.conn.execute(OVERLAP.format(within=and_within(selection))).fetchone())

    def by_wave(self) -> list[WaveProgress]:
        """Return what became of the draws of current items, the oldest wave first."""
        return [WaveProgress(*row) for row in self._db.conn.execute(BY_WAVE)]

    def _doubtful(self) -> Sequence[AdjudicationCase]:
        """Return the case of every item that may wait or was adjudicated, read once in a snapshot."""

        def read() -> list[AdjudicationCase]:
            items = [row[0] for row in self._db.conn.execute(DOUBTFUL)]
            return [doubtful for doubtful in map(self.of_item, items) if doubtful is not None]

        return once(self._db, DOUBTFUL, read)

    def _case(self, item: int, draw: int | None) -> AdjudicationCase:
        query = f"{REVISIONS} WHERE a.item = ? AND coalesce(a.draw, ?) {{sign}} coalesce(?, ?) ORDER BY a.sequence"
        own, beside = (
            [revision(row) for row in self._db.conn.execute(query.format(sign=sign), (item, NO_DRAW, draw, NO_DRAW))]
            for sign in ("=", "!=")
        )
        return case(item, draw, own, beside)
