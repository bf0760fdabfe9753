"""Build Label Studio's filters on a project's tasks, in requests that stay short; pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote

from proxy.errors import UsageError

Filter = Mapping[str, object]
Value = TypeVar("Value", int, str)

# A look-up is a GET; servers behind nginx or uwsgi refuse lines beyond 4 to 8 kB.
_QUERY_LENGTH = 3000
_MOST = 200


def beyond(task_id: int) -> Filter:
    """Filter tasks with a larger id."""
    return _filter("id", "greater", "Number", task_id)


def at_or_after(time: str) -> Filter:
    """Filter tasks that were touched, or whose annotations were, at this time or later."""
    return _filter("updated_at", "greater_or_equal", "Datetime", server_time(time))


def with_keys(keys: list[str]) -> Filter:
    """Filter tasks that hold one of these keys of ours."""
    return _filter("data.external_id", "in_list", "List", keys)


def with_ids(ids: list[int]) -> Filter:
    """Filter tasks with one of these ids."""
    return _filter("id", "in_list", "List", ids)


def untouched() -> tuple[Filter, ...]:
    """Filter tasks without annotation, skip or draft."""
    return (
        _filter("total_annotations", "equal", "Number", 0),
        _filter("cancelled_annotations", "equal", "Number", 0),
        _filter("draft_exists", "equal", "Boolean", False),
    )


def conditions(filters: Iterable[Filter]) -> dict[str, object]:
    """Join filters that must all hold, as the server wants them."""
    return {"conjunction": "and", "items": list(filters)}


def query(filters: Iterable[Filter]) -> str:
    """Return the tasks that meet all filters, in the order of their ids."""
    return json.dumps({"filters": conditions(filters), "ordering": ["tasks:id"]}, separators=(",", ":"))


def server_time(time: str) -> str:
    """Return a time as Label Studio reads it; any other form of the same time makes it fail."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        raise UsageError(f"{time!r} is no time: write it like 2026-11-21T07:00:00Z") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def chunks(values: Iterable[Value]) -> Iterator[list[Value]]:
    """Split values, each once, into lists that are short enough for the line of a GET."""
    chunk: list[Value] = []
    length = 0
    for value in dict.fromkeys(values):
        cost = len(quote(json.dumps(value))) + 6
        if chunk and (length + cost > _QUERY_LENGTH or len(chunk) == _MOST):
            yield chunk
            chunk, length = [], 0
        chunk.append(value)
        length += cost
    if chunk:
        yield chunk


def _filter(column: str, operator: str, kind: str, value: object) -> Filter:
    return {"filter": f"filter:tasks:{column}", "operator": operator, "type": kind, "value": value}
