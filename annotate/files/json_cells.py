r"""Read the cells of a table that are texts written as JSON: `"two\nlines"`, quotes and escapes included.

A quote may belong to a text, so that a cell by itself tells nothing. The cells of a column are read as JSON where every filled
one is, and two at least are texts; or where most are, and an escape shows that a program wrote them: two in three with one in
the column, ten in eleven with one elsewhere in the table. What writes texts so writes `null` for none, which is read as an
empty cell there, and numbers, lists and objects without quotes, which stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.files.rows import FileRow, Rejected, rejected

FEWEST = 2
# Chosen: texts to a cell that is no JSON, where a column is read all the same; more where its own texts have no escape.
TEXTS_AN_ODD, WITHOUT_ESCAPE = 2, 10
EMPTY = (None, "", "null")


class OddCells(NamedTuple):
    """The cells of a column that are no JSON, beside `texts` that are: how many, and the row of the first.

    `is_read` is whether the texts were read without their quotes.
    """

    column: str
    texts: int
    cells: int
    row: int
    is_read: bool


class JsonColumns(NamedTuple):
    """The columns whose texts are read as JSON, in their order, and cells that do not fit."""

    columns: tuple[str, ...] = ()
    odd: tuple[OddCells, ...] = ()


class JsonCells(NamedTuple):
    """A file in which the cells of these columns are texts written as JSON, and cells of such columns that are not."""

    file: str
    columns: tuple[str, ...]
    odd: tuple[OddCells, ...] = ()


@dataclass(slots=True)
class _Column:
    """Counts of the filled cells of a column: texts in JSON, those with an escape, other JSON, and what is none."""

    texts: int = 0
    escaped: int = 0
    others: int = 0
    odd: int = 0
    first_odd: int = 0

    def add(self, cell: object, row: int) -> None:
        """Count a cell."""
        try:
            value = json.loads(cell) if isinstance(cell, str) else cell
        except (ValueError, RecursionError):
            self.odd += 1
            self.first_odd = self.first_odd or row
            return
        if isinstance(cell, str) and isinstance(value, str):
            self.texts += 1
            self.escaped += len(value) < len(cell) - 2
        else:
            self.others += 1

    def is_json(self, fewest: int, *, is_program: bool) -> bool:
        """Return whether the cells are JSON; `is_program` where an escape shows that some program wrote JSON."""
        if self.texts < fewest:
            return False
        if is_program:
            return self.texts >= (TEXTS_AN_ODD if self.escaped else WITHOUT_ESCAPE) * self.odd
        return not self.odd and self.texts > self.others

    @property
    def is_doubtful(self) -> bool:
        """Whether texts that stay as they are look like JSON."""
        return self.texts >= FEWEST and self.odd > 0 and (self.texts > self.odd or self.escaped >= FEWEST)


def json_columns(rows: Iterable[FileRow | Rejected], known: Collection[str] = ()) -> JsonColumns:
    """Return the columns of a table whose cells are written as JSON; none of rows that are no table's.

    Of columns that are `known` to be so in other parts of the table, one text is enough.
    """
    columns: dict[str, _Column] = {}
    for row in rows:
        if isinstance(row, Rejected) or not row.is_table:
            continue
        for name, cell in row.fields.items():
            if cell not in EMPTY:
                columns.setdefault(name, _Column()).add(cell, row.line)
    is_program = any(column.escaped for column in columns.values())
    read = {
        name: column.is_json(1 if name in known else FEWEST, is_program=is_program) for name, column in columns.items()
    }
    return JsonColumns(
        columns=tuple(name for name in columns if read[name]),
        odd=tuple(
            OddCells(name, column.texts, column.odd, column.first_odd, read[name])
            for name, column in columns.items()
            if column.odd and (read[name] or column.is_doubtful)
        ),
    )


def out_of_json(rows: Iterable[FileRow | Rejected], columns: Sequence[str]) -> Iterator[FileRow | Rejected]:
    """Yield the rows with the texts that are written as JSON in these columns; a text that is cut off costs its row."""
    for row in rows:
        if isinstance(row, Rejected):
            yield row
            continue
        try:
            yield row._replace(fields={**row.fields, **_texts(row.fields, columns)})
        except ValueError as error:
            yield rejected(row.line, str(error), json.dumps(row.fields, default=str).encode())


def _texts(fields: Mapping[str, object], columns: Sequence[str]) -> dict[str, str | None]:
    """Return the texts and empty cells of a row; a cell without a quote is no text in JSON, and stays."""
    texts: dict[str, str | None] = {}
    for column in columns:
        cell = fields.get(column)
        if cell == "null":
            texts[column] = None
        elif isinstance(cell, str) and cell.startswith('"'):
            try:
                texts[column] = json.loads(cell)
            except ValueError as error:
                why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                raise ValueError(
                    f"column {column}: the texts of this column are written as JSON, and this one cannot be read: {why}"
                ) from error
    return texts
