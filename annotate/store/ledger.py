"""The sampling ledger as the estimators read it: drawings with their response, drawn items with every chance they had.

Only waves that count are read: up to the last with labels on half of its draws. All of it comes from the draws, so it costs
the same on a million items; what must be counted over all traffic is in `totals`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.sqlite import Database
from proxy.cells import Drawing
from proxy.records import Judgement
from proxy.response import responses

ANSWERED = """
    SELECT d.wave, count(*), count(l.item) FROM draws d CROSS JOIN items i ON i.key = d.item AND i.is_current
    LEFT JOIN labels l ON l.draw = d.key GROUP BY d.wave ORDER BY d.wave
"""
DRAWINGS = """
    SELECT s.wave, s.stratum, s.size, s.drawn, count(i.key), count(l.item), s.is_fixed, w.design = 'pairs' FROM strata s
    JOIN waves w ON w.key = s.wave
    LEFT JOIN draws d ON d.wave = s.wave AND d.stratum = s.stratum
    LEFT JOIN items i ON i.key = d.item AND i.is_current
    LEFT JOIN labels l ON l.draw = d.key AND i.key IS NOT NULL
    WHERE s.wave <= ? GROUP BY s.wave, s.stratum ORDER BY s.wave, s.stratum
"""
DRAWN = """
    SELECT d.key, d.item, d.wave, d.stratum, l.judgement, i."group" FROM draws d
    CROSS JOIN items i ON i.key = d.item AND i.is_current LEFT JOIN labels l ON l.draw = d.key
    WHERE d.wave <= ? ORDER BY d.key
"""
FRAMED = """
    SELECT f.item, f.wave, f.stratum, f.probability FROM draws d CROSS JOIN frames f ON f.item = d.item
    WHERE d.wave <= ? AND f.wave <= ? ORDER BY f.item, f.wave
"""
SILENT = """
    SELECT d.wave, d.stratum, count(*) FROM draws d CROSS JOIN items i ON i.key = d.item AND i.is_current
    CROSS JOIN labels l ON l.draw = d.key WHERE d.key IN (SELECT value FROM json_each(?)) GROUP BY d.wave, d.stratum
"""
CHANCES = """
    SELECT f.item, sum(coalesce(f.probability, s.is_fixed * 1.0 * s.drawn / s.size)) FROM frames f
    JOIN strata s ON s.wave = f.wave AND s.stratum = f.stratum
    JOIN items i ON i.key = f.item AND i.is_current GROUP BY f.item ORDER BY f.item
"""


class Chances(NamedTuple):
    """The items that some wave framed, ascending, and the sum of each one's inclusion probabilities."""

    keys: NDArray[np.int64]
    total: NDArray[np.float64]


class Drawn(NamedTuple):
    """A drawn item: its latest stratum, its label, its chances in the waves that framed it, and which of them drew it.

    `joint` has one of `chances` again where that wave drew all answers to a question with one lot, and 0 where it did not.
    """

    item: int
    stratum: str
    judgement: Judgement | None
    group: str
    drawing: int
    chances: tuple[float, ...]
    own: int
    joint: tuple[float, ...] = ()


class Ledger:
    """Reads waves, strata, frames, draws and labels."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def answered(self) -> list[tuple[int, int, int]]:
        """(wave, draws, labels) of each wave, oldest first."""
        return [tuple(row) for row in self._db.conn.execute(ANSWERED)]

    def last_counted(self) -> int:
        """The last wave that estimates speak of: the last with labels on half of its draws, or all while none has.

        A wave that has just gone out adds items without labels; until they come, the waves before it tell what they told.
        """
        answered = self.answered()
        half = [wave for wave, drawn, labels in answered if 2 * labels >= drawn]
        return max(half or [wave for wave, _, _ in answered], default=0)

    def chances(self) -> Chances:
        """What all waves together gave each current item."""
        rows = np.array(self._db.conn.execute(CHANCES).fetchall(), dtype=np.float64).reshape(-1, 2)
        return Chances(rows[:, 0].astype(np.int64), rows[:, 1])

    def drawings(self, last: int, silent: Collection[int] = ()) -> list[Drawing]:
        """Each stratum of each wave up to `last`; `silent` draws count as not answered."""
        found = [Drawing(*row) for row in self._db.conn.execute(DRAWINGS, (last,))]
        if not silent:
            return found
        rows = self._db.conn.execute(SILENT, (json.dumps(sorted(silent)),))
        fewer = {(wave, stratum): count for wave, stratum, count in rows}
        return [one._replace(returned=one.returned - fewer.get((one.wave, one.stratum), 0)) for one in found]

    def drawn(self, last: int, drawings: list[Drawing], silent: Collection[int] = ()) -> list[Drawn]:
        """Every drawn item that is current, with its chances as the drawings' response leaves them.

        `silent` draws, the same that the drawings left out, are as if no label had come back.
        """
        number = {(one.wave, one.stratum): n for n, one in enumerate(drawings)}
        joint = {one.wave for one in drawings if one.is_joint}
        response = responses(drawings)
        paths: dict[int, list[tuple[int, str, float]]] = defaultdict(list)
        waiting: dict[int, float] = defaultdict(lambda: 1.0)
        for item, wave, stratum, own in self._db.conn.execute(FRAMED, (last, last)):
            drawing = number.get((wave, stratum))
            if drawing is not None:
                chance = drawings[drawing].chance if own is None else own
                answered = response[drawing] * chance * waiting[item]
                paths[item].append((wave, stratum, answered))
                waiting[item] *= still_waiting(chance, answered)
        return [
            Drawn(
                item=item,
                stratum=paths[item][-1][1],
                judgement=Judgement(judgement) if judgement and key not in silent else None,
                group=group,
                drawing=number[wave, stratum],
                chances=tuple(chance for _, _, chance in paths[item]),
                own=[framed for framed, _, _ in paths[item]].index(wave),
                joint=tuple(chance if framed in joint else 0.0 for framed, _, chance in paths[item]),
            )
            for key, item, wave, stratum, judgement, group in self._db.conn.execute(DRAWN, (last,))
        ]


def still_waiting(chance: float, answered: float) -> float:
    """P(not drawn | no label): what an unanswered draw takes from later chances, for it is never drawn again."""
    return (1 - chance) / (1 - answered) if answered < 1 else 0.0


def speaking(drawings: list[Drawing]) -> list[Drawing] | None:
    """The drawings with answers, which alone speak for the items that they could have drawn; None if all have some."""
    found = [one for one, share in zip(drawings, responses(drawings), strict=True) if share * one.chance]
    return None if len(found) == len(drawings) else found
