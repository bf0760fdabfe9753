"""Tell from the content which tool wrote the rows of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from annotate.traffic.formats import BY_NAME, SOURCE_FORMATS
from annotate.traffic.source_format import Row, SourceFormat


class Detected(NamedTuple):
    """The format of a file, None for our own; `recognised` of the `rows` that were looked at have its shape."""

    source_format: SourceFormat | None
    recognised: int
    rows: int


def detect(rows: Iterable[Row]) -> Detected:
    """Return the format that most of the rows have; rows that no format recognises speak for our own."""
    counts: Counter[str] = Counter()
    own_rows = total = 0
    for row in rows:
        total += 1
        name = next((source_format.name for source_format in SOURCE_FORMATS if source_format.recognises(row)), None)
        if name is not None:
            counts[name] += 1
        else:
            own_rows += "question" in row and "answer" in row
    if not counts or max(counts.values()) < own_rows:
        return Detected(None, own_rows, total)
    name, count = counts.most_common(1)[0]
    return Detected(BY_NAME[name], count, total)
