"""Scores of other tools that wait for their item or for the scale of their numbers."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence

from annotate.domain.tool_score import ScoreScale, ToolScore, Unscaled, parse_scale, written_scale
from annotate.store.audit.tombstones import Tombstones
from annotate.store.engine.database import Room, from_column, to_column

FIELDS = "item_id, judge, signature, value, reason"
RANGE = """
    INSERT INTO score_scales (judge, lowest, highest) VALUES (?1, ?2, ?2) ON CONFLICT (judge) DO UPDATE
    SET lowest = min(coalesce(lowest, ?2), ?2), highest = max(coalesce(highest, ?2), ?2)
"""
NAMED = "INSERT OR IGNORE INTO score_scales (judge) VALUES (?)"
SCALE = """
    INSERT INTO score_scales (judge, scale) VALUES (?1, ?2) ON CONFLICT (judge) DO UPDATE SET scale = excluded.scale
"""
# Numbers beyond [0, 1] and no scale: what a 1 among them means is not known.
UNKNOWN = "(SELECT judge FROM score_scales WHERE scale IS NULL AND (lowest < 0 OR highest > 1))"
OPEN = f"""
    SELECT {FIELDS} FROM tool_scores t WHERE judge NOT IN {UNKNOWN}
    AND EXISTS (SELECT 1 FROM items i WHERE i.id = t.item_id AND is_current)
"""
# Sorted once: they leave the table while they are settled, batch by batch.
LISTED = "CREATE TEMP TABLE open_scores (item_id, judge, signature, value, reason)"
NEXT = f"SELECT rowid, {FIELDS} FROM temp.open_scores WHERE rowid > ? ORDER BY rowid LIMIT ?"


class ToolScores(Room):
    """The tables of scores of tools and their scales."""

    def keep(self, scores: Sequence[ToolScore], *, now: str) -> None:
        """Keep scores until they can be settled; of items that were forgotten none. Call inside a transaction."""
        forgotten = set(Tombstones(self._db).items())
        kept = [score for score in scores if score.item_id not in forgotten]
        self._db.conn.executemany(
            "INSERT OR IGNORE INTO tool_scores VALUES (?, ?, ?, ?, ?, ?)",
            [
                (score.item_id, score.judge, score.signature, score.written, to_column(score.reason), now)
                for score in kept
            ],
        )
        numbers = sorted({(score.judge, score.value) for score in kept if not isinstance(score.value, str)})
        self._db.conn.executemany(RANGE, numbers)
        self._db.conn.executemany(NAMED, sorted({(score.judge,) for score in kept}))

    def give_scales(self, scales: Mapping[str, ScoreScale]) -> None:
        """Keep what scales judges have."""
        self._db.conn.executemany(SCALE, [(judge, written_scale(scale)) for judge, scale in scales.items()])

    def judges(self) -> list[str]:
        """Return the judges of tools by name, those whose scores wait among them."""
        return [judge for (judge,) in self._db.conn.execute("SELECT judge FROM score_scales ORDER BY judge")]

    def scales(self) -> dict[str, ScoreScale]:
        """Return the scales that were given, by judge."""
        query = "SELECT judge, scale FROM score_scales WHERE scale IS NOT NULL"
        return {judge: parse_scale(scale) for judge, scale in self._db.conn.execute(query)}

    def has_open(self) -> bool:
        """Return whether any score's item is here and its scale known."""
        return bool(self._traffic.execute(f"SELECT EXISTS ({OPEN})").fetchone()[0])

    def open(self, most: int) -> Generator[list[ToolScore]]:
        """Yield the scores whose item is here and whose scale is known, those that came first at the front, so many at a time."""
        execute, last = self._db.conn.execute, 0
        execute(LISTED)
        listed = self._traffic.execute(f"{OPEN} ORDER BY t.at, item_id, judge")
        self._db.conn.executemany("INSERT INTO temp.open_scores VALUES (?, ?, ?, ?, ?)", listed)
        try:
            while rows := execute(NEXT, (last, most)).fetchall():
                last = rows[-1][0]
                yield [_score(row[1:]) for row in rows]
        finally:
            execute("DROP TABLE temp.open_scores")

    def drop(self, scores: Sequence[ToolScore]) -> None:
        """Take scores out that were settled."""
        where = "item_id = ? AND judge = ? AND signature = ? AND value = ?"
        rows = [(score.item_id, score.judge, score.signature, score.written) for score in scores]
        self._db.conn.executemany(f"DELETE FROM tool_scores WHERE {where}", rows)

    def without_item(self) -> int:
        """Return how many scores wait for their item."""
        query = "SELECT count(*) FROM tool_scores t WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.id = t.item_id)"
        return int(self._traffic.execute(query).fetchone()[0])

    def unscaled(self) -> Iterator[Unscaled]:
        """Yield the judges whose scale has to be said."""
        query = (
            "SELECT t.judge, count(*), lowest, highest FROM tool_scores t JOIN score_scales s ON s.judge = t.judge "
            f"WHERE t.judge IN {UNKNOWN} GROUP BY t.judge ORDER BY 1"
        )
        return (Unscaled(*row) for row in self._db.conn.execute(query).fetchall())


def _score(row: Sequence[str]) -> ToolScore:
    item_id, judge, signature, value, reason = row
    return ToolScore(
        item_id=item_id, judge=judge, signature=signature, value=json.loads(value), reason=from_column(reason)
    )
