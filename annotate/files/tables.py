"""Read the rows of Arrow's record batches in bounded memory: a small file may claim, or unpack to, any number of rows and bytes.

Texts stay references into their dictionary until their own row is read, and what has been read is compared with the size of
the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from annotate.files.rows import MOST_COLUMNS, FileRow, Rejected, rejected, size_of
from proxy.errors import InputError

# Honest files come nowhere near: of a file's bytes, or what any file may have whatever its size.
ROWS_A_BYTE, ROWS = 20, 1_000_000
CLAIMED_A_BYTE, CLAIMED_BYTES = 1_000, 500_000_000
READ_A_BYTE, READ_BYTES = 10_000, 1_000_000_000
PIECE_ROWS = 500
ADVICE = "no file of traffic does; if this one is honest, write it again as JSONL, or in parts"


def check_claims(*, columns: int, rows: int, claimed: int, size: int) -> None:
    """Raise InputError for what a file of this size cannot honestly hold."""
    if columns > MOST_COLUMNS:
        raise InputError(
            f"has {columns:,} columns, and at most {MOST_COLUMNS:,} are read: leave out what is not needed"
        )
    if rows > max(ROWS, ROWS_A_BYTE * size):
        raise InputError(f"claims {rows:,} rows in {size:,} bytes: {ADVICE}")
    if claimed > max(CLAIMED_BYTES, CLAIMED_A_BYTE * size):
        raise InputError(f"would unpack to {claimed / 1e9:,.1f} GB from {size:,} bytes: {ADVICE}")


def table_rows(batches: Iterable[Any], size: int, *, is_decoded: bool) -> Iterator[FileRow | Rejected]:
    """Yield the rows of batches from a file of this size; a cell that cannot be a Python value costs only its row.

    What was not decoded is the file's own bytes, where an offset may point to anywhere: it is validated first.
    """
    number, budget = 0, max(READ_BYTES, READ_A_BYTE * size)
    for batch in batches:
        for start in range(0, batch.num_rows, PIECE_ROWS):
            piece = batch.slice(start, PIECE_ROWS)
            is_valid = is_decoded or _is_valid(piece)
            for index in range(piece.num_rows):
                number += 1
                row = _row(number, piece.slice(index, 1), is_valid=is_valid)
                yield row
                budget -= row.size if isinstance(row, FileRow) else 0
                if budget < 0:
                    raise InputError(
                        f"unpacks to over {READ_A_BYTE:,} times its size, and was read up to row {number:,}: {ADVICE}"
                    )


def _is_valid(piece: Any) -> bool:
    """Return whether everything in a piece of a batch points to where it may."""
    import pyarrow as pa

    try:
        for column in piece.columns:
            _validate(column)
    except (pa.ArrowException, ValueError):
        return False
    return True


def _validate(column: Any) -> None:
    """Validate the part of a column that is in the piece; Arrow itself would go through all elements of its lists."""
    import pyarrow as pa

    if not len(column):
        return
    column.validate()
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        offsets = column.offsets.to_numpy()
        if (offsets[1:] < offsets[:-1]).any() or offsets[0] < 0 or offsets[-1] > len(column.values):
            raise ValueError("a list that lies outside of its elements")
        _validate(column.values.slice(offsets[0], offsets[-1] - offsets[0]))
    elif pa.types.is_struct(column.type):
        for index in range(column.type.num_fields):
            _validate(column.field(index))
    else:
        column.validate(full=True)


def _row(number: int, row: Any, *, is_valid: bool) -> FileRow | Rejected:
    if not is_valid and not _is_valid(row):
        return rejected(number, "a cell is damaged, or no UTF-8")
    try:
        (fields,) = row.to_pylist()
    except UnicodeDecodeError:
        return rejected(number, "invalid UTF-8 in a cell")
    except (ValueError, OverflowError, IndexError) as error:
        return rejected(number, f"a cell cannot be read: {error}")
    if any(isinstance(value, (bytes, list, dict)) for value in fields.values()):
        fields = _decoded(fields)
    return FileRow(number, fields, size_of(fields), is_table=True)


def _decoded(value: Any) -> Any:
    """Return a value with its bytes as text: ClickHouse and Hive write texts without saying that they are."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    if isinstance(value, dict):
        return {name: _decoded(inner) for name, inner in value.items()}
    return [_decoded(inner) for inner in value] if isinstance(value, list) else value
