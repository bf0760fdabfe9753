"""Lay a table out as exact numbers for a file: each interval takes two columns, words stay as they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotate.domain.message import Between, EvidenceText, IntervalBasis, Message, Number, Value, message


class ShownCell(NamedTuple):
    """A value and how it is shown."""

    value: Value
    words: str


class ExactNumbers(NamedTuple):
    """What a cell holds in numbers: a value, both ends of its interval, how many labels it rests on."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None


class ExactTable(NamedTuple):
    """Columns and rows of a file."""

    columns: tuple[Value, ...]
    rows: tuple[tuple[object, ...], ...]


def exact(columns: Sequence[str], rows: Sequence[Sequence[ShownCell]]) -> ExactTable:
    """Lay out a table: a column that holds intervals becomes its value, the low and the high end, and n where it has one."""
    parts = [part for place, name in enumerate(columns) for part in _laid_out(name, [row[place] for row in rows])]
    return ExactTable(tuple(name for name, _ in parts), tuple(zip(*(cells for _, cells in parts), strict=True)))


def numbers_of(value: Value) -> ExactNumbers | None:
    """Return the numbers behind a cell; None where it is words, or nothing."""
    match value:
        case bool():
            return None
        case int() | float():
            return ExactNumbers(value)
        case Number():
            return ExactNumbers(value.value)
        case Between():
            return ExactNumbers(None, value.low, value.high)
        case EvidenceText(estimate=estimate, basis=basis):
            ends = estimate.long_run if basis is IntervalBasis.LONG_RUN else (estimate.low, estimate.high)
            return ExactNumbers(estimate.estimate, *(ends or (None, None)), estimate.n)
        case Message(key="report.short" | "values.evidence", values=values):
            inner, span, n = (numbers_of(values.get(name)) for name in ("value", "span", "n"))
            if inner and span and span.low is not None:
                return ExactNumbers(
                    inner.value, span.low, span.high, int(n.value) if n and n.value is not None else None
                )
    return None


def _laid_out(name: str, cells: Sequence[ShownCell]) -> Iterator[tuple[Value, list[object]]]:
    """The columns that one column becomes, each with its cells."""
    known = [numbers_of(cell.value) for cell in cells]
    has_ends = any(number and number.low is not None for number in known)
    values = [_value(cell, number) for cell, number in zip(cells, known, strict=True)]
    if not has_ends or any(value not in {None, ""} for value in values):
        yield name, values
    if has_ends:
        yield message("values.low_end", label=name), [number.low if number else None for number in known]
        yield message("values.high_end", label=name), [number.high if number else None for number in known]
    if any(number and number.n is not None for number in known):
        yield message("values.number_of", label=name), [number.n if number else None for number in known]


def _value(cell: ShownCell, known: ExactNumbers | None) -> object:
    if known:
        return known.value
    return None if cell.value is None else cell.words
