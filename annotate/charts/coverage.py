"""Chart the counts of each part by state as bars, each bar with its number."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, COLOURS, GREY, SHAPES, SKY, VERMILION

# Decided, on its way, missing; the words beside each bar say the same.
INKS = (BLUE, SKY, VERMILION, GREY)
BAR_HEIGHT, PART_GAP, AXES_HEIGHT = 18, 14, 60
HEIGHT = 260
# Lines are distinguished by their dashes and points too, so that nobody needs the colours.
DASHES = ([1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [4, 4], [12, 4], [1, 3])


class CoverageBar(NamedTuple):
    """Count of a part's answers in one state, of how many."""

    part: str
    state: str
    answers: int
    of: int


def coverage(bars: Sequence[CoverageBar], *, part: str, state: str, count: str, of: str) -> alt.LayerChart:
    """Draw a group of bars for each part, a bar with its count for each state; the words are those of the tooltips."""
    frame = pd.DataFrame(bars, columns=list(CoverageBar._fields))
    parts, states = list(frame["part"].unique()), list(frame["state"].unique())
    frame["words"] = [f"{bar.answers:,} {bar.state}" for bar in bars]
    scale = alt.Scale(domainMin=0, domainMax=max(1.0, 1.35 * float(frame["answers"].max())), nice=False)
    base = alt.Chart(frame).encode(
        y=alt.Y("part:N", sort=parts, title=None, axis=alt.Axis(labelLimit=260, ticks=False, domain=False)),
        yOffset=alt.YOffset("state:N", sort=states),
        x=alt.X("answers:Q", title=None, scale=scale, axis=alt.Axis(tickMinStep=1, format=",d", tickCount=5)),
        tooltip=[
            alt.Tooltip("part:N", title=part),
            alt.Tooltip("state:N", title=state),
            alt.Tooltip("answers:Q", title=count, format=",d"),
            alt.Tooltip("of:Q", title=of, format=",d"),
        ],
    )
    drawn = base.mark_bar().encode(
        color=alt.Color(
            "state:N",
            sort=states,
            title=None,
            scale=alt.Scale(domain=states, range=INKS[: len(states)]),
            legend=None,
        )
    )
    words = base.mark_text(align="left", dx=4, fontSize=12).encode(text=alt.Text("words:N"))
    height = len(parts) * (len(states) * BAR_HEIGHT + PART_GAP) + AXES_HEIGHT
    chart: alt.LayerChart = alt.layer(drawn, words).properties(height=height).configure_view(stroke=None)
    return chart


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
