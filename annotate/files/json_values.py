"""Read JSON that is no lines: an array of objects, a pretty-printed object or several, an object around a list of objects.

An object is one row; one longer than a row can be gives the objects of its first list. An array of messages of a chat alone is
one row as well: a conversation. The text is read through a window that grows to the value in hand, so that memory holds one row.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator

from annotate.files.rows import (
    CUT_OFF,
    KEPT_BYTES,
    LONGEST_ROW,
    NOTHING_AFTER,
    TOO_LONG,
    FileRow,
    Rejected,
    RepeatedKey,
    are_of_one_talk,
    as_fields,
    is_message,
    object_of,
    of_element,
    rejected,
)

PIECE = 1 << 20
RAW_DECODE = json.JSONDecoder(parse_constant=str, object_pairs_hook=object_of).raw_decode
# Finds the end of a value in which a key stands twice.
ANY_DECODE = json.JSONDecoder(parse_constant=str).raw_decode
# Byte order marks stand where files were put together, record separators in JSON text sequences.
BLANKS = re.compile("[ \t\r\n\ufeff\x1e]*").match
# An error this near to the end may be of a literal or an escape that goes on behind it.
SLACK = 32
LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
OPEN_TEXT = ("Unterminated", "Invalid \\u")


class _Fault(Exception):
    """What makes the rest of the text unreadable."""

    def __init__(self, line: int, reason: str, raw: bytes, *, is_too_long: bool = False) -> None:
        self.row = rejected(line, f"{reason}; {NOTHING_AFTER}", raw)
        self.is_too_long = is_too_long


def json_values(stream: io.BufferedReader) -> Iterator[FileRow | Rejected]:
    """Yield an object a row, with its number in an array or its first line; a fault of the syntax ends the reading."""
    window = _Window(stream)
    try:
        while sign := window.next_sign():
            if sign == "[":
                line = window.line
                window.step()
                yield from _conversation(line, _elements(window))
            else:
                yield from _value(window, sign)
    except _Fault as fault:
        yield fault.row


class _Window:
    """A part of the text, and the place in it that is read next."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._place = 0
        self._is_whole = False
        self.line = 1
        self.element = 0  # the number of the element that is read, where it is one

    def step(self, end: int | None = None) -> None:
        """Go behind the next sign, or to a place."""
        end = self._place + 1 if end is None else end
        self.line += self._text.count("\n", self._place, end)
        self._place = end

    def next_sign(self) -> str:
        """Pass over blanks, and return the sign behind them; "" at the end."""
        while True:
            self.step(BLANKS(self._text, self._place).end())  # type: ignore[union-attr]
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._grow():
                return ""

    def value(self) -> tuple[object, str]:
        """Return the value that starts here, or RepeatedKey, and its text; _Fault where it cannot be read."""
        decode, repeated = RAW_DECODE, None
        while True:
            try:
                value, end = decode(self._text, self._place)
            except RepeatedKey as error:
                decode, repeated = ANY_DECODE, error
            except json.JSONDecodeError as error:
                if error.pos < len(self._text) - SLACK and not error.msg.startswith("Unterminated"):
                    raise self.fault(f"not valid JSON: {error.msg}", error.pos) from error
                if len(self._text) - self._place >= LONGEST_ROW:
                    raise self.fault(f"a value {TOO_LONG}", is_too_long=True) from error
                if not self._grow():
                    why = error.msg.removesuffix(" at") + (f" ({CUT_OFF})" if _is_cut(error) else "")
                    raise self.fault(f"not valid JSON: {why}", error.pos) from error
            except (ValueError, RecursionError) as error:
                why = "nested too deeply" if isinstance(error, RecursionError) else f"not valid JSON: {error}"
                raise self.fault(why) from error
            else:
                # A number may go on behind the end.
                if end < len(self._text) or isinstance(value, (dict, list, str)) or not self._grow():
                    text = self._text[self._place : end]
                    self.step(end)
                    return repeated or value, text

    def fault(self, reason: str, place: int | None = None, *, is_too_long: bool = False) -> _Fault:
        """Return what ends the reading: the value that starts here, at this place in it."""
        line = self.line if place is None else self.line + self._text.count("\n", self._place, place)
        where = f", on line {line:,}" if self.element or line != self.line else ""
        where += of_element(self.element) if self.element else ""
        raw = self._text[self._place : self._place + KEPT_BYTES].encode("utf-8", "surrogateescape")
        return _Fault(self.element or self.line, f"{reason}{where}", raw, is_too_long=is_too_long)

    def _grow(self) -> bool:
        """Read on, as much again as is in hand; return whether there was anything."""
        if self._is_whole:
            return False
        rest = self._text[self._place :]
        data = self._stream.read(max(PIECE, len(rest)))
        self._is_whole = not data
        self._text = rest + self._decoder.decode(data, final=not data)
        self._place = 0
        return True


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Return whether the text may have gone on where it ends."""
    rest = error.doc[error.pos :].rstrip()
    return error.msg.startswith(OPEN_TEXT) or any(literal.startswith(rest) for literal in LITERALS)


def _conversation(line: int, rows: Iterator[FileRow | Rejected]) -> Iterator[FileRow | Rejected]:
    """Yield the rows of an array; where all are messages of a chat, the array is one conversation, and one row."""
    messages: list[FileRow] = []
    size = 0
    for row in rows:
        if isinstance(row, FileRow) and is_message(row.fields) and size < LONGEST_ROW:
            messages.append(row)
            size += row.size
            continue
        yield from (*messages, row)
        yield from rows
        return
    if not are_of_one_talk([row.fields for row in messages]):
        yield from messages
    elif messages:
        yield FileRow(line, {"messages": [row.fields for row in messages]}, size)


def _elements(window: _Window) -> Iterator[FileRow | Rejected]:
    """Yield the elements of an array behind its bracket; one that is no object costs only itself."""
    sign = window.next_sign()
    while sign != "]":
        window.element += 1
        yield _row(window, sign)
        sign = window.next_sign()
        if sign == ",":
            window.step()
            sign = window.next_sign()  # the end, where a program left the last comma
        elif sign != "]":
            why = f"a comma or ] is missing, and {sign!r} found" if sign else f"the array does not end ({CUT_OFF})"
            raise window.fault(f"not valid JSON: {why}")
    window.element = 0
    window.step()


def _row(window: _Window, sign: str) -> FileRow | Rejected:
    """Read the value that starts here as a row."""
    if not sign:
        raise window.fault(f"not valid JSON: a value is missing ({CUT_OFF})")
    number = window.element or window.line
    where = of_element(window.element) if window.element else ""
    value, text = window.value()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raw = text.encode("utf-8", "surrogateescape")
        return rejected(number, f"invalid UTF-8 at character {error.start} of the value{where}", raw)
    fields = as_fields(value)
    if fields is None:
        why = str(value) if isinstance(value, RepeatedKey) else f"expected a JSON object, found {type(value).__name__}"
        return rejected(number, f"{why}{where}", text.encode())
    return FileRow(number, fields, len(text), is_element=bool(where))


def _value(window: _Window, sign: str) -> Iterator[FileRow | Rejected]:
    """Yield the object that starts here, or the objects of its first list where it is too long for a row."""
    try:
        yield _row(window, sign)
    except _Fault as fault:
        if not fault.is_too_long or sign != "{":
            raise
        yield from _FirstList(window).rows()


class _FirstList:
    """The first list of objects in an object that is too long for a row."""

    def __init__(self, window: _Window) -> None:
        self._window = window
        self._is_read = False

    def rows(self) -> Iterator[FileRow | Rejected]:
        """Yield its objects; another list of objects is not passed over without a word."""
        window = self._window
        window.step()
        while (sign := window.next_sign()) != "}":
            if sign != '"':
                raise window.fault("not valid JSON: a name in quotes is missing")
            name, _ = window.value()
            if window.next_sign() != ":":
                raise window.fault("not valid JSON: a colon is missing")
            window.step()
            yield from self._member(str(name))
            sign = window.next_sign()
            if sign == ",":
                window.step()
            elif sign != "}":
                why = (
                    f"a comma or }} is missing, and {sign!r} found" if sign else f"the object does not end ({CUT_OFF})"
                )
                raise window.fault(f"not valid JSON: {why}")
        window.step()

    def _member(self, name: str) -> Iterator[FileRow | Rejected]:
        window = self._window
        sign = window.next_sign()
        if sign == "[":
            line = window.line
            window.step()
            is_rows = window.next_sign() == "{"
            if is_rows and self._is_read:
                yield rejected(line, f"a second list of objects, {name!r}, in one object {TOO_LONG}: it was not read")
            is_taken = is_rows and not self._is_read
            self._is_read |= is_rows
            yield from (row for row in _elements(window) if is_taken)
            return
        try:
            window.value()
        except _Fault as fault:
            if not fault.is_too_long or sign != "{":
                raise
            yield from self.rows()
