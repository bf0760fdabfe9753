"""Traits of every current item, known before anyone reads it, in blocks; and which items a wave looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotate.store.engine.database import from_column
from annotate.store.engine.sqlite import Database

BLOCK = 5_000
TRAITS = """
    SELECT i.key, i.language, i.question_chars, i.contexts, i.contexts_chars, i.answer_chars, t.question
    FROM items i JOIN texts t ON t.key = i.key WHERE i.is_current ORDER BY i.key
"""
FIELDS = """
    SELECT j.key, count(DISTINCT j.value) FROM texts t, json_each(t.metadata) j
    WHERE t.key IN (SELECT value FROM json_each(?)) AND j.type NOT IN ('object', 'array', 'null') GROUP BY 1 ORDER BY 1
"""
ELSEWHERE = """
    SELECT i.key FROM items i WHERE i.key IN (SELECT value FROM json_each(?))
    AND i.ingested_at <= (SELECT at FROM waves WHERE key = ?)
    AND NOT EXISTS (SELECT 1 FROM frames WHERE item = i.key AND wave = ?)
"""


class Trait(NamedTuple):
    """A current item: lengths in characters, `contexts` a count."""

    item: int
    language: str | None
    question_chars: int
    contexts: int
    contexts_chars: int
    answer_chars: int
    question: str


class Traits:
    """Read items, texts and frames."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def blocks(self) -> Iterator[list[Trait]]:
        """Yield every current item, in the order of the rows."""
        cursor = self._db.conn.execute(TRAITS)
        while rows := cursor.fetchmany(BLOCK):
            yield [Trait(*row)._replace(question=from_column(row[-1])) for row in rows]

    def own_fields(self, items: Sequence[int]) -> dict[str, int]:
        """Return the fields of the caller's own that these items have, with the number of different values of each."""
        rows = self._db.conn.execute(FIELDS, (json.dumps(list(items)),))
        return {str(name): int(count) for name, count in rows}

    def outside(self, wave: int, items: Sequence[int]) -> set[int]:
        """Return those of these items that were there when the wave was drawn and that it did not look at."""
        rows = self._db.conn.execute(ELSEWHERE, (json.dumps(list(items)), wave, wave))
        return {key for (key,) in rows}
