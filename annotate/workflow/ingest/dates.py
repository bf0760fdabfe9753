"""Find the order of day and month in a file's dates, such as 03/11/2026: what one row leaves open, another may tell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from annotate.domain.field_mapping import Fields
from annotate.domain.timestamps import DateOrder, is_spoken, order_of
from annotate.files import FileRow
from annotate.traffic.near_names import FIRST_ROWS
from annotate.workflow.ingest.batches import Source
from proxy.errors import InputError


def date_order(source: Source, field: str) -> DateOrder | None:
    """Return the order that the user gave, else the one that all dates of a field fit; None where there is none.

    All of the file is looked at only where one of its first rows has such a date. Spans have times of programs alone.
    """
    if source.date_order is not None or source.has_spans:
        return source.date_order
    if not any(map(is_spoken, islice(_values(source, field), FIRST_ROWS))):
        return None
    return order_of(_values(source, field))


def _values(source: Source, field: str) -> Iterator[object]:
    for row in source.rows():
        if isinstance(row, FileRow):
            try:
                yield Fields(row.fields, source.paths).value(field)
            except InputError:
                continue
