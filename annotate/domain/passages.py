"""The fields of a row of traffic, and the passages in its contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from annotate.domain.field_mapping import Fields
from annotate.domain.timestamps import NO_NUMBER, Times
from proxy.errors import InputError
from proxy.records import Context

# Kept as they came, in the metadata; `proxy.judges.retrieval_fields` reads them.
BESIDE = ("retrieved", "relevant_ids")
TRAFFIC_FIELDS = (
    "id",
    "question",
    "contexts",
    "answer",
    "system",
    "timestamp",
    "group",
    "history",
    "reference",
    "language",
    *BESIDE,
)
CONTEXT_TEXTS = ("text", "content", "page_content", "pageContent", "snippet", "passage", "chunk", "body")
CONTEXT_FIELDS = {*CONTEXT_TEXTS, "id", "title", "score"}


def read_contexts(passages: Sequence[object], times: Times | None = None) -> tuple[Context, ...]:
    """Return the passages in rank order; a score that is no number costs the score, and is counted in `times`."""
    if are_texts(passages):
        return tuple([Context(text=value) for value in passages])
    return tuple([_context(value, rank, times) for rank, value in enumerate(passages)])


def are_texts(passages: Sequence[object]) -> TypeGuard[Sequence[str]]:
    """Return whether each passage is its text alone."""
    return all([isinstance(value, str) for value in passages])  # noqa: C419 (a generator takes twice as long)


def holds_more(passages: Sequence[object], contexts: Sequence[Context]) -> bool:
    """Return whether passages hold what their contexts do not: fields that are none of ours, scores that are no numbers."""
    if are_texts(passages):
        return False
    objects = [(value, context) for value, context in zip(passages, contexts, strict=True) if isinstance(value, dict)]
    return any(
        value.keys() - CONTEXT_FIELDS or (context.score is None and value.get("score") not in (None, ""))
        for value, context in objects
    )


def _context(value: object, rank: int, times: Times | None = None) -> Context:
    """Return a passage: its text, or an object with text and, where known, id, title and score."""
    if isinstance(value, str):
        return Context(text=value)
    if not isinstance(value, Mapping):
        raise InputError(f"contexts[{rank}]: expected text or an object with text")
    fields = Fields(value, {})
    text = next((value[name] for name in CONTEXT_TEXTS if value.get(name) is not None), None)
    if isinstance(text, Mapping):
        text = text.get("text")  # as Bedrock has it
    if not isinstance(text, str):
        raise InputError(f"contexts[{rank}]: no text in it")
    try:
        score = fields.number("score")
    except InputError:
        score = None
        (times or Times()).drop(NO_NUMBER, fields.value("score"))
    return Context(text=text, id=fields.short("id"), title=fields.text("title"), score=score)
