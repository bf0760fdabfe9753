"""Keep what people have typed as references and not saved yet, by question and annotator.

A draft lies with the answer that it was begun for, so that it goes where that is forgotten, and is found by its question.

The rule: no draft is written over by somebody who has not seen it. A draft that has gone on elsewhere stays, and what comes from
another window of the same person becomes a draft of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from annotate.domain.gold.answers import UncorrectedAnswer
from annotate.domain.gold.drafts import DraftVersion, KeptDraft, ReferenceDraft, origin_of
from annotate.store.engine.database import Room, from_column, to_column
from annotate.store.gold.entries import WITHOUT_REFERENCE

COLUMNS = "text, note, lacks_knowledge, left_out, origin, origin_item"
SEEN = "key = ? AND revision = ? AND annotator = ?"
QUESTION = "coalesce(nullif({items}.question, ''), {items}.key)"
OF_QUESTION = f"""
    SELECT d.key, d.revision, annotator, updated_at, {COLUMNS} FROM reference_drafts d JOIN items i ON i.key = d.item
    WHERE {QUESTION.format(items="i")} = (SELECT {QUESTION.format(items="o")} FROM items o WHERE o.key = ?)
    ORDER BY updated_at DESC, d.key DESC
"""
OVERTAKEN = f"""
    SELECT min(d.item) FROM reference_drafts d JOIN items i ON i.key = d.item WHERE annotator = ?
    AND {QUESTION.format(items="i")} NOT IN
        (SELECT {QUESTION.format(items="o")} FROM items o WHERE o.key IN (SELECT item FROM ({WITHOUT_REFERENCE})))
    GROUP BY {QUESTION.format(items="i")} ORDER BY 1
"""


class ReferenceDrafts(Room):
    """The reference_drafts table."""

    def of_question(self, item: int) -> list[KeptDraft]:
        """Return everybody's drafts for the question of an item, the newest first."""
        return [_draft(row) for row in self._db.conn.execute(OF_QUESTION, (item,))]

    def overtaken(self, annotator: str) -> list[int]:
        """Return an item of each question that this person has drafts for and that needs no reference any more."""
        return [row[0] for row in self._db.conn.execute(OVERTAKEN, (to_column(annotator),))]

    def keep(
        self, item: int, annotator: str, draft: ReferenceDraft, seen: DraftVersion | None, *, now: str
    ) -> DraftVersion | None:
        """Keep a draft in the place of the one that was seen, and return its version; a blank one deletes that.

        Where the one that was seen is another by now, or somebody else's, this is a new draft beside it.
        """
        execute, who, origin = self._db.conn.execute, to_column(annotator), draft.origin
        place = (*(seen or (None, None)), who)
        if draft.is_blank:
            execute(f"DELETE FROM reference_drafts WHERE {SEEN}", place)
            return None
        content = (
            to_column(draft.text),
            to_column(draft.note),
            int(draft.lacks_knowledge),
            json.dumps(draft.left_out),
            *((origin.code, origin.item) if origin else (None, None)),
        )
        kept = (
            execute(
                f"UPDATE reference_drafts SET ({COLUMNS}) = (?, ?, ?, ?, ?, ?), updated_at = ?, revision = revision + 1 "
                f"WHERE {SEEN} RETURNING key, revision",
                (*content, now, *place),
            ).fetchall()
            or execute(
                "SELECT key, revision FROM reference_drafts WHERE (item, annotator) = (?, ?) "
                f"AND ({COLUMNS}) IS (?, ?, ?, ?, ?, ?)",
                (item, who, *content),
            ).fetchall()
        )
        if not kept:
            query = f"INSERT INTO reference_drafts (item, annotator, {COLUMNS}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            kept = execute(f"{query} RETURNING key, revision", (item, who, *content, now)).fetchall()
        return DraftVersion(*kept[0])

    def drop(self, seen: Iterable[DraftVersion]) -> None:
        """Delete these drafts, as far as they are what was seen."""
        self._db.conn.executemany("DELETE FROM reference_drafts WHERE key = ? AND revision = ?", list(seen))


def _draft(row: Sequence[object]) -> KeptDraft:
    """Return a draft from OF_QUESTION."""
    key, revision, annotator, updated_at, text, note, lacks_knowledge, left_out, source, item = row
    return KeptDraft(
        DraftVersion(int(str(key)), int(str(revision))),
        _text(annotator),
        ReferenceDraft(
            text=_text(text),
            note=_text(note),
            lacks_knowledge=bool(lacks_knowledge),
            left_out=tuple(UncorrectedAnswer(*answer) for answer in json.loads(str(left_out))),
            origin=None if source is None else origin_of(str(source), int(str(item))),
        ),
        str(updated_at),
    )


def _text(value: object) -> str:
    return from_column(value) if isinstance(value, (str, bytes)) else ""
