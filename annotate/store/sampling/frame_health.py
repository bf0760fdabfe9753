"""Prove that the frames of waves are what they were at the draw, and that the draws are those that their numbers decide.

A frame with a definition is computed again, stretch by stretch, and compared with the digests that were made at the draw and
are sealed with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotate.store.engine.database import from_column, of_traffic
from annotate.store.engine.defined_frames import DefinedFrames
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError

MOST_STRETCHES, MOST_FILES = 3, 3
NEXT = "restore a backup of the store and its lake, or draw a new wave: labels of this one may count with wrong weights"
ENDS = "SELECT id FROM items WHERE key BETWEEN ? AND ? ORDER BY key {order} LIMIT 1"
FILES = """
    SELECT path FROM lake_parts WHERE first_item <= ?2 AND last_item >= ?1 AND (kind = 'items'
        OR (kind = 'verdicts' AND owner = ?3) OR (kind = 'scores' AND owner IN (SELECT value FROM json_each(?4))))
    ORDER BY path
"""
RESTS_ON = "SELECT rule, judges FROM frame_definitions WHERE wave = ?"


def changed_frames(db: Database) -> Iterator[str]:
    """Yield the problems, in words."""
    frames = DefinedFrames(db)
    for wave in frames.waves():
        try:
            yield from _changed(db, frames, wave)
        except StoreError as error:
            yield str(error)


def _changed(db: Database, frames: DefinedFrames, wave: int) -> Iterator[str]:
    changed = list(frames.changed_stretches(wave))
    for first, last in changed[:MOST_STRETCHES]:
        yield (
            f"wave {wave}: the frame that it was drawn from cannot be computed again: something changed among the answers "
            f"{_named(db, first, last)}{_files(db, wave, first, last)}: {NEXT}"
        )
    if len(changed) > MOST_STRETCHES:
        yield f"wave {wave}: so do {len(changed) - MOST_STRETCHES} more stretches of its frame"


def _named(db: Database, first: int, last: int) -> str:
    """Return the first and the last answer between these rows, by their ids."""
    ends = [of_traffic(db).execute(ENDS.format(order=order), (first, last)).fetchone() for order in ("ASC", "DESC")]
    known = [from_column(row[0]) for row in ends if row is not None]
    return f"from {known[0]} to {known[-1]}" if known else f"in the rows {first} to {last}, which are gone"


def _files(db: Database, wave: int, first: int, last: int) -> str:
    """Return the files of a lake in which these answers lie; nothing without a lake."""
    rule, judges = db.conn.execute(RESTS_ON, (wave,)).fetchone()
    paths = [path for (path,) in db.conn.execute(FILES, (first, last, rule, judges))]
    more = f" and {len(paths) - MOST_FILES} more" if len(paths) > MOST_FILES else ""
    return f" (in {', '.join(paths[:MOST_FILES])}{more})" if paths else ""
