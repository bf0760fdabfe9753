"""Fill `items.question` of a store that was made before questions had keys, from the texts that it holds.

A group that is only a hash of the question's text, made where the caller gave none, becomes the question's key; a caller's own
group is never touched. Rows are read and written in blocks, so memory stays flat.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import orjson

from annotate.domain.question_key import PREFIX, key_of_parts, question_key
from annotate.store.engine.sqlite import Database
from proxy.records import Turn

BLOCK = 20_000
READ = """
    SELECT i.key, i.id, i."group", i.forgotten_at, t.question, t.history FROM items i
    LEFT JOIN texts t ON t.key = i.key WHERE i.key > ? ORDER BY i.key LIMIT ?
"""
WRITE = 'UPDATE items SET question = ?, "group" = ? WHERE key = ?'
# Waves of pairs drew all answers of a group with one lot; where that is no longer the question, the draw keeps it.
LOTS = """
    UPDATE draws SET lot = (SELECT i."group" FROM items i WHERE i.key = draws.item)
    WHERE wave IN (SELECT key FROM waves WHERE design = 'pairs')
"""
SAME_LOTS = "UPDATE draws SET lot = NULL WHERE lot = (SELECT i.question FROM items i WHERE i.key = draws.item)"


def fill_questions(db: Database) -> None:
    """Key every item's question; call inside the migration that adds the columns."""
    run = db.conn
    run.execute(LOTS)
    last = 0
    while rows := run.execute(READ, (last, BLOCK)).fetchall():
        last = rows[-1][0]
        run.executemany(WRITE, [_keyed(row) for row in rows])
    run.execute(SAME_LOTS)


def _keyed(row: tuple[Any, ...]) -> tuple[str, str, int]:
    """Return the question, the group and the row of an item."""
    key, item_id, group, forgotten_at, text, history = row
    if forgotten_at is not None or text is None:
        # Its text is gone: what is known of its question is the group that was made of it, if any.
        return (group if group.startswith(PREFIX) else key_of_parts(["forgotten", item_id])), group, key
    asked = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
    turns = [Turn(**turn) for turn in orjson.loads(history)] if history != "[]" else []
    question = question_key(asked, turns)
    return question, question if group == _of_text(asked) else group, key


def _of_text(text: str) -> str:
    """Return the group that an item without one had until now: a hash of its question's text alone."""
    plain = " ".join(text.casefold().split())
    joined = f"{len(plain)}:{plain}".encode("utf-8", "surrogatepass")
    return PREFIX + blake2b(joined, digest_size=16).hexdigest()[:16]
