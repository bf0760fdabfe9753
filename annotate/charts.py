"""Measured shares in, an Altair chart of dots and intervals out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

# Okabe and Ito's blue and vermilion, told apart by every kind of colour vision; the shapes differ too.
COLOURS = ("#0072B2", "#D55E00")
SHAPES = ("circle", "diamond")
ROW_HEIGHT, AXES_HEIGHT = 52, 80


class Bar(NamedTuple):
    """One interval of one quantity; without an estimate it is drawn without a dot."""

    quantity: str
    interval: str
    estimate: float | None
    low: float
    high: float


def intervals(bars: Sequence[Bar]) -> alt.LayerChart:
    """A row for each quantity, within it a line from low to high for each kind of interval, with a dot at the estimate."""
    frame = pd.DataFrame(bars, columns=list(Bar._fields))
    kinds, rows = list(frame["interval"].unique()), list(frame["quantity"].unique())
    share = alt.Axis(format="%", tickCount=5)
    base = alt.Chart(frame).encode(
        y=alt.Y("quantity:N", sort=rows, title=None, axis=alt.Axis(labelLimit=320, ticks=False, domain=False)),
        yOffset=alt.YOffset("interval:N", sort=kinds),
        color=alt.Color(
            "interval:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds, range=COLOURS[: len(kinds)])
        ),
        tooltip=[
            alt.Tooltip("quantity:N", title="what"),
            alt.Tooltip("interval:N", title="interval"),
            alt.Tooltip("estimate:Q", format=".1%"),
            alt.Tooltip("low:Q", format=".1%"),
            alt.Tooltip("high:Q", format=".1%"),
        ],
    )
    scale = alt.Scale(domain=[0, 1], nice=False)
    lines = base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q", scale=scale, axis=share, title=None), x2="high:Q")
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("estimate:Q", scale=scale, axis=share, title=None),
        shape=alt.Shape(
            "interval:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds, range=SHAPES[: len(kinds)])
        ),
    )
    chart: alt.LayerChart = (
        alt.layer(lines, dots).properties(height=ROW_HEIGHT * len(rows) + AXES_HEIGHT).configure_legend(orient="top")
    )
    return chart
