"""The fields of a row of traffic, and the passages in its contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard
from urllib.parse import urlsplit

from annotate.domain.field_mapping import Fields
from annotate.domain.timestamps import NO_NUMBER, Times
from proxy.errors import InputError
from proxy.records import Context, Item

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
# Where a passage says of when and where it is, in itself or in its own metadata, as LangChain has it.
DATES = (
    "date",
    "published",
    "published_at",
    "publication_date",
    "last_updated",
    "updated_at",
    "updated",
    "modified",
    "year",
)
SOURCES = ("source", "url", "uri", "link", "file", "filename", "file_name", "publisher")
_SHOWN_ORIGIN = 120
# Names under which a team hides them: see `redaction.FIELDS`.
TITLE, SOURCE = "title", "source"


def read_contexts(passages: Sequence[object], times: Times | None = None) -> tuple[Context, ...]:
    """Return the passages in rank order; a score that is no number costs the score, and is counted in `times`."""
    if are_texts(passages):
        return tuple(map(Context, passages))
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


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageName:
    """What tells a passage from others beside its text: title, date and source, each empty where it has none."""

    title: str = ""
    date: str = ""
    source: str = ""

    @property
    def origin(self) -> str:
        """Its date and its source in one line."""
        return " · ".join(filter(None, (self.date, self.source)))

    @property
    def line(self) -> str:
        """All of it in one line."""
        return " · ".join(filter(None, (self.title, self.origin)))

    def masked(self, mask: Callable[[str, str], str]) -> PassageName:
        """Return it with each part masked: `mask` takes a text and the field by which the team may hide it."""
        return PassageName(
            title=mask(self.title, TITLE) if self.title else "",
            date=mask(self.date, SOURCE) if self.date else "",
            source=mask(self.source, SOURCE) if self.source else "",
        )


def passage_names(item: Item) -> tuple[PassageName, ...]:
    """Return title, date and source of each passage in rank order, as its row had them.

    Of an address stay host and path, of a file its name: what stands before or behind may be a key or a user.
    """
    raw = item.metadata.get("contexts")
    rows = raw if isinstance(raw, list) and len(raw) == len(item.contexts) else [None] * len(item.contexts)
    return tuple(
        PassageName(title=context.title or "", date=_first(row, DATES), source=_place(_first(row, SOURCES)))
        for context, row in zip(item.contexts, rows, strict=True)
    )


def _first(row: object, names: Sequence[str]) -> str:
    """Return the first of these fields that holds a text or a number, in the passage or in its metadata."""
    if not isinstance(row, Mapping):
        return ""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return _first(row.get("metadata"), names)


def _place(source: str) -> str:
    """Return an address or a path as an expert needs it."""
    address = urlsplit(source) if "://" in source else None
    if address is not None:
        shown = f"{address.hostname or ''}{address.path}".rstrip("/")
    else:
        shown = (
            source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] if source.startswith(("/", "\\", "./")) else source
        )
    return shown if len(shown) <= _SHOWN_ORIGIN else f"{shown[: _SHOWN_ORIGIN - 1]}…"
