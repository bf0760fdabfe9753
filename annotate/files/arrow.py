"""Read the rows of Arrow's files and streams, which Hugging Face's `save_to_disk` writes too.

The file is mapped into memory and let go of piece by piece, so that one batch as large as the file takes none. Compressed
buffers are allocated as large as they claim to be; so the claims are read from the messages first.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from typing import IO, Any

from annotate.files.rows import FileRow, Rejected
from annotate.files.tables import check_claims, table_rows
from proxy.errors import InputError

MAGIC = b"ARROW1"
LET_GO_BYTES = 32_000_000
# Fields of the tables Message, DictionaryBatch and RecordBatch in Arrow's Message.fbs.
HEADER_TYPE, HEADER = 1, 2
DICTIONARY_BATCH, RECORD_BATCH = 2, 3
DICTIONARY_DATA = 1
LENGTH, BUFFERS, COMPRESSION = 0, 2, 3


def arrow_rows(stream: IO[bytes]) -> Iterator[FileRow | Rejected]:
    """Yield the rows; InputError where the file cannot be read, or is out of all proportion."""
    import pyarrow as pa

    try:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        # Within a file lies a stream, behind the magic bytes and their padding; a table of its batches follows it.
        messages = pa.py_buffer(content)[8 if content[:6] == MAGIC else 0 :]
        _check(messages)
        taken = 0
        with pa.ipc.open_stream(messages) as table:
            for row in table_rows(table, len(content), is_decoded=False):
                yield row
                taken += row.size if isinstance(row, FileRow) else 0
                if taken > LET_GO_BYTES:
                    content.madvise(mmap.MADV_DONTNEED)
                    taken = 0
    except (pa.ArrowException, OSError, ValueError) as error:
        why = str(error).splitlines()[:1] or [type(error).__name__]
        raise InputError(f"cannot be read as Arrow: {why[0]}") from error


def _check(messages: Any) -> None:
    """Raise InputError where the messages claim what a file of this size cannot honestly hold."""
    import pyarrow as pa

    rows = claimed = columns = 0
    reader = pa.ipc.MessageReader.open_stream(messages)
    while (message := _next(reader)) is not None:
        if message.type == "schema":
            columns = len(pa.ipc.read_schema(message))
        else:
            more_rows, more_bytes = _claims(message.metadata.to_pybytes(), message.body)
            rows, claimed = rows + more_rows, claimed + more_bytes
        check_claims(columns=columns, rows=rows, claimed=claimed, size=messages.size)


def _next(reader: Any) -> Any:
    try:
        return reader.read_next_message()
    except StopIteration:
        return None


def _claims(metadata: bytes, body: Any) -> tuple[int, int]:
    """Return how many rows and bytes a batch unpacks to, by its own word."""
    table = _Table(metadata)
    kind, batch = table.byte(HEADER_TYPE), table.table(HEADER)
    if batch is not None and kind == DICTIONARY_BATCH:
        batch = batch.table(DICTIONARY_DATA)
    if batch is None or kind not in (DICTIONARY_BATCH, RECORD_BATCH):
        raise ValueError("a message that is neither schema nor batch")
    size = body.size
    if batch.table(COMPRESSION) is not None:
        # Each compressed buffer begins with its length when unpacked; -1 is one that is not compressed.
        for start, length in batch.pairs(BUFFERS):
            if length >= 8:
                size += max(0, _number(body, "<q", start))
    return (0 if kind == DICTIONARY_BATCH else batch.long(LENGTH)), size


class _Table:
    """A table of a FlatBuffer: fields by their number, those that are absent None or 0."""

    def __init__(self, data: bytes, place: int | None = None) -> None:
        self._data = data
        self._place = _number(self._data, "<I", 0) if place is None else place

    def byte(self, field: int) -> int:
        place = self._field(field)
        return 0 if place is None else _number(self._data, "<B", place)

    def long(self, field: int) -> int:
        place = self._field(field)
        return 0 if place is None else _number(self._data, "<q", place)

    def table(self, field: int) -> _Table | None:
        place = self._field(field)
        return None if place is None else _Table(self._data, place + _number(self._data, "<I", place))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the two numbers of each element of a list."""
        place = self._field(field)
        if place is not None:
            place += _number(self._data, "<I", place)
            for index in range(_number(self._data, "<I", place)):
                yield (
                    _number(self._data, "<q", place + 4 + 16 * index),
                    _number(self._data, "<q", place + 12 + 16 * index),
                )

    def _field(self, field: int) -> int | None:
        names = self._place - _number(self._data, "<i", self._place)
        if 4 + 2 * field >= _number(self._data, "<H", names):
            return None
        offset = _number(self._data, "<H", names + 4 + 2 * field)
        return self._place + offset if offset else None


def _number(data: Any, kind: str, place: int) -> int:
    """Return the number of this kind at a place; ValueError where there is none."""
    try:
        (number,) = struct.unpack_from(kind, data, place)
    except struct.error as error:
        raise ValueError("a damaged message") from error
    return int(number)
