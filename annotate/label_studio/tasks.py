"""Tasks of one project at the server: read by page, count, look up by our key, and remove while nobody has touched them.

Rows are the server's own JSON. The rule: each page asks for ids beyond the last, so that a task added, deleted or touched
while we read shifts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from annotate.label_studio.connection import Connection, Params
from annotate.label_studio.errors import OutcomeUnknown
from proxy.errors import LabelStudioError, UsageError

Row = dict[str, object]
PAGE = 250
ID_PAGE = 1000

# Named one by one, a third faster than all that the server could work out; the names hold inside annotations too.
_ANNOTATION = "id,result,completed_by,updated_by,was_cancelled,ground_truth,lead_time,created_at,updated_at,last_action"
_FULL = {"fields": "all", "include": f"data,annotations,drafts,{_ANNOTATION}"}
_TOUCHED = "id,updated_at,total_annotations,cancelled_annotations"
_WORK = {"fields": "all", "include": "id,annotations,drafts"}
Filter = Mapping[str, object]
Value = TypeVar("Value", int, str)

# A look-up is a GET; servers behind nginx or uwsgi refuse lines beyond 4 to 8 kB.
_QUERY_LENGTH = 3000
_MOST = 200


class Touched(NamedTuple):
    """Last change of a task at the server, and whether anybody has answered or skipped it."""

    at: str
    is_annotated: bool


class Tasks:
    """The tasks of one project."""

    def __init__(self, connection: Connection, project: int) -> None:
        self.connection, self.project = connection, project

    def all(self) -> Iterator[Row]:
        """Return every task, as far as we read it."""
        return self._rows([], PAGE, **_FULL)

    def touched_since(self, since: str) -> dict[int, Touched]:
        """Return the tasks made, or whose annotations were touched, at or after a time of the server."""
        rows = self._rows([at_or_after(since)], ID_PAGE, include=_TOUCHED)
        return {
            self.id(row): Touched(
                str(row.get("updated_at")), bool(row.get("total_annotations") or row.get("cancelled_annotations"))
            )
            for row in rows
        }

    def read(self, ids: Iterable[int]) -> Iterator[Row]:
        """Yield those of these tasks that are there, as far as we read them."""
        for chunk in chunks(ids):
            yield from self._rows([with_ids(chunk)], PAGE, **_FULL)

    def ids(self, *filters: Filter) -> set[int]:
        """Return the ids of the tasks."""
        return {self.id(row) for row in self._rows(filters, ID_PAGE, include="id")}

    def count(self, *filters: Filter) -> int:
        """Return how many tasks there are."""
        total = self._page(filters, 1, include="id").get("total")
        return _number(total, self.connection.shown)

    def keys_beyond(self, after: int) -> dict[str, list[int]]:
        """Return the ids of each key of ours among the tasks beyond an id, in order."""
        return self._by_key([beyond(after)])

    def having(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """Return the ids under which the project holds each of these keys, in order."""
        ids_by_key: dict[str, list[int]] = {}
        for chunk in chunks(keys):
            ids_by_key |= {key: ids for key, ids in self._by_key([with_keys(chunk)]).items() if key in chunk}
        return ids_by_key

    def touched(self, ids: Iterable[int]) -> set[int]:
        """Return those of these tasks that hold an annotation, a skip or a draft."""
        rows = (row for chunk in chunks(ids) for row in self._rows([with_ids(chunk)], PAGE, **_WORK))
        return {self.id(row) for row in rows if row.get("annotations") or row.get("drafts")}

    def remove(self, ids: Iterable[int], *, even_touched: bool = False) -> set[int]:
        """Return those of these tasks that are gone now: the untouched were deleted, or all; some may have gone before."""
        removed: set[int] = set()
        for chunk in chunks(ids):
            free = self.ids(with_ids(chunk))
            if not even_touched:
                free -= self.touched(free)
            if free:
                # The server looks once more, in case somebody began on a task since.
                self._delete(sorted(free), () if even_touched else untouched())
            removed |= set(chunk) - self.ids(with_ids(chunk))
        return removed

    def _delete(self, ids: list[int], also: Iterable[Filter]) -> None:
        """Delete tasks that meet more filters; the result has to be looked up."""
        filters = conditions([with_ids(ids), *also])
        body = {"filters": filters, "selectedItems": {"all": False, "included": ids}, "ordering": []}
        what = f"delete {len(ids)} tasks of project"
        params: Params = {"id": "delete_tasks", "project": self.project}
        with suppress(OutcomeUnknown):
            self.connection.send("POST", "dm/actions", what, body, params, project=self.project)

    def id(self, row: Mapping[str, object]) -> int:
        """Return a task's id, without which nothing more can be asked."""
        return _number(row.get("id"), self.connection.shown)

    def _by_key(self, filters: Iterable[Filter]) -> dict[str, list[int]]:
        ids_by_key: dict[str, list[int]] = {}
        for row in self._rows(filters, PAGE, include="id,data"):
            data = row.get("data")
            key = data.get("external_id") if isinstance(data, Mapping) else None
            if isinstance(key, str):
                ids_by_key.setdefault(key, []).append(self.id(row))
        return ids_by_key

    def _rows(self, filters: Iterable[Filter], size: int, **fields: str) -> Iterator[Row]:
        filters, last = list(filters), 0
        while True:
            page = self._page([beyond(last), *filters], size, **fields)
            rows = page.get("tasks")
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise LabelStudioError(
                    f"Label Studio at {self.connection.shown} sent no tasks: check that its version is 1.21 or newer"
                )
            if not rows and page.get("total"):
                # What is missing from a reading counts as deleted.
                raise OutcomeUnknown(f"Label Studio at {self.connection.shown} left out tasks: try again")
            yield from rows
            # Not by the page's length: a server may be set to give shorter pages than were asked for.
            if not rows or page.get("total") == len(rows):
                return
            last = self.id(rows[-1])

    def _page(self, filters: Iterable[Filter], size: int, **fields: str) -> Row:
        # Without `resolve_uri=false` the server goes through every text in search of addresses.
        params: Params = {
            "project": self.project,
            "page_size": size,
            "resolve_uri": "false",
            "query": query(filters),
            **fields,
        }
        page = self.connection.get("tasks/", "read project", params, project=self.project)
        return page if isinstance(page, dict) else {}


def _number(value: object, shown: str) -> int:
    if not isinstance(value, int):
        raise LabelStudioError(
            f"Label Studio at {shown} sent something without an id: check that its version is 1.21 or newer"
        )
    return value


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
    """Join filters that must all hold, as the server expects them."""
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
