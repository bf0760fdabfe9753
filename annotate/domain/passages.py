"""The fields of a row of traffic, and the passages in it: the contexts, and what a retriever found before reranking."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from annotate.domain.field_mapping import Fields
from annotate.domain.timestamps import NO_NUMBER, Times
from proxy.errors import InputError
from proxy.records import Context, Item

# Kept as they came, in the metadata: read only where an answer was wrong.
BESIDE = ("retrieved", "relevant_ids")
# In the metadata: passages of an answer of which no text came.
PASSAGE_IDS = "passage_ids"
TRAFFIC_FIELDS = (
    *("id", "question", "contexts", "answer", "system", "timestamp", "group"),
    *("history", "reference", "language", *BESIDE),
)
CONTEXT_TEXTS = ("text", "content", "page_content", "pageContent")
CONTEXT_FIELDS = {*CONTEXT_TEXTS, "id", "title", "score"}


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
    if not isinstance(text, str):
        raise InputError(f"contexts[{rank}]: no text in it")
    try:
        score = fields.number("score")
    except InputError:
        score = None
        (times or Times()).drop(NO_NUMBER, fields.value("score"))
    return Context(text=text, id=fields.short("id"), title=fields.text("title"), score=score)
