"""Read JSON Lines: one object a line, and an unreadable line costs only itself."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from functools import partial

from annotate.files.rows import (
    CUT_OFF,
    LONGEST_ROW,
    NAME_ENCODING,
    TOO_LONG,
    FileRow,
    Rejected,
    RepeatedKey,
    as_fields,
    object_of,
    rejected,
)

BLANKS = " \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Made once: `json.loads` with an option makes a decoder for each call. NaN and Infinity become text.
DECODER = json.JSONDecoder(parse_constant=str, object_pairs_hook=object_of)


def json_lines(stream: io.BufferedReader, column: str | None = None) -> Iterator[FileRow | Rejected]:
    """Yield a row a line; with `column` it need hold no other one."""
    only = _only(column) if column and column.isascii() else None
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_ROW), b""), start=1):
        data = line.removeprefix(BYTE_ORDER_MARK)  # it stands within where files were put together
        if len(line) == LONGEST_ROW and not line.endswith(b"\n"):
            yield rejected(number, f"a line {TOO_LONG}", line)
            _skip_line(stream)
        elif not data.isspace() and data:
            fields = only(data) if only else None
            yield _row(number, data) if fields is None else FileRow(number, fields, 0)


def _skip_line(stream: io.BufferedReader) -> None:
    while (part := stream.readline(LONGEST_ROW)) and not part.endswith(b"\n"):
        pass


def decode(line: bytes) -> object:
    """Return the value of a line, also of one that ends with a comma, as lines taken from an array do.

    ValueError or RecursionError where it holds none, or an object with two values under one key.
    """
    text = line.decode()
    try:
        value, end = DECODER.raw_decode(text)
    except json.JSONDecodeError:
        return DECODER.decode(text)  # blanks come first, or the error is this one's to tell
    return value if text[end:].strip(BLANKS) in ("", ",") else DECODER.decode(text)


def _only(column: str) -> Callable[[bytes], dict[str, object] | None]:
    """Return a reader of this column of a line alone, in a tenth of the time; it gives None where the line must be parsed."""
    key = json.dumps(column).encode()
    value = re.compile(re.escape(key) + rb'\s*:\s*"([^"\\\x80-\xff]+)"').match
    first = re.compile(rb"\s*\{\s*").match

    def read(data: bytes) -> dict[str, object] | None:
        place = data.find(key)
        if place < 0:
            return None  # the column may be there in other spelling
        start = first(data)
        is_first = start is not None and start.end() == place
        # A key that comes once is the row's own, or there is none: whoever asks looks at what repeats again.
        match = value(data, place) if is_first or data.find(key, place + 1) < 0 else None
        return {column: match[1].decode()} if match else None

    return read


def _row(number: int, line: bytes) -> FileRow | Rejected:
    try:
        value = decode(line)
    except UnicodeDecodeError as error:
        return rejected(number, f"invalid UTF-8 at byte {error.start} of the line: {NAME_ENCODING}", line)
    except json.JSONDecodeError as error:
        end = "" if line.endswith(b"\n") else f" ({CUT_OFF})"
        what = error.msg.removesuffix(" at")
        return rejected(number, f"not valid JSON: {what} at character {error.pos}{end}", line)
    except RecursionError:
        return rejected(number, "nested too deeply", line)
    except RepeatedKey as error:
        return rejected(number, str(error), line)
    except ValueError as error:
        return rejected(number, f"not valid JSON: {error}", line)
    fields = as_fields(value)
    if fields is None:
        todo = "; put each object on a line of its own" if isinstance(value, list) else ""
        return rejected(number, f"expected a JSON object, found {type(value).__name__}{todo}", line)
    return FileRow(number, fields, len(line))
