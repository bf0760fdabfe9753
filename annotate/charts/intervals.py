"""Chart measured shares as dots with intervals; the building blocks of every such chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import COLOURS, SHAPES

ROW_HEIGHT, AXES_HEIGHT = 52, 80
SCALE = alt.Scale(domain=[0, 1], nice=False)


class Bar(NamedTuple):
    """One interval of one quantity; without an estimate it is drawn without a dot."""

    quantity: str
    interval: str
    estimate: float | None
    low: float
    high: float


class Rows(NamedTuple):
    """Layout of rows of intervals: the columns of row, kind and estimate, each kind's colour and shape, and the heights."""

    row: str
    kind: str
    estimate: str
    tooltip: Sequence[alt.Tooltip]
    colours: Sequence[str] = COLOURS
    shapes: Sequence[str] = SHAPES
    height: int = ROW_HEIGHT


def intervals(bars: Sequence[Bar]) -> alt.LayerChart:
    """Draw a row for each quantity, within it a line from low to high for each kind of interval, with a dot at the estimate."""
    tips = (alt.Tooltip("quantity:N", title="what"), alt.Tooltip("interval:N", title="interval"), *tooltips("estimate"))
    return in_rows(pd.DataFrame(bars, columns=list(Bar._fields)), Rows("quantity", "interval", "estimate", tips))


def tooltips(estimate: str) -> tuple[alt.Tooltip, ...]:
    """Return the estimate and both ends, by signs that need no language."""
    ends = ((estimate, "="), ("low", "≥"), ("high", "≤"))
    return tuple(alt.Tooltip(f"{name}:Q", title=title, format=".1%") for name, title in ends)


def in_rows(frame: pd.DataFrame, how: Rows, *texts: alt.Chart) -> alt.LayerChart:
    """Draw a row for each value of the row's column as they come, a line and a dot for each kind in it; `texts` lie on top."""
    rows, kinds = list(dict.fromkeys(frame[how.row])), list(dict.fromkeys(frame[how.kind]))
    share, axis = alt.Axis(format="%", tickCount=5), alt.Axis(labelLimit=360, ticks=False, domain=False)
    colours, shapes = list(how.colours[: len(kinds)]), list(how.shapes[: len(kinds)])
    y = alt.Y(f"{how.row}:N", sort=rows, title=None, axis=axis)
    base = alt.Chart(frame).encode(
        y=y,
        yOffset=alt.YOffset(f"{how.kind}:N", sort=kinds),
        color=alt.Color(f"{how.kind}:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds, range=colours)),
        tooltip=list(how.tooltip),
    )
    lines = base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q", scale=SCALE, axis=share, title=None), x2="high:Q")
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X(f"{how.estimate}:Q", scale=SCALE, axis=share, title=None),
        shape=alt.Shape(f"{how.kind}:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds, range=shapes)),
    )
    layers: list[alt.Chart] = [lines, dots, *(text.encode(y=y) for text in texts)]
    height = how.height * len(rows) + AXES_HEIGHT
    chart: alt.LayerChart = alt.layer(*layers, height=height).configure_legend(orient="top")
    return chart
