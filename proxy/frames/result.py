"""Show a result in a notebook and hand it on: what was asked and its result, then a table; as a frame, as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from proxy.evaluation.estimate import Estimate
from proxy.text.numbers import NONE, Kind, interval, written

if TYPE_CHECKING:
    import pandas as pd

Cell: TypeAlias = float | str | None
THIS_WINDOW, LONG_RUN = "this window, 95 %", "long run, 95 %"
ADJUSTED = "difference, 95 % over all tests"
MOST_ROWS = 20
# The names of columns that hold no share.
KINDS: Mapping[str, Kind] = {
    "threshold": Kind.THRESHOLD,
    "clusters": Kind.DIGITS,
    "inclusion_probability": Kind.PROBABILITY,
    "best_rank": Kind.COUNT,
    "worst_rank": Kind.COUNT,
    "n": Kind.COUNT,
    "errors": Kind.COUNT,
    "difference": Kind.POINTS,
    **dict.fromkeys(("p_value", "adjusted_p", "p_window", "p_long_run"), Kind.P_VALUE),
}


class Result(ABC):
    """What a function on frames returns: a frozen record that prints itself."""

    # What the columns `low` and `high` of the frame are the ends of.
    ENDS: ClassVar[str] = THIS_WINDOW

    @abstractmethod
    def facts(self) -> Mapping[str, str | None]:
        """Return what stands above the table, by name: what was asked, its result, and why not; None is left out."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return the result as plain values, under the keys of the command's --json."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as a frame."""

    def kind(self, row: object, column: str) -> Kind:
        """Return how a number of the frame is written."""
        return KINDS.get(column, Kind.SHARE)

    def __repr__(self) -> str:
        facts, table = self._facts(), self._table()
        width = max(map(len, facts))
        lines = [type(self).__name__, *(f"  {name:<{width}}  {words}" for name, words in facts.items())]
        rows = [] if table.empty else ["", table.to_string(index=table.index.name is not None)]
        return "\n".join([*lines, *rows])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(words)}</td></tr>" for name, words in self._facts().items()
        )
        table = self._table()
        below = "" if table.empty else table.to_html(index=table.index.name is not None)
        return f"<p>{type(self).__name__}</p><table>{rows}</table>{below}"

    def _facts(self) -> Mapping[str, str]:
        facts = {name: words for name, words in self.facts().items() if words is not None}
        left = len(self.to_frame()) - MOST_ROWS
        return {**facts, "not shown": f"{left:,} rows: to_frame() has them"} if left > 0 else facts

    def _table(self) -> pd.DataFrame:
        """Return the frame in words: both ends of an interval in one column, which says what they are of."""
        import pandas as pd

        frame = self.to_frame().head(MOST_ROWS)
        columns = {title: cells for title, cells in self._columns(frame) if {*cells} - {NONE, ""}}
        return pd.DataFrame(columns, index=frame.index)

    def _columns(self, frame: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
        for name in frame.columns:
            before = name.removesuffix("low")
            if name == "method" or (name.removesuffix("high") + "low" in frame.columns and name.endswith("high")):
                continue
            if before != name:
                title = {"": self.ENDS, "long_run_": LONG_RUN}.get(before, ADJUSTED)
                ends = zip(frame.index, frame[name], frame[f"{before}high"], strict=True)
                kind = before.removesuffix("_") if before.removesuffix("_") in KINDS else name
                yield title, [self._span(row, kind, low, high) for row, low, high in ends]
            else:
                yield name, [self._cell(row, name, value) for row, value in zip(frame.index, frame[name], strict=True)]

    def _span(self, row: object, column: str, low: Cell, high: Cell) -> str:
        low, high = _known(low), _known(high)
        if low is None or high is None:
            return NONE
        kind = self.kind(row, column)
        return interval(float(low), float(high), kind, is_signed=kind is Kind.POINTS)

    def _cell(self, row: object, column: str, value: Cell) -> str:
        value = _known(value)
        if value is None:
            return "" if column == "reason" else NONE
        if isinstance(value, str):
            return value
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if isinstance(value, int | np.integer):
            return f"{value:,}"
        kind = self.kind(row, column)
        return written(float(value), kind, is_signed=kind is Kind.POINTS)


def _known(value: Cell) -> Cell:
    """Return what a cell holds; None for NaN."""
    return None if value != value else value  # noqa: PLR0124 - NaN is what differs from itself


def in_line(quantity: Estimate, kind: Kind = Kind.SHARE) -> str:
    """Write an estimate in a line, with its interval and n; its reason where there is none."""
    if quantity.estimate is None:
        return str(quantity.reason or NONE)
    ends = interval(quantity.low, quantity.high, kind)
    return f"{written(quantity.estimate, kind)} ({ends} {THIS_WINDOW}, n = {quantity.n:,})"


def frame_of(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows as a frame that has its columns even where there is no row."""
    import pandas as pd

    return pd.DataFrame.from_records(list(rows), columns=list(columns))


ESTIMATE_COLUMNS = ("estimate", "low", "high", "n", "long_run_low", "long_run_high", "method", "reason")


def estimate_row(quantity: Estimate) -> dict[str, object]:
    """Return an estimate as a row of a frame."""
    behind = quantity.long_run
    values = (
        quantity.estimate,
        quantity.low,
        quantity.high,
        quantity.n,
        behind.low if behind else None,
        behind.high if behind else None,
        quantity.method,
        quantity.reason,
    )
    return dict(zip(ESTIMATE_COLUMNS, values, strict=True))
