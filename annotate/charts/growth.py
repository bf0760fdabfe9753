"""Chart the size of the gold set by day in steps: a line for each role, and one for what waits for review."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import COLOURS, SHAPES

HEIGHT = 260
# Lines are told apart by their dashes and points too, so that no reader needs the colours.
DASHES = ([1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [4, 4], [12, 4], [1, 3])


class SeriesCount(NamedTuple):
    """Number of entries of a series at the end of a day."""

    day: date
    series: str
    entries: int


def growth(counts: Sequence[SeriesCount], *, day: str, entries: str, series: str) -> alt.LayerChart:
    """Draw a step line for each series over the days; `day`, `entries` and `series` are the words for tooltips."""
    frame = pd.DataFrame(counts, columns=list(SeriesCount._fields))
    frame["day"] = pd.to_datetime(frame["day"])
    names = list(frame["series"].unique())
    many = len(names)
    base = alt.Chart(frame).encode(
        x=alt.X("day:T", title=None, axis=alt.Axis(format="%Y-%m-%d", labelOverlap=True, tickCount=6)),
        y=alt.Y("entries:Q", title=None, axis=alt.Axis(tickMinStep=1, format=",d"), scale=alt.Scale(domainMin=0)),
        color=alt.Color("series:N", sort=names, title=None, scale=alt.Scale(domain=names, range=COLOURS[:many])),
        tooltip=[
            alt.Tooltip("day:T", title=day, format="%Y-%m-%d"),
            alt.Tooltip("series:N", title=series),
            alt.Tooltip("entries:Q", title=entries, format=",d"),
        ],
    )
    lines = base.mark_line(interpolate="step-after", strokeWidth=2).encode(
        strokeDash=alt.StrokeDash(
            "series:N", sort=names, title=None, scale=alt.Scale(domain=names, range=DASHES[:many])
        )
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        shape=alt.Shape("series:N", sort=names, title=None, scale=alt.Scale(domain=names, range=SHAPES[:many]))
    )
    chart: alt.LayerChart = (
        alt.layer(lines, points).properties(height=HEIGHT).configure_legend(orient="top", labelLimit=240)
    )
    return chart
