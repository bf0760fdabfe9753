"""Read rows of production traffic as Items. A row without a question or an answer is an InputError with the reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from annotate.domain.field_mapping import Fields, missing, plain
from annotate.domain.timestamps import Times, stable
from annotate.domain.turns import read_turns
from proxy.errors import InputError
from proxy.records import Context, Item, Turn

# Kept as they came, in the metadata: read only where an answer was wrong.
BESIDE = ("retrieved", "relevant_ids")
FIELDS = (
    *("id", "question", "contexts", "answer", "system", "timestamp", "group"),
    *("history", "reference", "language", *BESIDE),
)
CONTEXT_TEXTS = ("text", "content", "page_content")
CONTEXT_FIELDS = {*CONTEXT_TEXTS, "id", "title", "score"}


def item_from_row(row: Mapping[str, object], mapping: Mapping[str, str], times: Times | None = None) -> Item:
    """Build the item that a row describes; what we have no field for becomes metadata, and so does a time that is dropped."""
    fields = Fields(row, mapping)
    question, answer = fields.text("question"), fields.value("answer")
    if question is None or not question.strip():
        raise InputError(missing("question", row, mapping))
    if answer is None:
        raise InputError(missing("answer", row, mapping))
    if not isinstance(answer, str):
        raise InputError("answer: expected text")
    passages = fields.sequence("contexts")
    contexts = read_contexts(passages)
    system, timestamp = fields.short("system"), fields.moment("timestamp", times)
    history = read_turns(fields.sequence("history"))
    moved = [name for name in BESIDE if name in mapping]
    metadata = fields.others(tuple(name for name in FIELDS if name not in BESIDE or name in moved))
    metadata |= {name: plain(value) for name in moved if (value := fields.value(name)) is not None}
    if any(isinstance(value, dict) and value.keys() - CONTEXT_FIELDS for value in passages):
        metadata["contexts"] = plain(passages)
    known_time = timestamp
    if timestamp is None and (raw := fields.value("timestamp")) not in (None, ""):
        metadata["timestamp"], known_time = plain(raw), stable(raw)
    return Item(
        id=fields.short("id") or _content_id(question, answer, contexts, system, known_time, history),
        question=question,
        answer=answer,
        contexts=contexts,
        system=system,
        timestamp=timestamp,
        group=fields.short("group"),
        language=fields.short("language"),
        history=history,
        reference=fields.text("reference"),
        metadata=metadata,
    )


def retrieved(item: Item) -> tuple[Context, ...]:
    """Return the passages before reranking, in rank order, from the field `retrieved`: texts, or objects with text or id.

    None came where it is empty; InputError where it is no list of passages.
    """
    contexts = []
    for rank, value in enumerate(Fields(item.metadata, {}).sequence("retrieved")):
        named = Fields(value, {}).short("id") if isinstance(value, Mapping) and value.get("text") is None else None
        contexts.append(_context(value, rank) if named is None else Context(text="", id=named))
    return tuple(contexts)


def relevant_ids(item: Item) -> frozenset[str]:
    """Return the ids of passages known to be relevant, from the field `relevant_ids`: a list of ids, or ids with grades above 0.

    InputError where it is neither.
    """
    value = Fields(item.metadata, {}).value("relevant_ids")
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError("relevant_ids: expected ids, or an object of grades by id") from error
    if isinstance(value, Mapping):
        graded = Fields(value, {})
        return frozenset(str(name) for name in value if (graded.number(str(name)) or 0) > 0)
    values = Fields(item.metadata, {}).sequence("relevant_ids")
    return frozenset(name for value in values if (name := Fields({"id": value}, {}).short("id")) is not None)


def read_contexts(passages: Sequence[object]) -> tuple[Context, ...]:
    """Return the passages in rank order."""
    return tuple([_context(value, rank) for rank, value in enumerate(passages)])


def _context(value: object, rank: int) -> Context:
    """Return a passage: its text, or an object with text and, where known, id, title and score."""
    if isinstance(value, str):
        return Context(text=value)
    if not isinstance(value, Mapping):
        raise InputError(f"contexts[{rank}]: expected text or an object with text")
    fields = Fields(value, {})
    text = next((value[name] for name in CONTEXT_TEXTS if value.get(name) is not None), None)
    if not isinstance(text, str):
        raise InputError(f"contexts[{rank}]: no text in it")
    return Context(text=text, id=fields.short("id"), title=fields.text("title"), score=fields.number("score"))


def _content_id(
    question: str,
    answer: str,
    contexts: tuple[Context, ...],
    system: str | None,
    timestamp: str | None,
    history: tuple[Turn, ...],
) -> str:
    """Return the id of an item that came without one: the same row always gets the same."""
    digest = blake2b(digest_size=12)
    passages = [context.text for context in contexts]
    turns = [f"{turn.role}:{turn.text}" for turn in history]
    for part in (question, answer, system or "", timestamp or "", *passages, *(["", *turns] if turns else [])):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return "item-" + digest.hexdigest()
