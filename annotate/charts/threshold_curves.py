"""Chart what every threshold would do: shares over the thresholds as lines, with their intervals as bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.intervals import tooltips
from annotate.charts.marks import COLOURS, GREY

HEIGHT = 420
DASHES = ([1, 0], [8, 4], [2, 3], [10, 3, 2, 3])


class At(NamedTuple):
    """One quantity at one threshold; without an interval where it is counted."""

    threshold: float
    quantity: str
    estimate: float
    low: float
    high: float


class ThresholdLine(NamedTuple):
    """A threshold to mark, by its name."""

    threshold: float
    name: str


def threshold_curves(rows: Sequence[At], marked: Sequence[ThresholdLine], title: str) -> alt.LayerChart:
    """Draw a line with its band for each quantity, distinguished by colour and dashes; each marked threshold is a named rule."""
    frame, names = pd.DataFrame(rows, columns=list(At._fields)), list(dict.fromkeys(row.quantity for row in rows))
    colour = alt.Color(
        "quantity:N",
        sort=names,
        title=None,
        scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
        legend=alt.Legend(
            orient="top", columns=2, labelLimit=360, symbolType="stroke", symbolSize=300, symbolOpacity=1
        ),
    )
    dash = alt.StrokeDash(
        "quantity:N",
        sort=names,
        title=None,
        scale=alt.Scale(domain=names, range=[list(dash_pattern) for dash_pattern in DASHES[: len(names)]]),
    )
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("threshold:Q", title=title, scale=alt.Scale(nice=False, zero=False))
    base = alt.Chart(frame).encode(x=x, color=colour)
    bands = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=scale, title=None), y2=alt.Y2("high:Q"))
    lines = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("estimate:Q", scale=scale, axis=alt.Axis(format="%", tickCount=5), title=None),
        strokeDash=dash,
        tooltip=[
            alt.Tooltip("quantity:N", title=" "),
            alt.Tooltip("threshold:Q", title=title, format=".3f"),
            *tooltips("estimate"),
        ],
    )
    rules = alt.Chart(pd.DataFrame(marked, columns=list(ThresholdLine._fields)))
    upright = rules.mark_rule(color=GREY, strokeDash=[6, 4]).encode(
        x=alt.X("threshold:Q"),
        tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("threshold:Q", title=title, format=".3f")],
    )
    words = rules.mark_text(align="left", dx=4, baseline="bottom", fontSize=11).encode(
        x=alt.X("threshold:Q"), y=alt.value(14), text=alt.Text("name:N")
    )
    chart: alt.LayerChart = alt.layer(bands, lines, upright, words, height=HEIGHT).configure_legend(orient="top")
    return chart
