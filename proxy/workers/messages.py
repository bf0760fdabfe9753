"""Messages between a process and its workers: a pickled object behind its length."""

from __future__ import annotations

import pickle
import struct
from typing import BinaryIO

_LENGTH = struct.Struct("<Q")


def send(stream: BinaryIO, content: bytes) -> None:
    """Write a message."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    """Read a message; EOFError where the stream ends before the message does."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def packed(content: object) -> bytes:
    """Return what `unpacked` reads."""
    return pickle.dumps(content, pickle.HIGHEST_PROTOCOL)


def unpacked(content: bytes) -> object:
    """Read what `packed` wrote; both ends are programs of ours on one machine."""
    result: object = pickle.loads(content)  # noqa: S301
    return result


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content
