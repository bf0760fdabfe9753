"""Chart counts by row and column as a heat map; each cell shows its number, so that colour is never alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

CELL, AXES = 34, 60
DARK_FROM = 0.55


class Cell(NamedTuple):
    """A cell by the names of its row and column; `shown` is what stands in it."""

    row: str
    column: str
    amount: float
    shown: str


def heat_map(cells: Sequence[Cell], row_title: str, column_title: str, *, cell: int = CELL) -> alt.LayerChart:
    """Draw a row for each row name, the first at the bottom; the darker the more, with light letters on dark cells."""
    frame = pd.DataFrame(cells, columns=list(Cell._fields))
    rows, columns = list(dict.fromkeys(frame["row"])), list(dict.fromkeys(frame["column"]))
    most = max(1.0, float(frame["amount"].max()))
    base = alt.Chart(frame).encode(
        x=alt.X("column:N", sort=columns, title=column_title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("row:N", sort=rows[::-1], title=row_title, axis=alt.Axis(labelLimit=320)),
        tooltip=[
            alt.Tooltip("row:N", title=row_title),
            alt.Tooltip("column:N", title=column_title),
            alt.Tooltip("shown:N", title="n"),
        ],
    )
    squares = base.mark_rect(stroke="white").encode(
        color=alt.Color("amount:Q", scale=alt.Scale(scheme="blues", domain=[0, most]), legend=None)
    )
    numbers = base.mark_text(fontSize=11).encode(
        text="shown:N",
        color=alt.condition(alt.datum.amount > DARK_FROM * most, alt.value("white"), alt.value("black")),
    )
    chart: alt.LayerChart = alt.layer(squares, numbers, height=cell * len(rows) + AXES).configure_legend(orient="top")
    return chart
