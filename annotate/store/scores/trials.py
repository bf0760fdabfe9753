"""What versions of judges said of labelled answers before any was put in force: no report and no rule reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from annotate.store.engine.database import Room, from_column, to_column
from annotate.store.scores.scores import from_content, to_content
from proxy.records import FailureKind, JudgeFailure, Score

KEPT = "INSERT OR REPLACE INTO trial_outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
DONE = """
    SELECT item FROM trial_outcomes WHERE signature = ? AND item IN (SELECT value FROM json_each(?))
    AND coalesce(kind, '') != 'unanswered'
"""


class Trials(Room):
    """The table of trial outcomes; each is kept once, but for requests that were never answered."""

    def keep(self, item: int, outcomes: Sequence[Score | JudgeFailure], *, now: str) -> None:
        """Keep what versions said of an item; call inside a transaction."""
        rows = [
            (
                outcome.judge,
                outcome.signature,
                item,
                outcome.value if isinstance(outcome, Score) else None,
                None if isinstance(outcome, Score) else outcome.kind.value,
                to_column(outcome.reason),
                to_content(outcome),
                outcome.seconds,
                now,
            )
            for outcome in outcomes
        ]
        self._db.conn.executemany(KEPT, rows)

    def done(self, items: Sequence[int], signature: str) -> set[int]:
        """Return those of these items of which this version has said its last word."""
        return {item for (item,) in self._db.conn.execute(DONE, (signature, json.dumps(list(items))))}

    def values(self, signature: str) -> dict[int, float]:
        """Return the scores of a version by item."""
        query = "SELECT item, value FROM trial_outcomes WHERE signature = ? AND value IS NOT NULL"
        return {item: float(value) for item, value in self._db.conn.execute(query, (signature,))}

    def reasons(self, signature: str) -> dict[int, str]:
        """Return the reasons of the scores of a version by item."""
        query = "SELECT item, reason FROM trial_outcomes WHERE signature = ? AND value IS NOT NULL"
        return {item: from_column(reason) for item, reason in self._db.conn.execute(query, (signature,))}

    def outcomes(self, signature: str) -> Mapping[int, Score | JudgeFailure]:
        """Return all that a version said, by item, as it was said."""
        query = (
            "SELECT t.item, i.id, t.judge, t.value, t.kind, t.reason, t.content, t.seconds FROM trial_outcomes t "
            "JOIN items i ON i.key = t.item WHERE t.signature = ? ORDER BY t.item"
        )
        outcomes: dict[int, Score | JudgeFailure] = {}
        for item, item_id, judge, value, kind, reason, content, seconds in self._db.conn.execute(query, (signature,)):
            detail, words = from_content(content), from_column(reason)
            if kind is None:
                outcomes[item] = Score(
                    item_id=item_id,
                    judge=judge,
                    signature=signature,
                    value=float(value),
                    reason=words,
                    seconds=seconds,
                    sentences=detail.sentences,
                    passages=detail.passages,
                )
            else:
                outcomes[item] = JudgeFailure(
                    item_id=item_id,
                    judge=judge,
                    signature=signature,
                    kind=FailureKind(kind),
                    reason=words,
                    seconds=seconds,
                    raw=detail.raw,
                )
        return outcomes
