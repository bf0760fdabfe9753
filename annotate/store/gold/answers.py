"""Keep which wrong answers a reference of their question corrects, and which it leaves out.

The rule: a question has the live references of all its answers, and of imported entries that ask it word for word.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from annotate.domain.gold import GoldEntry
from annotate.domain.gold.answers import ComparedAnswer, UncorrectedAnswer
from annotate.store.engine.database import Room, from_column, to_column
from annotate.store.gold.entries import ENTRY, LIVE, NOT_SYNTHETIC, WITHOUT_REFERENCE, entry_from_row

LISTED = "(SELECT value FROM json_each(?))"
OF_QUESTION = f"""
    {ENTRY} WHERE {LIVE} AND {NOT_SYNTHETIC} AND (
        i.question = (SELECT nullif(question, '') FROM items WHERE key = ?1) OR g.item = ?1
        OR (g.item IS NULL AND g.question = (SELECT question FROM texts WHERE key = ?1)
            AND coalesce(g.history, '[]') = (SELECT history FROM texts WHERE key = ?1)))
    ORDER BY g.item IS NULL, g.item, g.gold_id
"""
LEFT_OUT = f"""
    SELECT a.gold_id, a.item, a.why, a.who, a.at FROM gold_answers a JOIN gold g USING (gold_id)
    WHERE NOT a.is_corrected AND {LIVE} AND a.item IN {LISTED} ORDER BY a.item, a.at, a.gold_id
"""
WAITING = f"""
    SELECT key FROM items WHERE key IN ({WITHOUT_REFERENCE}) AND
        (question = (SELECT nullif(question, '') FROM items WHERE key = ?1) OR key = ?1) ORDER BY key
"""
CORRECTED = f"""
    SELECT a.gold_id, i.id FROM gold_answers a JOIN items i ON i.key = a.item
    WHERE a.is_corrected AND a.gold_id IN {LISTED} ORDER BY a.gold_id, a.item
"""


class GoldAnswers(Room):
    """The gold_answers table."""

    def references(self, item: int) -> list[GoldEntry]:
        """Return the references of the question of an item: those a person wrote or accepted, and right answers."""
        return [entry_from_row(row) for row in self._db.conn.execute(OF_QUESTION, (item,))]

    def note(
        self,
        gold_id: str,
        corrected: Iterable[int],
        left_out: Iterable[UncorrectedAnswer],
        *,
        note: str | None,
        who: str,
        now: str,
    ) -> bool:
        """Keep what a person found when they compared answers with a reference; whether that is news.

        Answers that are corrected keep the `note`, those that are left out why.
        """
        rows = [(item, 1, note) for item in corrected] + [(answer.item, 0, answer.why) for answer in left_out]
        before = dict(
            self._db.conn.execute(
                "SELECT item, is_corrected FROM gold_answers WHERE gold_id = ?", (gold_id,)
            ).fetchall()
        )
        self._db.conn.executemany(
            "INSERT INTO gold_answers VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (gold_id, item) DO UPDATE SET "
            "(is_corrected, why, who, at) = (excluded.is_corrected, excluded.why, excluded.who, excluded.at)",
            [(gold_id, item, value, to_column(why), to_column(who), now) for item, value, why in rows],
        )
        return any(before.get(item) != value for item, value, _ in rows)

    def waiting(self, item: int) -> list[int]:
        """Return the wrong answers to the question of an item that need a reference."""
        return [row[0] for row in self._db.conn.execute(WAITING, (item,))]

    def left_out(self, items: Collection[int]) -> list[ComparedAnswer]:
        """Return which of these answers a live reference of their question leaves out, and why."""
        rows = self._db.conn.execute(LEFT_OUT, (json.dumps(list(items)),))
        return [ComparedAnswer(gold_id, item, _text(why), _text(who), at) for gold_id, item, why, who, at in rows]

    def corrected(self, gold_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the ids of the answers that each of these entries corrects beside its own."""
        ids: dict[str, list[str]] = {}
        for gold_id, item_id in self._db.conn.execute(CORRECTED, (json.dumps(list(gold_ids)),)):
            ids.setdefault(gold_id, []).append(item_id)
        return ids

    def same_question(self, items: Collection[int]) -> bool:
        """Return whether all these rows ask one question."""
        query = (
            f"SELECT count(DISTINCT CASE question WHEN '' THEN key ELSE question END) FROM items WHERE key IN {LISTED}"
        )
        questions: int = self._db.conn.execute(query, (json.dumps(list(items)),)).fetchone()[0]
        return questions <= 1


def _text(value: str | bytes | None) -> str:
    return "" if value is None else from_column(value)
