"""Find releases that have changed since they were made, by the hash of their entries and by their texts.

Texts that were forgotten are no fault; the hash of a release covers ids and hashes alone, so it holds without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotate.domain.conversation import from_text
from annotate.domain.gold import GoldRole
from annotate.domain.gold.release import Released, fits, manifest_hash
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.database import from_column
from annotate.store.engine.sqlite import Database

NEXT = "put this file aside as it is, and restore a backup (docs/operations.md)"
RELEASES = "SELECT name, hash, entries FROM releases ORDER BY at, name"
ENTRIES = "SELECT gold_id, revision, content_hash, role, lacks_knowledge FROM release_entries WHERE release = ?"
TEXTS = """
    SELECT e.release, e.gold_id, e.content_hash, r.reference, coalesce(g.question, t.question), coalesce(g.contexts, t.contexts),
        coalesce(g.history, t.history)
    FROM release_entries e LEFT JOIN gold g ON g.gold_id = e.gold_id
    LEFT JOIN gold_revisions r ON r.sequence = e.revision AND r.gold_id = e.gold_id
    LEFT JOIN items i ON i.key = g.item LEFT JOIN texts t ON t.key = g.item
    WHERE i.forgotten_at IS NULL ORDER BY e.release, e.gold_id
"""


def changed_releases(db: Database) -> Iterator[str]:
    """Yield each release whose entries no longer give its hash, and each entry whose text has changed since it was made."""
    for name, noted, count in db.conn.execute(RELEASES).fetchall():
        rows = db.conn.execute(ENTRIES, (name,)).fetchall()
        if len(rows) != count or _manifest(rows) != noted:
            yield f"release {name}: its entries are not those it was made of: {NEXT}"
    for name, gold_id, noted, *texts in db.conn.execute(TEXTS):
        if not _is_unchanged(noted, *texts):
            yield f"release {name}: the text of {gold_id} was changed after it was made: {NEXT}"


def _manifest(rows: list[tuple[Any, ...]]) -> str | None:
    """Return the hash that these entries give, or None where they cannot be read."""
    try:
        return manifest_hash(
            Released(
                gold_id=gold_id,
                revision=revision,
                content_hash=digest,
                role=None if role is None else GoldRole(role),
                lacks_knowledge=bool(lacks),
            )
            for gold_id, revision, digest, role, lacks in rows
        )
    except (TypeError, ValueError):
        return None


def _is_unchanged(noted: str, reference: Any, question: Any, contexts: Any, history: Any) -> bool:
    """Return whether the texts give the hash; what was forgotten cannot tell."""
    if FORGOTTEN in (reference, question):
        return True
    try:
        texts = from_column(question), from_column(reference), json.loads(contexts), from_text(history)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    return fits(noted, *texts)
