"""Chart counts by row and column as a heat map; each cell shows its number, so that colour is never alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, PICKED, SKY, VERMILION

CELL, AXES = 34, 60
DARK_FROM = 0.55
HEIGHT = 220


class Cell(NamedTuple):
    """A cell by the names of its row and column; `shown` is what stands in it, `code` asks for the answers that it counts."""

    row: str
    column: str
    amount: float
    shown: str
    code: str = ""


def heat_map(cells: Sequence[Cell], row_title: str, column_title: str, *, cell: int = CELL) -> alt.LayerChart:
    """Draw a row for each row name, the first at the bottom; the darker the more, with light letters on dark cells.

    The parameter PICKED holds the code of a cell that was clicked.
    """
    frame = pd.DataFrame(cells, columns=list(Cell._fields))
    rows, columns = list(dict.fromkeys(frame["row"])), list(dict.fromkeys(frame["column"]))
    most = max(1.0, float(frame["amount"].max()))
    base = alt.Chart(frame).encode(
        x=alt.X("column:N", sort=columns, title=column_title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("row:N", sort=rows[::-1], title=row_title, axis=alt.Axis(labelLimit=320)),
    )
    squares = (
        base.mark_rect(stroke="white")
        .encode(
            color=alt.Color("amount:Q", scale=alt.Scale(scheme="blues", domain=[0, most]), legend=None),
            # Of the cells alone: a number with a tooltip would take the click from its cell.
            tooltip=[
                alt.Tooltip("row:N", title=row_title),
                alt.Tooltip("column:N", title=column_title),
                alt.Tooltip("shown:N", title="n"),
            ],
        )
        .add_params(alt.selection_point(name=PICKED, fields=["code"]))
    )
    numbers = base.mark_text(fontSize=11).encode(
        text=alt.Text("shown:N"),
        color=alt.condition(alt.datum.amount > DARK_FROM * most, alt.value("white"), alt.value("black")),
    )
    chart: alt.LayerChart = alt.layer(squares, numbers, height=cell * len(rows) + AXES).configure_legend(orient="top")
    return chart


class Slot(NamedTuple):
    """A bin by its name, and the share of the matched and of all that lie in it; `code` asks for the matched."""

    bin: str
    matched: float
    all: float
    code: str = ""


def distribution(slots: Sequence[Slot], matched: str, every: str, title: str) -> alt.LayerChart:
    """Draw bars for `matched`, a line with diamonds for `every`; both words stand in the legend.

    The parameter PICKED holds the code of a bar that was clicked.
    """
    names = [slot.bin for slot in slots]
    frame = pd.DataFrame(
        [
            (slot.bin, kind, share, slot.code)
            for slot in slots
            for kind, share in ((matched, slot.matched), (every, slot.all))
        ],
        columns=["bin", "kind", "share", "code"],
    )
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=[matched, every], range=[SKY, VERMILION]),
        sort=[matched, every],
        # As drawn: a bar, and a line through diamonds.
        legend=alt.Legend(symbolType=alt.ExprRef("datum.index === 0 ? 'square' : 'diamond'")),
    )
    base = alt.Chart(frame).encode(
        x=alt.X("bin:N", sort=names, title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=4)),
        color=colour,
        tooltip=[
            alt.Tooltip("bin:N", title=title),
            alt.Tooltip("kind:N", title=" "),
            alt.Tooltip("share:Q", title="%", format=".1%"),
        ],
    )
    bars = (
        base.transform_filter(alt.datum.kind == matched)
        .mark_bar(stroke=BLUE)
        .add_params(alt.selection_point(name=PICKED, fields=["code"]))
    )
    line = base.transform_filter(alt.datum.kind == every).mark_line(
        point=alt.OverlayMarkDef(shape="diamond", size=70, filled=True)
    )
    chart: alt.LayerChart = alt.layer(bars, line, height=HEIGHT).configure_legend(orient="top")
    return chart
