"""Find personal data in tables, where the head of a column names what stands below it, and in segments of HL7 version 2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from annotate.domain.privacy import birth_dates, labelled
from annotate.domain.privacy.labelled import LabelKind

Cell = tuple[int, int]
Span = tuple[int, int, LabelKind]
# Separators outside quotes; columns of a printed list stand two spaces apart.
_SEPARATORS = {sign: re.compile(rf'"[^"\n]*"|{re.escape(sign)}') for sign in "\t|;,"}
_APART = re.compile(r"\S+(?: \S+)*")
_LINES = re.compile(r"[^\r\n]+")
# A head that none of so many rows bears out is none.
_TRIED = 5
_RULE = re.compile(r"[\s|:+=-]+")
_HEAD = re.compile(r"[^\d\n]{2,40}")
_REMARK = re.compile(r"[(\[][^)\]]*[)\]]?")
_NUMBER = re.compile(r"[A-Za-z]{0,6}[ /-]?\d[A-Za-z0-9 ()./-]{2,30}")
_DECIMAL = re.compile(r"\d+[.,]\d+")
# Segments, and their fields that hold a person's numbers, day of birth and telephones (HL7 2.5.1, chapters 3 and 6).
_SEGMENTS = re.compile(r"(?<![A-Za-z0-9])(PID|NK1|GT1|IN1|MRG|PV1)\|[^\r\n]*")
_FIELDS: dict[str, dict[LabelKind, tuple[int, ...]]] = {
    "PID": {LabelKind.RECORD: (2, 3, 4, 18, 19, 20, 21), LabelKind.BIRTH: (7,), LabelKind.PHONE: (13, 14)},
    "NK1": {LabelKind.RECORD: (33, 37), LabelKind.BIRTH: (16,), LabelKind.PHONE: (5, 6, 31)},
    "GT1": {LabelKind.RECORD: (2, 12, 19), LabelKind.BIRTH: (8,), LabelKind.PHONE: (6, 7)},
    "IN1": {LabelKind.RECORD: (8, 36, 49), LabelKind.BIRTH: (18,), LabelKind.PHONE: (7,)},
    "MRG": {LabelKind.RECORD: (1, 2, 3, 4)},
    "PV1": {LabelKind.RECORD: (19, 50)},
}


def spans(text: str) -> Iterator[Span]:
    """Yield start, end and kind of what columns and segments of a folded text name, and as codes the heads of such columns."""
    if "|" in text:
        for match in _SEGMENTS.finditer(text):
            yield from _segment(match)
    if "\n" in text:
        yield from _tables(text)


def _segment(match: re.Match[str]) -> Iterator[Span]:
    kinds = {number: kind for kind, numbers in _FIELDS[match[1]].items() for number in numbers}
    at = match.start()
    for number, field in enumerate(match[0].split("|")):
        if number in kinds and any(map(str.isdecimal, field)):
            yield at, at + len(field), kinds[number]
        at += len(field) + 1


def _tables(text: str) -> Iterator[Span]:
    """Read lines once: a line with a name among its cells is a head, and the lines with as many cells below are its rows."""
    lines = [match.span() for match in _LINES.finditer(text)]
    row = 0
    while row < len(lines) - 1:
        rows = 0
        for separator in _separators(text, lines[row], lines[row + 1]):
            head = _cells(text, lines[row], separator)
            if len(head) > 1 and (kinds := _kinds(text, head)):
                values, rows = _body(text, islice(lines, row + 1, None), separator, kinds, len(head))
                if values:
                    yield from ((*head[column], LabelKind.CODE) for column in kinds)
                    yield from values
                    break
        row += 1 + rows


def _body(
    text: str, lines: Iterable[Cell], separator: str, kinds: dict[int, LabelKind], width: int
) -> tuple[list[Span], int]:
    """Return what stands below a head, and how many rows it has; none where the first rows hold nothing of the kind."""
    values, rows = list[Span](), 0
    for line in lines:
        cells = _cells(text, line, separator)
        if cells and len(cells) != width:
            break
        values += _values(text, cells, kinds) if cells else ()
        rows += 1
        if rows == _TRIED and not values:
            break
    return values, rows if values else 0


def _separators(text: str, line: Cell, below: Cell) -> Iterator[str]:
    """Yield what may separate the cells of a line and of the one below it."""
    for sign in ("\t", "|", ";", ",", "  "):
        if text.find(sign, *line) >= 0 and text.find(sign, *below) >= 0:
            yield sign


def _cells(text: str, line: Cell, separator: str) -> list[Cell]:
    """Return where the cells of a line lie; none of a rule below a head."""
    if _RULE.fullmatch(text, *line):
        return []
    if separator not in _SEPARATORS:
        return [match.span() for match in _APART.finditer(text, *line)]
    start, end = line
    cuts = [match.start() for match in _SEPARATORS[separator].finditer(text, *line) if match[0] == separator]
    cells = list(pairwise((start - 1, *cuts, end)))
    cells = [(left + 1, right) for left, right in cells]
    return [cell for cell in cells if cell[0] < cell[1]] if separator == "|" and text[start] == "|" else cells


def _kinds(text: str, head: list[Cell]) -> dict[int, LabelKind]:
    """Return what the cells of a line name, column by column."""
    kinds = dict[int, LabelKind]()
    for column, (start, end) in enumerate(head):
        name = _REMARK.sub("", text[start:end]).strip(" \"'*_:.")
        kind = labelled.kind_of(name) if _HEAD.fullmatch(name) else None
        if kind is not None and kind is not LabelKind.CODE:
            kinds[column] = kind
    return kinds


def _values(text: str, cells: list[Cell], kinds: dict[int, LabelKind]) -> Iterator[Span]:
    """Yield the cells of a row that hold what the head names; an id is a person's where a day of birth stands beside it."""
    for column, kind in kinds.items():
        start, end = cells[column]
        value = text[start:end].strip(" \"'*")
        fewest = 6 if kind is LabelKind.WEAK and LabelKind.BIRTH not in kinds.values() else 3
        if sum(map(str.isdecimal, value)) >= fewest and _is_value(value, kind):
            begin = text.index(value, start)
            yield begin, begin + len(value), kind


def _is_value(value: str, kind: LabelKind) -> bool:
    """Return whether a whole cell is of this kind."""
    if kind is LabelKind.BIRTH:
        return birth_dates.LABELLED.fullmatch(value) is not None and birth_dates.is_plausible(value)
    if _DECIMAL.fullmatch(value) or labelled.is_date(value):
        return False
    return labelled.is_phone(value) if kind is LabelKind.PHONE else _NUMBER.fullmatch(value) is not None
