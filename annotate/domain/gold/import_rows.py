"""Rows of a file of references: a question and its reference, and where they belong, if that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.domain.field_mapping import Fields, missing
from annotate.domain.gold.tool_rows import in_our_names
from annotate.domain.timestamps import shown
from annotate.domain.turns import read_turns
from proxy.errors import InputError
from proxy.records import Turn
from proxy.text.turns import with_roles

FIELDS = ("question", "history", "reference", "contexts", "item_id", "annotator")


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldRow:
    """A reference from elsewhere; `question` is empty where the row names its item alone."""

    question: str
    reference: str
    contexts: tuple[str, ...] = ()
    item_id: str | None = None
    annotator: str | None = None
    history: tuple[Turn, ...] = ()


def gold_row(row: Mapping[str, object], mapping: Mapping[str, str]) -> GoldRow:
    """Return the reference that a row describes; without a mapping, also as other tools write it."""
    row = row if mapping else in_our_names(row)
    fields = Fields(row, mapping)
    question, reference, item_id = fields.text("question"), fields.text("reference"), fields.short("item_id")
    if reference is None or not reference.strip():
        raise InputError(missing("reference", row, mapping))
    if (question is None or not question.strip()) and item_id is None:
        raise InputError(missing("question", row, mapping))
    return GoldRow(
        question=question or "",
        reference=reference,
        contexts=tuple(_context(context) for context in fields.sequence("contexts")),
        item_id=item_id,
        annotator=fields.short("annotator"),
        history=with_roles(read_turns(fields.sequence("history"))),
    )


def _context(value: object) -> str:
    """Return a passage as text, by itself or under `text`."""
    text = value.get("text") if isinstance(value, Mapping) else value
    if not isinstance(text, str):
        raise InputError(f"contexts: expected texts, found {shown(value)}")
    return text
