"""Sampling ledger for people: the outcome of each stratum of each wave, outdated frames, and what no frame holds.

Everything is counted in SQL. Frames hold a row for each item of each wave, so what counts them is asked for by itself.
"""

from __future__ import annotations

from typing import NamedTuple

from annotate.store.engine.rollups import Rollups
from annotate.store.engine.sqlite import Database
from annotate.store.labels.annotations import STANDING

BY_STRATUM = f"""
    SELECT d.wave, d.stratum, coalesce(sum(i.is_current AND l.judgement = 'right'), 0),
        coalesce(sum(i.is_current AND l.judgement = 'wrong'), 0), coalesce(sum(i.is_current AND l.judgement = 'unsure'), 0),
        sum(i.is_current AND l.item IS NULL),
        sum(i.is_current AND l.item IS NULL AND EXISTS (SELECT 1 FROM annotations a WHERE a.draw = d.key AND {STANDING})),
        sum(NOT i.is_current)
    FROM draws d JOIN items i ON i.key = d.item LEFT JOIN labels l ON l.draw = d.key
    GROUP BY d.wave, d.stratum ORDER BY d.wave, d.stratum
"""
KEPT_UNTIL = ("items", "waves")
FRAMES = """
    SELECT f.wave, count(*), sum(NOT i.is_current) FROM frames f JOIN items i ON i.key = f.item GROUP BY f.wave ORDER BY f.wave
"""
COVERED = """
    SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM frames WHERE item = i.key)), 0),
        coalesce(sum(EXISTS (SELECT 1 FROM frames WHERE item = i.key AND wave <= ?)), 0)
    FROM items i WHERE i.is_current
"""


class StratumProgress(NamedTuple):
    """Progress of a stratum's draws: labels of current items, draws without one (`skipped` of them were passed over).

    The items of `gone` draws have other content by now, so their labels count no more.
    """

    wave: int
    stratum: str
    right: int
    wrong: int
    unsure: int
    open: int
    skipped: int
    gone: int


class FrameState(NamedTuple):
    """A wave's frame: the items that it held, and how many of them have other content by now."""

    wave: int
    items: int
    gone: int


class Covered(NamedTuple):
    """Current items, those that any wave has framed, and those that a wave which counts has framed."""

    items: int
    framed: int
    counted: int


class WaveLedger:
    """Read draws, labels, frames and items."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rollups = Rollups(db)

    def by_stratum(self) -> list[StratumProgress]:
        """Return each stratum that was drawn from, the oldest wave first."""
        return [StratumProgress(*row) for row in self._db.conn.execute(BY_STRATUM)]

    def frames(self) -> list[FrameState]:
        """Return each wave's frame."""
        rows = self._rollups.get("frames", KEPT_UNTIL, "", lambda: self._db.conn.execute(FRAMES).fetchall())
        return [FrameState(*row) for row in rows]  # type: ignore[arg-type] # as they were counted

    def covered(self, last: int) -> Covered:
        """Return how much of the traffic the waves have framed; those up to `last` count."""
        rows = self._rollups.get(
            "covered", KEPT_UNTIL, str(last), lambda: self._db.conn.execute(COVERED, (last,)).fetchall()
        )
        return Covered(*rows[0])  # type: ignore[arg-type] # as it was counted
