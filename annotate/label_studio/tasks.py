"""Tasks of one project at the server: read by page, count, look up by our key, and remove while nobody has touched them.

Rows are the server's own JSON. The rule: each page asks for ids beyond the last, so that a task added, deleted or touched
while we read shifts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from annotate.label_studio import queries
from annotate.label_studio.connection import Connection, Params
from annotate.label_studio.errors import OutcomeUnknown
from annotate.label_studio.queries import Filter
from proxy.errors import LabelStudioError

Row = dict[str, object]
PAGE = 250
ID_PAGE = 1000

# Named one by one, a third faster than all that the server could work out; the names hold inside annotations too.
_ANNOTATION = "id,result,completed_by,updated_by,was_cancelled,ground_truth,lead_time,created_at,updated_at,last_action"
_FULL = {"fields": "all", "include": f"data,annotations,drafts,{_ANNOTATION}"}
_TOUCHED = "id,updated_at,total_annotations,cancelled_annotations"
_WORK = {"fields": "all", "include": "id,annotations,drafts"}


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
        rows = self._rows([queries.at_or_after(since)], ID_PAGE, include=_TOUCHED)
        return {
            self.id(row): Touched(
                str(row.get("updated_at")), bool(row.get("total_annotations") or row.get("cancelled_annotations"))
            )
            for row in rows
        }

    def read(self, ids: Iterable[int]) -> Iterator[Row]:
        """Yield those of these tasks that are there, as far as we read them."""
        for chunk in queries.chunks(ids):
            yield from self._rows([queries.with_ids(chunk)], PAGE, **_FULL)

    def ids(self, *filters: Filter) -> set[int]:
        """Return the ids of the tasks."""
        return {self.id(row) for row in self._rows(filters, ID_PAGE, include="id")}

    def count(self, *filters: Filter) -> int:
        """Return how many tasks there are."""
        total = self._page(filters, 1, include="id").get("total")
        return _number(total, self.connection.shown)

    def keys_beyond(self, after: int) -> dict[str, list[int]]:
        """Return the ids of each key of ours among the tasks beyond an id, in order."""
        return self._by_key([queries.beyond(after)])

    def having(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """Return the ids under which the project holds each of these keys, in order."""
        ids_by_key: dict[str, list[int]] = {}
        for chunk in queries.chunks(keys):
            ids_by_key |= {key: ids for key, ids in self._by_key([queries.with_keys(chunk)]).items() if key in chunk}
        return ids_by_key

    def touched(self, ids: Iterable[int]) -> set[int]:
        """Return those of these tasks that hold an annotation, a skip or a draft."""
        rows = (row for chunk in queries.chunks(ids) for row in self._rows([queries.with_ids(chunk)], PAGE, **_WORK))
        return {self.id(row) for row in rows if row.get("annotations") or row.get("drafts")}

    def remove(self, ids: Iterable[int], *, even_touched: bool = False) -> set[int]:
        """Return those of these tasks that are gone now: the untouched were deleted, or all; some may have gone before."""
        removed: set[int] = set()
        for chunk in queries.chunks(ids):
            free = self.ids(queries.with_ids(chunk))
            if not even_touched:
                free -= self.touched(free)
            if free:
                # The server looks once more, in case somebody began on a task since.
                self._delete(sorted(free), () if even_touched else queries.untouched())
            removed |= set(chunk) - self.ids(queries.with_ids(chunk))
        return removed

    def _delete(self, ids: list[int], also: Iterable[Filter]) -> None:
        """Delete tasks that meet more filters; what came of it has to be looked up."""
        filters = queries.conditions([queries.with_ids(ids), *also])
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
            page = self._page([queries.beyond(last), *filters], size, **fields)
            rows = page.get("tasks")
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise LabelStudioError(
                    f"Label Studio at {self.connection.shown} sent no tasks: check that its version is 1.23"
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
            "query": queries.query(filters),
            **fields,
        }
        page = self.connection.get("tasks/", "read project", params, project=self.project)
        return page if isinstance(page, dict) else {}


def _number(value: object, shown: str) -> int:
    if not isinstance(value, int):
        raise LabelStudioError(f"Label Studio at {shown} sent something without an id: check that its version is 1.23")
    return value
