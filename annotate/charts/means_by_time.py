"""Chart means by day, week or month as lines with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import COLOURS, SHAPES

HEIGHT = 240
DASHES = ([1, 0], [5, 3], [2, 2])


class Mean(NamedTuple):
    """The mean of one series in a period, over n, with its interval."""

    period: str
    series: str
    mean: float
    low: float
    high: float
    n: int


def means_by_time(means: Sequence[Mean], title: str) -> alt.LayerChart:
    """Draw a line a series, told apart by colour, shape and dashes; a thin rule from low to high at each period."""
    frame = pd.DataFrame(means, columns=list(Mean._fields))
    series, periods = list(dict.fromkeys(frame["series"])), sorted(set(frame["period"]))
    count = len(series)
    scale = alt.Scale(domain=series, range=list(COLOURS[:count]))
    base = alt.Chart(frame).encode(
        x=alt.X("period:N", sort=periods, title=None, axis=alt.Axis(labelAngle=-40, labelOverlap=True)),
        xOffset=alt.XOffset("series:N", sort=series),
        color=alt.Color("series:N", sort=series, title=None, scale=scale),
        tooltip=[
            alt.Tooltip("period:N", title=title),
            alt.Tooltip("series:N", title=" "),
            alt.Tooltip("mean:Q", title="=", format=".3f"),
            alt.Tooltip("low:Q", title="≥", format=".3f"),
            alt.Tooltip("high:Q", title="≤", format=".3f"),
            alt.Tooltip("n:Q", title="n", format=","),
        ],
    )
    ends = alt.Scale(domain=[0, 1], nice=False)
    rules = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", scale=ends, title=None), y2="high:Q")
    lines = base.mark_line().encode(
        y=alt.Y("mean:Q", scale=ends, title=None),
        strokeDash=alt.StrokeDash(
            "series:N", sort=series, title=None, scale=alt.Scale(domain=series, range=list(DASHES[:count]))
        ),
    )
    dots = base.mark_point(filled=True, size=50, opacity=1).encode(
        y=alt.Y("mean:Q", scale=ends, title=None),
        shape=alt.Shape(
            "series:N", sort=series, title=None, scale=alt.Scale(domain=series, range=list(SHAPES[:count]))
        ),
    )
    chart: alt.LayerChart = alt.layer(rules, lines, dots, height=HEIGHT).configure_legend(orient="top")
    return chart
