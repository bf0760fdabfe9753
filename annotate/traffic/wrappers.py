"""Rows within an object: what an API answers a page at a time, `{"data": [{…}, …], "meta": {…}}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotate.domain.field_mapping import Fields
from annotate.traffic.formats import SOURCE_FORMATS
from annotate.traffic.source_format import Row

WRAPPERS = (
    *("data", "items", "rows", "results", "records", "entries", "examples", "samples", "logs"),
    *("traces", "spans", "observations", "runs", "test_cases", "conversations", "feedback", "feedbacks"),
    *("scores", "annotations", "assessments", "labels"),
)


def rows_within(row: Row) -> Sequence[Row] | None:
    """Return the objects of the one list that an object is made around; None for a row, of ours or of a tool."""
    lists = [name for name in WRAPPERS if _is_rows(row.get(name))]
    if len(lists) != 1 or any(Fields(row, {}).value(name) is not None for name in ("question", "item_id")):
        return None
    if any(each.recognises(row) for each in SOURCE_FORMATS):
        return None
    inner: Sequence[Row] = row[lists[0]]  # type: ignore[assignment] # `_is_rows`
    return inner


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
