"""Rows of the store's tables as Arrow tables, and what SQL reads of them: one kind of part a table.

Items and their texts share one kind, because a column that nobody reads costs nothing. A text that UTF-8 cannot hold (lone
surrogates) is kept as its JSON after a mark, so that it survives in a column that any program can read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from annotate.store.engine.all_traffic import Row

if TYPE_CHECKING:
    import pyarrow as pa

# The last character that Unicode leaves to its users; a text that begins with it is marked, too.
MARK = "\U0010fffd"


class LakeColumn(NamedTuple):
    """A column of a table: its name and its Arrow type."""

    name: str
    kind: str


def _of(kind: str, *names: str) -> tuple[LakeColumn, ...]:
    return tuple(LakeColumn(name, kind) for name in names)


ITEMS = (
    *_of("int64", "key"),
    *_of("string", "id"),
    *_of("int32", "revision", "is_current"),
    *_of("binary", "content_hash", "rest_hash"),
    *_of("string", "system", "timestamp", "group", "language"),
    *_of("int32", "question_chars", "contexts", "contexts_chars", "answer_chars"),
    *_of("string", "ingested_at", "forgotten_at", "question"),
)
TEXTS = (
    *_of("int64", "key"),
    *_of("string", "question", "contexts", "context_details", "answer", "history", "reference", "metadata"),
)
SCORES = (
    *_of("int32", "judge"),
    *_of("int64", "item"),
    *_of("float64", "value"),
    *_of("string", "reason"),
    *_of("float64", "seconds"),
    *_of("string", "at"),
)
DETAILS = (*_of("int32", "judge"), *_of("int64", "item"), *_of("string", "content"))
VERDICTS = (*_of("int32", "rule"), *_of("int64", "item"), *_of("float64", "value"), *_of("string", "verdict"))
TABLES: Mapping[str, Sequence[LakeColumn]] = {
    "items": ITEMS,
    "texts": TEXTS,
    "scores": SCORES,
    "details": DETAILS,
    "verdicts": VERDICTS,
}
KINDS = ("items", "scores", "details", "verdicts")
# In a part the texts of an item stand beside its other columns, whose names some of them share.
OF_TEXTS = "text_"


def schema_of(kind: str) -> pa.Schema:
    """Return the columns of the parts of a kind."""
    import pyarrow as pa

    types = {
        "int64": pa.int64(),
        "int32": pa.int32(),
        "float64": pa.float64(),
        "string": pa.string(),
        "binary": pa.binary(),
    }
    fields = [pa.field(column.name, types[column.kind]) for column in TABLES[kind]]
    if kind == "items":
        fields += [pa.field(OF_TEXTS + column.name, types[column.kind]) for column in TEXTS[1:]]
    return pa.schema(fields)


def table_of(kind: str, rows: Sequence[Row], texts: Sequence[Row] = ()) -> pa.Table:
    """Return rows as a table of this kind; items come with the rows of their texts, in the same order."""
    import pyarrow as pa

    schema = schema_of(kind)
    columns = _columns(rows, TABLES[kind])
    if kind == "items":
        columns += _columns(texts, TEXTS)[1:]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def view_of(table: str) -> str:
    """Return the SQL that reads a table from the parts of its kind, which are known as `parts_KIND`."""
    if table == "texts":
        texts = ", ".join(f"{OF_TEXTS}{column.name} AS {column.name}" for column in TEXTS[1:])
        return f"SELECT key, {texts} FROM parts_items"
    columns = ", ".join(f'"{column.name}"' for column in TABLES[table])
    return f"SELECT {columns} FROM parts_{table}"


def as_text(value: Any) -> Any:
    """Return a value as the lake keeps it: a text that UTF-8 cannot hold, which the ledger keeps as bytes, after the mark."""
    if isinstance(value, bytes):
        return MARK + json.dumps(value.decode("utf-8", "surrogatepass"))
    return MARK + json.dumps(value) if isinstance(value, str) and value.startswith(MARK) else value


def as_column(value: Any) -> Any:
    """Return a value of the lake as the ledger keeps it."""
    if not isinstance(value, str) or not value.startswith(MARK):
        return value
    text: str = json.loads(value[1:])
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _columns(rows: Sequence[Row], columns: Sequence[LakeColumn]) -> list[Sequence[Any]]:
    if not rows:
        return [()] * len(columns)
    return [
        [as_text(value) for value in values] if column.kind == "string" else values
        for column, values in zip(columns, zip(*rows, strict=True), strict=True)
    ]
