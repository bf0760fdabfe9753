"""Gold entries as rows of a file: our own form, with where each entry comes from.

In come entries with their items and labels, or the texts of a release; out come rows. The rule: what was forgotten is null and
says so, never an empty text.
"""

from __future__ import annotations

from collections.abc import Mapping

from annotate.domain.conversation import as_rows
from annotate.domain.gold.entries import GoldEntry
from annotate.domain.gold.release import Release, ReleasedTexts
from proxy.records import Item, Label

EXPORT_COLUMNS = (
    *("gold_id", "question", "history", "reference", "contexts", "item_id", "system", "annotator", "role", "release"),
    *("status", "source", "label", "wave", "label_at", "updated_at", "language"),
    *("lacks_knowledge", "flag", "content_hash", "forgotten"),
)


def export_row(entry: GoldEntry, item: Item, label: Label | None) -> Mapping[str, object]:
    """Return an entry as it stands, with where it comes from."""
    return {
        "gold_id": entry.gold_id,
        "question": item.question,
        "history": as_rows(item.history),
        "reference": entry.reference,
        "contexts": [context.text for context in item.contexts],
        "item_id": entry.item_id,
        "system": item.system,
        "annotator": entry.annotator,
        "role": entry.role.value if entry.role else None,
        "release": None,
        "status": entry.status.value,
        "source": entry.source.value,
        "label": label.judgement.value if label else None,
        "wave": label.wave if label else None,
        "label_at": label.at if label else None,
        "updated_at": entry.updated_at,
        "language": item.language,
        "lacks_knowledge": entry.lacks_knowledge,
        "flag": entry.flag,
        "content_hash": None,
        "forgotten": False,
    }


def released_row(
    entry: GoldEntry, item: Item, label: Label | None, release: Release, texts: ReleasedTexts
) -> Mapping[str, object]:
    """Return an entry as it was released, with what is known of its origin today."""
    released = texts.entry
    return {
        **export_row(entry, item, label),
        "question": texts.question,
        "history": as_rows(texts.history),
        "reference": texts.reference,
        "contexts": None if texts.contexts is None else list(texts.contexts),
        "role": released.role.value if released.role else None,
        "release": release.name,
        "status": "released",
        "lacks_knowledge": released.lacks_knowledge,
        "content_hash": released.content_hash,
        "forgotten": texts.question is None,
    }
