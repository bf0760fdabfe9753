"""Maps of judges' scores that labels taught and measured, which of them are in force, and what they have not mapped yet."""

from __future__ import annotations

import json
from typing import NamedTuple

from annotate.domain.score_map import MeasuredMap
from annotate.store.engine.database import Room
from annotate.store.scores.estimates import to_estimate, to_numbers
from proxy.evaluation.score_map import LanguageMaps, MapContrast, ScoreMap

COLUMNS = "key, judge, base, signature, maps, figures, at, is_in_force"
ESTIMATES = ("before", "after", "gain", "wrong_before", "wrong_after")
WAITING = """
    SELECT s.item, s.value FROM scores s JOIN items i ON i.key = s.item
    WHERE s.judge = ? AND is_current AND forgotten_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM scores m WHERE m.judge = ? AND m.item = s.item) AND s.item > ? ORDER BY s.item LIMIT ?
"""


class MapRow(NamedTuple):
    """A row of the table."""

    key: int
    judge: str
    base: str
    signature: str
    maps: str
    figures: str
    at: str
    is_in_force: int


class ScoreMaps(Room):
    """The table of maps."""

    def keep(self, measured: MeasuredMap) -> MeasuredMap:
        """Keep a map that was measured; where it is in force, no other of these scores is. Call inside a transaction."""
        if measured.is_in_force:
            self.withdraw(measured.judge, measured.base)
        row = (
            measured.judge,
            measured.base,
            measured.signature,
            json.dumps(measured.maps.settings),
            _written(measured),
            measured.at,
            int(measured.is_in_force),
        )
        cursor = self._db.conn.execute("INSERT INTO score_maps VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", row)
        return next(known for known in self.every(measured.judge) if known.key == cursor.lastrowid)

    def withdraw(self, judge: str, base: str) -> None:
        """Map these scores no longer."""
        self._db.conn.execute("UPDATE score_maps SET is_in_force = 0 WHERE judge = ? AND base = ?", (judge, base))

    def every(self, judge: str | None = None) -> list[MeasuredMap]:
        """Return all maps that were measured, of one judge where it is named, the oldest first."""
        query = f"SELECT {COLUMNS} FROM score_maps WHERE ?1 IS NULL OR judge = ?1 ORDER BY key"
        return [_measured(MapRow(*row)) for row in self._db.conn.execute(query, (judge,))]

    def waiting(self, base: int, mapped: int, *, after: int, most: int) -> dict[int, float]:
        """Return scores in the row `base` of judges whose items, beyond `after`, have none in the row `mapped`, by item."""
        return {item: float(value) for item, value in self._traffic.execute(WAITING, (base, mapped, after, most))}


def _measured(row: MapRow) -> MeasuredMap:
    maps, figures = json.loads(row.maps), json.loads(row.figures)
    return MeasuredMap(
        key=row.key,
        judge=row.judge,
        base=row.base,
        signature=row.signature,
        maps=LanguageMaps(
            whole=_map(maps["whole"]), languages={name: _map(own) for name, own in maps["languages"].items()}
        ),
        contrast=MapContrast(
            **{name: to_estimate(*figures[name]) for name in ESTIMATES},
            lowest=figures["lowest"],
        ),
        right=figures["right"],
        wrong=figures["wrong"],
        at=row.at,
        is_in_force=bool(row.is_in_force),
    )


def _map(points: tuple[list[float], list[float]]) -> ScoreMap:
    scores, shares = points
    return ScoreMap(scores=tuple(scores), shares=tuple(shares))


def _written(measured: MeasuredMap) -> str:
    estimates = {name: to_numbers(getattr(measured.contrast, name)) for name in ESTIMATES}
    counts = {"lowest": measured.contrast.lowest, "right": measured.right, "wrong": measured.wrong}
    return json.dumps({**estimates, **counts})
