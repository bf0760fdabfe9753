"""Rows within an object: a page of an API, `{"data": [{…}, …], "meta": {…}}`, a store of chats, or a table that pandas wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from annotate.domain.field_mapping import Fields
from annotate.files.rows import TALKS
from annotate.traffic.formats import SOURCE_FORMATS
from annotate.traffic.source_format import Row

WRAPPERS = frozenset(
    (
        "data",
        "items",
        "rows",
        "results",
        "records",
        "entries",
        "examples",
        "samples",
        "logs",
        "traces",
        "spans",
        "observations",
        "runs",
        "testcases",
        "conversations",
        "feedback",
        "feedbacks",
        "scores",
        "annotations",
        "assessments",
        "labels",
        "calls",
        "events",
    )
)
# An object around that of the list: `{"status": "ok", "payload": {"items": [...]}}`.
AROUND = frozenset(("payload", "response", "results", "result", "data", "body", "testRunData"))
# Where such a list may be empty. Of any other name it may be a part of a record, as are the turns of a conversation.
PAGES = frozenset(
    ("data", "items", "rows", "results", "records", "entries", "logs", "traces", "observations", "runs", "calls")
)
RECORD = TALKS | {"id", "name"}
# LlamaIndex' store of conversations, as it is persisted.
CHAT_STORE = "SimpleChatStore"
# What pandas calls the parts of a table that it splits.
SPLIT = {"columns", "index", "data"}
FEWEST_COLUMNS = 2
# A row has text under one of these.
SAYS = ("question", "item_id", "query", "answer", "input", "user_input", "prompt")


def rows_within(row: Row) -> Sequence[Row] | None:
    """Return the objects of the one list that an object is made around; an empty page has none. None for a row."""
    first = next(iter(row.values()), None)
    if not isinstance(first, Mapping) and not _may_wrap(tuple(row)):
        return None  # nearly every row
    if (frame := _of_frame(row, first)) is not None:
        return frame
    if row.get("class_name") == CHAT_STORE and isinstance(chats := row.get("store"), Mapping):
        return [{"conversation_id": name, "messages": messages} for name, messages in chats.items()]
    if isinstance(trace := row.get("trace"), Mapping) and isinstance(spans := row.get("spans"), list):
        return _of_trace(trace, spans)
    lists = [name for name, value in row.items() if isinstance(value, list) and _wraps(name) and _is_rows(name, value)]
    around = [inner for name in AROUND if isinstance(inner := row.get(name), Mapping)] if not lists else []
    if len(lists) + len(around) != 1 or any(Fields(row, {}).value(name) not in (None, "") for name in SAYS):
        return None
    if any(source_format.recognises(row) for source_format in SOURCE_FORMATS):
        return None
    if around:
        return rows_within(around[0])
    if not row[lists[0]] and not RECORD.isdisjoint(row):
        return None
    inner_rows: Sequence[Row] = row[lists[0]]  # type: ignore[assignment] # `_is_rows`
    return inner_rows


@lru_cache(maxsize=64)
def _may_wrap(columns: tuple[object, ...]) -> bool:
    """Return whether an object with these keys may be made around a list of others."""
    return "class_name" in columns or not AROUND.isdisjoint(columns) or any(map(_wraps, columns))


def _of_frame(row: Row, first: object) -> Sequence[Row] | None:
    """Return the rows of a table as pandas writes it: an object a column or a row, or columns beside lists."""
    columns, lists = row.get("columns"), row.get("data")
    if isinstance(columns, list) and isinstance(lists, list) and row.keys() <= SPLIT:
        if columns and all(isinstance(cells, list) and len(cells) == len(columns) for cells in lists):
            return [dict(zip(map(str, columns), cells, strict=True)) for cells in lists]
        return None
    if not isinstance(first, Mapping) or not first:
        return None
    keys = first.keys()
    if not all(isinstance(cells, Mapping) and cells.keys() == keys for cells in row.values()):
        return None
    if _are_numbers(row.keys()):
        return list(row.values())  # type: ignore[arg-type] # all are objects
    if _are_numbers(keys) and len(row) >= FEWEST_COLUMNS:
        return [{name: row[name][key] for name in row} for key in keys]  # type: ignore[index]
    return None


def _are_numbers(keys: Iterable[object]) -> bool:
    return all(str(key).isdecimal() for key in keys)


def _of_trace(trace: Row, spans: Sequence[object]) -> Sequence[Row]:
    """Return the calls of a trace that stands beside its spans, as Opik's command exports it: what it says of all is the root."""
    root = {**trace, "trace_id": trace.get("id"), "parent_span_id": None}
    return [
        root,
        *(
            {**span, "parent_span_id": span.get("parent_span_id") or trace.get("id")}
            for span in spans
            if isinstance(span, Mapping)
        ),
    ]


@lru_cache(maxsize=1024)
def _wraps(name: object) -> bool:
    return str(name).replace("_", "").casefold() in WRAPPERS


def _is_rows(name: object, value: list[object]) -> bool:
    return all(isinstance(entry, Mapping) for entry in value) if value else name in PAGES
