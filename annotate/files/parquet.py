"""Read the rows of a Parquet file in bounded memory: a small file may claim, or unpack to, any number of rows and bytes.

What the file says of itself is checked before anything is decoded. Texts stay references into their dictionary until their own
row is read, and what has been read is held against the size of the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from proxy.errors import InputError

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

BATCH_ROWS = 500
BATCH_BYTES = 8_000_000
MOST_COLUMNS = 10_000
# Honest files come nowhere near: of a file's bytes, or what any file may have whatever its size.
ROWS_A_BYTE, ROWS = 20, 1_000_000
CLAIMED_A_BYTE, CLAIMED_BYTES = 1_000, 500_000_000
READ_A_BYTE, READ_BYTES = 10_000, 1_000_000_000
ADVICE = "no file of traffic does; if this one is honest, write it again as JSONL, or in parts"

Fields = Mapping[str, object]


def parquet_rows(stream: IO[bytes], column: str | None = None) -> Iterator[tuple[int, Callable[[], Fields]]]:
    """Yield the number of each row and what reads it, which raises ValueError where a cell cannot be a Python value.

    With `column` only that one is decoded, where the file has it.

    InputError where the file cannot be read, or is out of all proportion.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        metadata = pq.read_metadata(stream)
        check(metadata, size)
        stream.seek(0)
        number, budget = 0, max(READ_BYTES, READ_A_BYTE * size)
        with pq.ParquetFile(stream, read_dictionary=_texts(metadata)) as table:
            # Arrow would take a dot in the name for a step into a struct.
            columns = [column] if column in table.schema_arrow.names and "." not in (column or ".") else None
            for batch in table.iter_batches(batch_size=_batch_rows(metadata), columns=columns):
                for index in range(batch.num_rows):
                    number += 1
                    fields = _Row(batch.slice(index, 1))
                    yield number, fields
                    budget -= fields.size
                    if budget < 0:
                        raise InputError(
                            f"unpacks to over {READ_A_BYTE:,} times its size, and was read up to row {number:,}: {ADVICE}"
                        )
    except (pa.ArrowException, OSError, ValueError) as error:
        why = str(error).splitlines()[:1] or [type(error).__name__]
        raise InputError(f"cannot be read as Parquet: {why[0]}") from error


def check(metadata: FileMetaData, size: int) -> None:
    """Raise InputError for what a file of this size cannot honestly hold."""
    if metadata.num_columns > MOST_COLUMNS:
        raise InputError(
            f"has {metadata.num_columns:,} columns, and at most {MOST_COLUMNS:,} are read: leave out what is not needed"
        )
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    if rows > max(ROWS, ROWS_A_BYTE * size):
        raise InputError(f"claims {rows:,} rows in {size:,} bytes: {ADVICE}")
    # Not the columns' own sizes: where the file is damaged, pyarrow aborts the process over them.
    claimed = sum(group.total_byte_size for group in groups)
    if claimed > max(CLAIMED_BYTES, CLAIMED_A_BYTE * size):
        raise InputError(f"would unpack to {claimed / 1e9:,.1f} GB from {size:,} bytes: {ADVICE}")


def _batch_rows(metadata: FileMetaData) -> int:
    """Return how many rows are decoded at once, so that a large row group is never whole in memory."""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    widest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(BATCH_ROWS, BATCH_BYTES // max(widest, 1)))


def _texts(metadata: FileMetaData) -> list[str]:
    """Return the columns of texts and bytes: one long value that thousands of rows repeat is decoded once."""
    schema = metadata.schema
    columns = [schema.column(index) for index in range(len(schema))]
    return [
        field.path
        for field in columns
        if field.physical_type == "BYTE_ARRAY" and field.logical_type.type in ("STRING", "NONE")
    ]


class _Row:
    """One row, read when it is asked for; `size` is then that of its texts."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch
        self.size = 0

    def __call__(self) -> Fields:
        (fields,) = self._batch.to_pylist()
        self.size = size_of(fields)
        return fields  # type: ignore[no-any-return]


def size_of(value: object) -> int:
    """Estimate how many bytes a value takes."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(size_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    return 8
