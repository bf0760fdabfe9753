"""Draw the intervals of a table's column as bars that share one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.message import Between, EvidenceText, Kind, Message, Number, Value
from annotate.present.exact_table import ExactNumbers, numbers_of
from annotate.present.report.tiles import HALF, FigureBar

# Chosen: a difference of less than a point still has a bar that can be seen beside none.
NARROWEST = 0.01


class ScaledBars(NamedTuple):
    """The bar of each cell, None where it holds no interval, and both ends of the scale."""

    bars: tuple[FigureBar | None, ...]
    ends: tuple[Value, Value]


def scaled_bars(cells: Sequence[Value], mark: float | None = None) -> ScaledBars | None:
    """Draw a column: differences around zero, shares and coefficients from -1, 0 or a half to 1; None without intervals.

    The tick stands at the mark, of differences at zero.
    """
    known = [numbers_of(value) for value in cells]
    kinds = {kind for kind in map(_kind, cells) if kind}
    ends = [end for number in known if number for end in (number.value, number.low, number.high) if end is not None]
    if len(kinds) != 1 or not any(number and number.low is not None for number in known):
        return None
    [kind], is_difference = kinds, any(map(_is_signed, cells))
    first, last = _scale(ends, is_difference=is_difference)
    limit = 0.0 if is_difference else mark
    return ScaledBars(
        tuple(_bar(number, first, last, limit) for number in known),
        (Number(first, kind, is_difference), Number(last, kind, is_difference)),
    )


def _scale(ends: Sequence[float], *, is_difference: bool) -> tuple[float, float]:
    if is_difference:
        reach = max(NARROWEST, *map(abs, ends))
        return -reach, reach
    lowest = min(ends)
    return HALF if lowest >= HALF else 0.0 if lowest >= 0 else -1.0, max(1.0, *ends)


def _bar(known: ExactNumbers | None, first: float, last: float, limit: float | None) -> FigureBar | None:
    if known is None or known.value is None or known.low is None or known.high is None:
        return None
    return FigureBar(known.value, known.low, known.high, first, last, limit)


def _kind(value: Value) -> Kind | None:
    match value:
        case Number() | EvidenceText():
            return value.kind
        case Message(key="report.short" | "values.evidence", values=values):
            return _kind(values["value"])
    return None


def _is_signed(value: Value) -> bool:
    match value:
        case Number() | Between() | EvidenceText():
            return value.is_signed
        case Message(key="report.short" | "values.evidence", values=values):
            return _is_signed(values["value"])
    return False
