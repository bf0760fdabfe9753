"""Spans of tracers, reduced to what an answer needs, and how the spans of a trace are joined to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

import orjson

from annotate.domain.field_mapping import plain

LISTS = ("passages", "passage_ids", "prompt", "history", "too_long")


class SpanKind(StrEnum):
    """What a span did. A root is known by having no parent."""

    MODEL = "model"
    RETRIEVER = "retriever"
    RERANKER = "reranker"
    CHAIN = "chain"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A span, reduced. Times are ISO 8601 in UTC; `passages` have text, and id, title and score where known.

    `passage_ids` are passages of which no text was traced, and `prompt` those that stand in a model's input. `is_entry` says
    that the parent is of another program, `is_unplaced` that no parent is told and that this may be the root or not, `is_failed`
    that a root ended with an error, `origins` where each field was read, and `too_long` names what was too long to be kept as
    metadata.
    """

    trace: str
    id: str
    parent: str | None = None
    is_entry: bool = False
    is_unplaced: bool = False
    is_failed: bool = False
    kind: SpanKind = SpanKind.OTHER
    start: str | None = None
    end: str | None = None
    question: str | None = None
    answer: str | None = None
    passages: tuple[Mapping[str, object], ...] = ()
    passage_ids: tuple[str, ...] = ()
    prompt: tuple[Mapping[str, object], ...] = ()
    history: tuple[Mapping[str, str], ...] = ()
    group: str | None = None
    system: str | None = None
    reference: str | None = None
    language: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    too_long: tuple[str, ...] = ()

    def to_json(self) -> bytes:
        """Return the span as the store keeps it: the same span is always the same bytes."""
        kept = dict(_kept(self))
        try:
            return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
        except TypeError:  # half characters and numbers beyond 64 bits
            return json.dumps(kept, sort_keys=True).encode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Span:
        """Return the span that `to_json` wrote."""
        try:
            kept = orjson.loads(text)
        except ValueError:
            kept = json.loads(text)
        lists = {name: tuple(kept[name]) for name in LISTS if name in kept}
        return cls(**{**kept, "kind": SpanKind(kept.get("kind", SpanKind.OTHER)), **lists})


EMPTY = {known_field.name: known_field.default for known_field in fields(Span)}


def _kept(span: Span) -> Iterator[tuple[str, object]]:
    for name, default in EMPTY.items():
        value = getattr(span, name)
        if value != default and value not in ({}, ()):
            yield name, plain(value)
