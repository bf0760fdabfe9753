"""What versions of judges said of labelled answers before any was put in force: no report and no rule reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.store.engine.database import Room, from_column, to_column
from annotate.store.scores.scores import from_content, to_content
from proxy.records import FailureKind, JudgeFailure, Score

KEPT = "INSERT OR REPLACE INTO trial_outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
DONE = """
    SELECT item FROM trial_outcomes WHERE signature = ? AND item IN (SELECT value FROM json_each(?))
    AND coalesce(kind, '') != 'unanswered'
"""


OUTCOMES = """
    SELECT t.item, i.id, t.judge, t.signature, t.value, t.kind, t.reason, t.content, t.seconds FROM trial_outcomes t
    JOIN items i ON i.key = t.item WHERE t.signature = ? ORDER BY t.item
"""


class TrialRow(NamedTuple):
    """What a version said of an item; `kind` is that of a failure, and `value` is None there."""

    item: int
    item_id: str
    judge: str
    signature: str
    value: float | None
    kind: str | None
    reason: str
    content: str | None
    seconds: float | None


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

    def scores(self, signature: str) -> dict[int, Score]:
        """Return the scores of a version by item."""
        outcomes = self.outcomes(signature)
        return {item: outcome for item, outcome in outcomes.items() if isinstance(outcome, Score)}

    def outcomes(self, signature: str) -> Mapping[int, Score | JudgeFailure]:
        """Return all that a version said, by item, as it was said."""
        rows = map(TrialRow._make, self._db.conn.execute(OUTCOMES, (signature,)))
        return {row.item: _failure(row, FailureKind(row.kind)) if row.kind else _score(row) for row in rows}


def _score(row: TrialRow) -> Score:
    detail = from_content(row.content)
    return Score(
        item_id=row.item_id,
        judge=row.judge,
        signature=row.signature,
        value=float(row.value or 0.0),
        reason=from_column(row.reason),
        seconds=row.seconds,
        sentences=detail.sentences,
        passages=detail.passages,
    )


def _failure(row: TrialRow, kind: FailureKind) -> JudgeFailure:
    return JudgeFailure(
        item_id=row.item_id,
        judge=row.judge,
        signature=row.signature,
        kind=kind,
        reason=from_column(row.reason),
        seconds=row.seconds,
        raw=from_content(row.content).raw,
    )
