"""Match the scores of two judges on the same items, with what the items share and their time.

The rule: only current items that both have scored, in the order of their rows; a sample of them is the same for the same seed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.item_fields import FIELDS
from annotate.store.engine.sqlite import Database
from proxy.evaluation.ledger import numbered

BOTH = """
    FROM scores a JOIN scores b ON b.item = a.item AND b.judge = ? JOIN items i ON i.key = a.item
    WHERE a.judge = ? AND is_current
"""
VALUES = "SELECT value FROM scores s JOIN items i ON i.key = s.item WHERE s.judge = ? AND is_current"


class Both(NamedTuple):
    """The scores of two judges on some of the `whole` items that both scored.

    With each item's row, group, question and period ("" without).
    """

    item: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    group: NDArray[np.intp]
    question: NDArray[np.intp]
    period: NDArray[np.str_]
    whole: int


class MatchedScores:
    """Read scores and items."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def both(self, judges: tuple[int, int], by: str, *, most: int, seed: int) -> Both:
        """Return at most so many of the items that the judges in these two rows scored, and how many there are."""
        bound = judges[::-1]
        (whole,) = self._db.conn.execute(f"SELECT count(*) {BOTH}", bound).fetchone()
        query = f'SELECT a.item, a.value, b.value, i."group", i.question, {FIELDS[by]} {BOTH} ORDER BY a.item'
        rows = self._db.conn.execute(query, bound)
        if whole > most:
            is_drawn = np.zeros(whole, dtype=np.bool_)
            is_drawn[np.random.default_rng(seed).choice(whole, most, replace=False)] = True
            rows = (row for row, is_kept in zip(rows, is_drawn.tolist(), strict=True) if is_kept)  # type: ignore[assignment]
        items, first, second, groups, questions, periods = list(zip(*rows, strict=True)) or [()] * 6
        return Both(
            item=np.array(items, dtype=np.int64),
            first=np.array(first, dtype=np.float64),
            second=np.array(second, dtype=np.float64),
            group=numbered(groups),
            question=numbered(questions),
            period=np.array([period or "" for period in periods], dtype=np.str_),
            whole=int(whole),
        )

    def values(self, judge: int) -> NDArray[np.float64]:
        """Return every score that the judge in this row gave a current item."""
        return np.fromiter((row[0] for row in self._db.conn.execute(VALUES, (judge,))), dtype=np.float64)
