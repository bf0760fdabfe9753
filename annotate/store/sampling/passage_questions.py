"""The draws for which chance decided whether their annotators are asked about passages: a known sub-sample of the draws.

A decision is written before the draw is sent and never changed, so that the chance to be drawn and asked is the draw's own times
the share. A wave keeps the share that its first draws had.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from annotate.store.engine.database import Room

WAVE_SHARES = """
    SELECT d.wave, max(q.share) FROM passage_questions q CROSS JOIN draws d ON d.key = q.draw GROUP BY d.wave
"""


class PassageQuestion(NamedTuple):
    """The decision on a draw: the share of the draws that are asked about passages, and whether this is one of them."""

    draw: int
    share: float
    is_asked: bool


class PassageQuestions(Room):
    """The passage_questions table."""

    def all(self) -> dict[int, PassageQuestion]:
        """Return the decision on each draw that has one."""
        rows = self._db.conn.execute("SELECT draw, share, is_asked FROM passage_questions ORDER BY draw")
        return {draw: PassageQuestion(draw, share, bool(is_asked)) for draw, share, is_asked in rows}

    def wave_shares(self) -> dict[int, float]:
        """Return the share of each wave that has draws with a decision."""
        return dict(self._db.conn.execute(WAVE_SHARES).fetchall())

    def by_item(self) -> dict[int, PassageQuestion]:
        """Return the decision on the draw of each item that has one."""
        query = (
            "SELECT d.item, q.draw, q.share, q.is_asked FROM passage_questions q CROSS JOIN draws d ON d.key = q.draw"
        )
        rows = self._db.conn.execute(query)
        return {item: PassageQuestion(draw, share, bool(is_asked)) for item, draw, share, is_asked in rows}

    def keep(self, questions: Iterable[PassageQuestion], *, now: str) -> None:
        """Write decisions; call inside a transaction."""
        self._db.conn.executemany(
            "INSERT INTO passage_questions VALUES (?, ?, ?, ?)",
            [(question.draw, question.share, int(question.is_asked), now) for question in questions],
        )
