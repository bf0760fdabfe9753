"""Streams of bytes: what is compressed is unpacked piece by piece, UTF-16 becomes UTF-8, and a pipe can be looked into.

Each layer holds some pieces in memory, whatever the file claims or unpacks to.
"""

from __future__ import annotations

import codecs
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from gzip import GzipFile
from itertools import chain
from typing import IO, cast

from annotate.files.encodings import AUTO
from proxy.errors import FileError, InputError

PIECE = 1 << 16
# An honest file of traffic unpacks to ten times its size; this much any file may have, whatever its size.
UNPACKED_A_BYTE, UNPACKED_BYTES = 1_000, 1_000_000_000
MOST_LAYERS = 3
# How tables begin, which have no encoding of their texts.
MAGIC = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"PK\x03\x04", "excel"),  # or another archive: its reader tells
    (b"\xff\xff\xff\xff", "arrow"),  # a stream of record batches, as `save_to_disk` writes it
)

Pieces = Iterator[bytes]
Layers = tuple[tuple[bytes, Callable[[io.BufferedReader], Pieces]], ...]


class _Pieces(io.RawIOBase):
    """A stream over pieces of bytes."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(buffer)  # type: ignore[arg-type]
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


class _Counted(io.RawIOBase):
    """What is read from another stream, counted."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.size = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.size += len(data)
        return data


def plain(stream: io.BufferedReader, encoding: str = AUTO) -> io.BufferedReader:
    """Return the text or the table within all layers of compression and encoding; the stream itself where there are none.

    Text becomes UTF-8: of the encoding that its byte order mark tells, or of the one given.
    """
    if not stream.seekable():
        stream = _buffered(chain([stream.read(PIECE)], _pieces(stream)))
    for _ in range(MOST_LAYERS):
        head = stream.peek(8)[:8]
        layers = _LAYERS if encoding == AUTO else _PACKED
        layer = next((layer for magic, layer in layers if head.startswith(magic)), None)
        if layer is None:
            return stream if encoding == AUTO else _decoded(stream, encoding)
        stream = _buffered(layer(stream))
    raise InputError(f"is packed more than {MOST_LAYERS - 1} times over: unpack it, and bring what is in it")


def _decoded(stream: io.BufferedReader, encoding: str) -> io.BufferedReader:
    if any(stream.peek(8)[:8].startswith(magic) for magic, _ in MAGIC):
        raise FileError("--encoding is for text, and this is a table of its own format: leave it out")
    return _buffered(_of_encoding(encoding)(stream))


def put_back(stream: io.BufferedReader, taken: bytes) -> io.BufferedReader:
    """Return a stream that gives what was taken from this one, and then the rest."""
    if stream.seekable():
        stream.seek(-len(taken), os.SEEK_CUR)
        return stream
    return _buffered(chain([taken], _pieces(stream)))


@contextmanager
def seekable(stream: io.BufferedReader) -> Iterator[io.BufferedReader]:
    """Give the stream, or a copy of it in a nameless file where it can be read only once."""
    if stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield cast(io.BufferedReader, copy)


def _buffered(pieces: Iterable[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_Pieces(pieces), PIECE)


def _pieces(stream: io.BufferedReader) -> Pieces:
    return iter(lambda: stream.read1(PIECE), b"")


def _gzip(stream: io.BufferedReader) -> Pieces:
    source = _Counted(stream)
    try:
        with GzipFile(fileobj=source) as unpacked:
            yield from _within_reason(unpacked.read1, source)
    except EOFError as error:
        raise InputError("the gzip file is cut off: what could be unpacked was read") from error
    except (OSError, zlib.error) as error:
        raise InputError(f"the gzip file is damaged ({error}): what could be unpacked was read") from error


def _zstd(stream: io.BufferedReader) -> Pieces:
    import pyarrow as pa

    source = _Counted(stream)
    try:
        with pa.CompressedInputStream(pa.PythonFile(source, mode="r"), "zstd") as unpacked:
            yield from _within_reason(unpacked.read, source)
    except (pa.ArrowException, OSError) as error:
        why = "cut off" if "Truncated" in str(error) else f"damaged ({error})"
        raise InputError(f"the zstd file is {why}: what could be unpacked was read") from error


def _within_reason(read: Callable[[int], bytes], source: _Counted) -> Pieces:
    """Yield what is unpacked, until it is out of all proportion."""
    size = 0
    while piece := read(PIECE):
        yield piece
        size += len(piece)
        if size > max(UNPACKED_BYTES, UNPACKED_A_BYTE * source.size):
            raise InputError(
                f"unpacks to over {UNPACKED_A_BYTE:,} times its size: no file of traffic does; "
                "if this one is honest, unpack it, and bring what is in it"
            )


def _of_encoding(encoding: str) -> Callable[[io.BufferedReader], Pieces]:
    """Return what makes UTF-8 of another encoding; what cannot be decoded becomes what UTF-8 cannot hold either."""
    errors = "surrogatepass" if encoding.startswith("utf") else "surrogateescape"

    def pieces(stream: io.BufferedReader) -> Pieces:
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        try:
            for piece in _pieces(stream):
                yield decoder.decode(piece).encode("utf-8", errors)
            yield decoder.decode(b"", final=True).encode("utf-8", errors)
        except UnicodeDecodeError:
            yield b"\xff"

    return pieces


_PACKED: Layers = ((b"\x1f\x8b", _gzip), (b"\x28\xb5\x2f\xfd", _zstd))
_LAYERS: Layers = (
    *_PACKED,
    (codecs.BOM_UTF32_LE, _of_encoding("utf-32")),  # begins like UTF-16
    (codecs.BOM_UTF32_BE, _of_encoding("utf-32")),
    (codecs.BOM_UTF16_LE, _of_encoding("utf-16")),
    (codecs.BOM_UTF16_BE, _of_encoding("utf-16")),
)
