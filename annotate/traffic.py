"""Rows of production traffic in, Items out. A row without a question or an answer is an InputError with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from annotate.fields import Fields, missing, plain
from proxy.errors import InputError
from proxy.records import Context, Item, Turn

FIELDS = (
    *("id", "question", "contexts", "answer", "system", "timestamp", "group"),
    *("history", "reference", "language"),
)
CONTEXT_FIELDS = {"text", "id", "title", "score"}


def item_from_row(row: Mapping[str, object], mapping: Mapping[str, str]) -> Item:
    """The item that a row describes; what we have no field for becomes its metadata."""
    fields = Fields(row, mapping)
    question, answer = fields.text("question"), fields.value("answer")
    if question is None or not question.strip():
        raise InputError(missing("question", row, mapping))
    if answer is None:
        raise InputError(missing("answer", row, mapping))
    if not isinstance(answer, str):
        raise InputError("answer: expected text")
    passages = fields.sequence("contexts")
    contexts = tuple([_context(value, rank) for rank, value in enumerate(passages)])
    system, timestamp = fields.short("system"), fields.moment("timestamp")
    history = tuple(_turn(value) for value in fields.sequence("history"))
    metadata = fields.others(FIELDS)
    if any(isinstance(value, dict) and value.keys() - CONTEXT_FIELDS for value in passages):
        metadata["contexts"] = plain(passages)
    return Item(
        id=fields.short("id") or _content_id(question, answer, contexts, system, timestamp, history),
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


def _context(value: object, rank: int) -> Context:
    """A passage: its text, or an object with text and, where known, id, title and score."""
    if isinstance(value, str):
        return Context(text=value)
    if not isinstance(value, Mapping):
        raise InputError(f"contexts[{rank}]: expected text or an object with text")
    fields = Fields(value, {})
    text = fields.value("text")
    if not isinstance(text, str):
        raise InputError(f"contexts[{rank}]: no text in it")
    return Context(text=text, id=fields.short("id"), title=fields.text("title"), score=fields.number("score"))


def _turn(value: object) -> Turn:
    """An earlier message: text, or an object with role and text (or content)."""
    if isinstance(value, str):
        return Turn(role="", text=value)
    if isinstance(value, Mapping):
        text = value.get("text", value.get("content"))
        if isinstance(text, str):
            return Turn(role=str(value.get("role", "")), text=text)
    raise InputError("history: expected texts, or objects with role and text")


def _content_id(
    question: str,
    answer: str,
    contexts: tuple[Context, ...],
    system: str | None,
    timestamp: str | None,
    history: tuple[Turn, ...],
) -> str:
    """The id of an item that came without one: the same row always gets the same."""
    digest = blake2b(digest_size=12)
    passages = [context.text for context in contexts]
    turns = [f"{turn.role}:{turn.text}" for turn in history]
    for part in (question, answer, system or "", timestamp or "", *passages, *(["", *turns] if turns else [])):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return "item-" + digest.hexdigest()
