r"""Read lists that were written as text into a cell: as JSON, as Python (`['a', "b's"]`) or as numpy (`['a' 'b'\n 'c']`).

Python's own parser would join the strings of numpy into one. A text is taken for a list where it begins as one does; what
then cannot be read is an InputError, and never one passage. Prose that begins with a bracket is prose: `[1] Smith et al.`,
`[sic]`, `["Quoted"] he said`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from proxy.errors import InputError

DECODE = json.JSONDecoder(parse_constant=str, strict=False).decode
MAX_DEPTH = 50
CALL = r"(?:(?:np|numpy)\.)?(?:array|list|tuple|Document)\("
# Begins as only lists of texts or objects do, and as footnotes and lists of numbers do.
LIST_START = re.compile(
    rf"""\s*(?:{CALL}\s*)?\[[\[(\s]*
    (?:[bBuUrR]?['"] | \{{ | \] | [A-Za-z_][\w.]*\( | (?:None|null|nan|NaN|True|true|False|false)\s*[,\]'"\[{{])""",
    re.VERBOSE,
)
NUMBERS_START = re.compile(rf"\s*(?:{CALL}\s*)?\[[\[(\s]*[-+]?\.?\d")
# What Python's `str` makes of an object, or of a list of them; JSON has double quotes.
OBJECT_START = re.compile(r"\s*(?:\[\s*)?\{\s*'")
BLANKS = re.compile(r"\s*")
LIST_END = re.compile(r"[\])]\s*$")
PROSE_AFTER = re.compile(r"\s*[.,;:!?()–—-]*\s*\w")
TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>[uU]?(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"))
    | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
    | (?P<truncated>\.\.\.)
    | (?P<name>[A-Za-z_][\w.]*)
    | (?P<sign>[\[\](){},:=])
    | (?P<end>$)
    )""",
    re.VERBOSE | re.DOTALL,
)
LITERALS = {
    "None": None,
    "null": None,
    "True": True,
    "true": True,
    "False": False,
    "false": False,
    "nan": "NaN",
    "NaN": "NaN",
}
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL)
ESCAPED_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
CLOSING_BRACKETS = {"[": "]", "(": ")"}


class _Unreadable(Exception):
    """Why a text is no list."""


def as_list(value: object, name: str) -> list[object]:
    """Return what a field holds as a list: a list, a list that was written as text, or one value by itself.

    Raises
    ------
    InputError
        Where a text looks like a list and cannot be read as one; the message begins with the `name` of the field.
    """
    if isinstance(value, str):
        try:
            parsed = read_list(value)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
        value = value if parsed is None else parsed
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def read_list(text: str) -> list[object] | None:
    """Return the list that a text holds, or None where it is prose.

    Raises
    ------
    InputError
        Where it looks like a list and cannot be read as one.
    """
    is_list, is_numbers = LIST_START.match(text), NUMBERS_START.match(text)
    if not is_list and not is_numbers:
        return None
    try:
        if isinstance(value := DECODE(text), list):
            return value
    except (ValueError, RecursionError):
        pass
    reader = _Reader(text)
    try:
        value = reader.value(0)
        reason = f"something follows its end, at character {reader.place}"
    except _Unreadable as error:
        value, reason = None, str(error)
    if isinstance(value, list) and reader.is_at_end:
        return value
    is_prose = value is not None and PROSE_AFTER.match(text, reader.place)
    looks_whole = is_list and (reader.ends_early or LIST_END.search(text))
    if is_prose or not (looks_whole or reader.is_truncated):
        return None
    raise InputError(f"looks like a list and cannot be read as one: {reason}")


def read_object(text: str) -> object:
    """Return the object, or the list of objects, that was written as Python writes it; None for any other text."""
    if not OBJECT_START.match(text):
        return None
    reader = _Reader(text)
    try:
        value = reader.value(0)
    except _Unreadable:
        return None
    return value if reader.is_at_end else None


class _Reader:
    """Values of Python, JSON and numpy, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kind, self._part = "", ""
        self._next = 0
        self.place = 0
        self.is_truncated = False
        self._advance()

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        return self._kind == "end"

    @property
    def ends_early(self) -> bool:
        """Whether the text ends within a list, or within a text in quotes."""
        return self._kind == "end" or (self._kind == "" and self._text[self.place] in "'\"")

    def value(self, depth: int) -> object:
        """Read the value that starts here."""
        if depth > MAX_DEPTH:
            raise _Unreadable(f"nested deeper than {MAX_DEPTH} levels")
        kind, part = self._kind, self._part
        if part in CLOSING_BRACKETS:
            return self._sequence(CLOSING_BRACKETS[part], depth)
        if part == "{":
            return self._object(depth)
        if kind == "name" and part not in LITERALS:
            return self._call(part, depth)
        reader = _READ_PLAIN.get(kind)
        if reader is None:
            raise self._unreadable()
        self._advance()
        return reader(part)

    def _sequence(self, closing: str, depth: int) -> list[object]:
        """Read elements with commas between them, or all with blanks, as numpy writes them."""
        self._advance()
        values: list[object] = []
        commas = 0
        while self._part != closing:
            values.append(self.value(depth + 1))
            if self._part == ",":
                commas += 1
                self._advance()
        if commas and commas < len(values) - 1:
            raise _Unreadable("commas stand between some of its elements only")
        self._advance()
        return values

    def _object(self, depth: int) -> dict[str, object]:
        self._advance()
        pairs: dict[str, object] = {}
        while self._part != "}":
            name = self.value(depth + 1)
            self._expect(":")
            pairs[str(name)] = self.value(depth + 1)
            if self._part != "}":
                self._expect(",")
        self._advance()
        return pairs

    def _call(self, name: str, depth: int) -> object:
        """Read `array([…], dtype=…)` or `list([…])` as their list, and `Document(page_content='…')` as an object."""
        if not re.match(CALL, f"{name}("):
            raise self._unreadable()
        self._advance()
        self._expect("(")
        content: object = []
        named: dict[str, object] = {}
        while self._part != ")":
            value = self._keyword_or_value(named, depth)
            content = content if value is None else value
            if self._part != ")":
                self._expect(",")
        self._advance()
        return named if name == "Document" else content

    def _keyword_or_value(self, named: dict[str, object], depth: int) -> object:
        """Read an argument; a keyword's goes into `named`."""
        name = self._part
        if self._kind != "name" or self._text[self._next : self._next + 1] != "=":
            return self.value(depth + 1)
        self._advance()
        self._expect("=")
        if name == "dtype":
            self._advance()
        else:
            named[name] = self.value(depth + 1)
        return None

    def _expect(self, sign: str) -> None:
        if self._part != sign or self._kind != "sign":
            raise self._unreadable()
        self._advance()

    def _advance(self) -> None:
        match = TOKEN.match(self._text, self._next)
        if match is None or match.lastgroup is None:
            blanks = BLANKS.match(self._text, self._next)
            self._kind, self._part, self.place = "", "", blanks.end() if blanks else self._next
            return
        self._kind, self._part = match.lastgroup, match[match.lastgroup]
        self.place, self._next = match.start(match.lastgroup), match.end()

    def _unreadable(self) -> _Unreadable:
        if self._kind == "truncated":
            self.is_truncated = True
            return _Unreadable("it was cut short with ... where it was written, and what stood there is lost")
        if self.ends_early:
            return _Unreadable("it does not end; it may be cut off")
        return _Unreadable(f"at character {self.place}")


def _read_text(part: str) -> str:
    return ESCAPE.sub(_unescaped, part.lstrip("uU")[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    two, four, eight, octal, other = match.groups()
    if other is not None:
        return ESCAPED_CHARACTERS.get(other, other if other in "'\"\\" else f"\\{other}")
    number = int(octal, 8) if octal is not None else int(two or four or eight, 16)
    if number > 0x10FFFF:
        raise _Unreadable("an escape that is no character")
    return chr(number)


def _read_number(part: str) -> int | float:
    if part.lstrip("+-").isdigit():
        try:
            return int(part)
        except ValueError as error:
            raise _Unreadable("a number that is too long") from error
    return float(part)


_READ_PLAIN: dict[str, Callable[[str], object]] = {"text": _read_text, "number": _read_number, "name": LITERALS.get}
