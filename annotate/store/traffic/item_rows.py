"""Convert an item to the rows of its two tables, and back: long columns as JSON text, hashed once.

In come Items and rows, out come rows and Items. The rule: text that UTF-8 cannot hold survives, and an item's content hash
does not change with a retriever's scores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from annotate.domain.question_key import question_key
from annotate.store.engine.database import from_column, to_column
from annotate.store.engine.item_fields import DATED
from proxy.records import Context, Item, Turn
from proxy.text.turns import with_roles

ITEM_COLUMNS = f'i.key, i.id, i.system, {DATED}, i."group", i.language'
TEXT_COLUMNS = "t.question, t.contexts, t.context_details, t.answer, t.history, t.reference, t.metadata"


class Encoded(NamedTuple):
    """An item's long columns as text, hashed once."""

    item: Item
    contexts: str
    details: str
    history: str
    metadata: str
    content_hash: bytes
    rest_hash: bytes


def encode(item: Item) -> Encoded:
    """Serialise and hash: contexts count by their text alone, so that a new retriever score is no new item."""
    contexts = _json([context.text for context in item.contexts])
    details = _json([_details(context) for context in item.contexts]) if _have_details(item.contexts) else "[]"
    history = _json([{"role": turn.role, "text": turn.text} for turn in item.history]) if item.history else "[]"
    metadata = _json(item.metadata) if item.metadata else "{}"
    content = _hash(item.question, item.answer, history, item.system, contexts)
    rest = _hash(item.timestamp, item.group, item.language, item.reference, details, metadata)
    return Encoded(item, contexts, details, history, metadata, content, rest)


def _hash(*parts: str | None) -> bytes:
    """Return a 16-byte digest of the parts with their lengths, so that they cannot run into each other."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass") if part else b"0:")
    return digest.digest()


def _json(value: object) -> str:
    """Return JSON as text that UTF-8 can always hold: what orjson refuses (lone surrogates, huge integers) is escaped."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _have_details(contexts: Sequence[Context]) -> bool:
    return any([c.id is not None or c.title is not None or c.score is not None for c in contexts])  # noqa: C419 (faster)


def _details(context: Context) -> list[object]:
    """Return what a context has beside its text."""
    return [context.id, context.title, context.score]


def item_row(key: int, revision: int, encoded: Encoded, now: str) -> tuple[object, ...]:
    """Return the narrow row; without a group of its own, an item is grouped with those that ask the same question."""
    item = encoded.item
    question = question_key(item.question, item.history)
    characters = sum([len(context.text) for context in item.contexts])
    return (
        key,
        item.id,
        revision,
        1,
        encoded.content_hash,
        encoded.rest_hash,
        item.system,
        item.timestamp,
        item.group or question,
        item.language,
        len(item.question),
        len(item.contexts),
        characters,
        len(item.answer),
        now,
        None,
        question,
    )


def text_row(encoded: Encoded) -> tuple[object, ...]:
    """Return the row of long columns, after its key."""
    item = encoded.item
    return (
        to_column(item.question),
        encoded.contexts,
        encoded.details,
        to_column(item.answer),
        encoded.history,
        to_column(item.reference),
        encoded.metadata,
    )


def _contexts(texts: list[str], details: list[list[Any]]) -> tuple[Context, ...]:
    if not details:
        return tuple([Context(text=text) for text in texts])
    return tuple(
        Context(text=text, id=identity, title=title, score=score)
        for text, (identity, title, score) in zip(texts, details, strict=True)
    )


def item_from_row(row: Sequence[Any]) -> Item:
    """Return an item from ITEM_COLUMNS and TEXT_COLUMNS."""
    (
        _,
        item_id,
        system,
        timestamp,
        group,
        language,
        question,
        contexts,
        details,
        answer,
        history,
        reference,
        metadata,
    ) = row
    return Item(
        id=item_id,
        question=from_column(question),
        answer=from_column(answer),
        contexts=_contexts(json.loads(contexts), json.loads(details)),
        system=system,
        timestamp=timestamp,
        group=group,
        language=language,
        history=with_roles([Turn(**turn) for turn in json.loads(history)]),
        reference=None if reference is None else from_column(reference),
        metadata=json.loads(metadata),
    )
