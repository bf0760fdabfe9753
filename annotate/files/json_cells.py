r"""Read the cells of a table that are texts written as JSON: `"two\nlines"`, quotes and escapes included.

A quote may belong to a text, so that a cell by itself tells nothing. Every filled cell of the column has to be such a text, and
there have to be two at least. What writes texts so writes `null` for none, which is read as an empty cell there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotate.files.rows import FileRow, Rejected

FEWEST = 2
EMPTY = (None, "", "null")


class JsonCells(NamedTuple):
    """A file in which the cells of these columns are texts written as JSON."""

    file: str
    columns: tuple[str, ...]


def json_columns(rows: Iterable[FileRow | Rejected]) -> tuple[str, ...]:
    """Return the columns of a table whose cells are all written as JSON, in their order; none of rows that are no table's."""
    texts, others = Counter[str](), set[str]()
    for row in rows:
        if isinstance(row, Rejected) or not row.is_cells:
            continue
        for column, cell in row.fields.items():
            if column in others or cell in EMPTY:
                continue
            if _is_json_text(cell):
                texts[column] += 1
            else:
                others.add(column)
    return tuple(column for column, count in texts.items() if count >= FEWEST and column not in others)


def _is_json_text(cell: object) -> bool:
    if not isinstance(cell, str) or not (cell.startswith('"') and cell.endswith('"')):
        return False
    try:
        return isinstance(json.loads(cell), str)
    except ValueError:
        return False


def out_of_json(rows: Iterable[FileRow | Rejected], columns: Sequence[str]) -> Iterator[FileRow | Rejected]:
    """Yield the rows with the texts that are written as JSON in these columns."""
    for row in rows:
        if isinstance(row, Rejected):
            yield row
        else:
            texts = {column: json.loads(str(cell)) for column in columns if (cell := row.fields.get(column))}
            yield row._replace(fields={**row.fields, **texts})
