"""Read the rows of a Parquet file; what the file says of itself is checked before anything is decoded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from annotate.files.rows import FileRow, Rejected
from annotate.files.tables import check_claims, table_rows
from proxy.errors import InputError

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

BATCH_ROWS = 500
BATCH_BYTES = 8_000_000
BUFFER_BYTES = 1 << 20


def parquet_rows(stream: IO[bytes], column: str | None = None) -> Iterator[FileRow | Rejected]:
    """Yield the rows; with `column` only that one is decoded, where the file has it.

    InputError where the file cannot be read, or is out of all proportion.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        metadata = pq.read_metadata(stream)
        _check(metadata, size)
        stream.seek(0)
        # Read ahead, the whole file would be in memory.
        how = {"pre_buffer": False, "buffer_size": BUFFER_BYTES}
        with pq.ParquetFile(stream, read_dictionary=_texts(metadata), **how) as table:
            # Arrow would take a dot in the name for a step into a struct.
            columns = [column] if column in table.schema_arrow.names and "." not in (column or ".") else None
            batches = table.iter_batches(batch_size=_batch_rows(metadata), columns=columns)
            yield from table_rows(batches, size, is_decoded=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        why = str(error).splitlines()[:1] or [type(error).__name__]
        raise InputError(f"cannot be read as Parquet: {why[0]}") from error


def _check(metadata: FileMetaData, size: int) -> None:
    """Raise InputError for what a file of this size cannot honestly hold."""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    # Not the columns' own sizes: where the file is damaged, pyarrow aborts the process over them.
    claimed = sum(group.total_byte_size for group in groups)
    check_claims(columns=metadata.num_columns, rows=rows, claimed=claimed, size=size)


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
