"""Chart shares by window of time as dots with intervals, with a mark on each day of a change.

Figures stand a little apart within a window, so that their intervals can be distinguished; each has its colour and its shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date as day_of
from datetime import timedelta
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.days import thinned
from annotate.charts.marks import COLOURS, GREY, PICKED, SHAPES

HEIGHT = 320
ROOM = 0.2  # of a tenth, below the lowest end
APART_HOURS = 26
LEAST_DAYS = 14  # figures apart by hours must not fill the picture
DAY, DATES = "%Y-%m-%d", 8
MEANS_HEIGHT = 240
DASHES = ([1, 0], [5, 3], [2, 2])


class CourseDot(NamedTuple):
    """One figure in one window, by its first day; `below` and `above` bound its interval, `code` asks for its answers."""

    figure: str
    day: str
    share: float
    below: float
    above: float
    labels: int
    code: str = ""


class CourseMark(NamedTuple):
    """A numbered mark at a day."""

    day: str
    number: str
    words: str


def course(
    dots: Sequence[CourseDot],
    changes: Sequence[CourseMark],
    *,
    date: str,
    count: str,
    limit: float | None = None,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Draw a dot with its interval for each figure and window, joined by a line, and a dashed line at each change.

    `date` and `count` are the words of the tooltip; a dashed line stands at the limit. The parameter PICKED holds the code of a
    dot that was clicked.
    """
    frame = pd.DataFrame(dots, columns=list(CourseDot._fields))
    figures = list(dict.fromkeys(frame["figure"]))
    legend = alt.Undefined if len(figures) > 1 else None
    order = {name: place - (len(figures) - 1) / 2 for place, name in enumerate(figures)}
    frame["week"] = frame["day"]
    shift = pd.to_timedelta(frame["figure"].map(order) * APART_HOURS, unit="h")
    frame["day"] = (pd.to_datetime(frame["day"], utc=True) + shift).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    scale = _across([*(dot.day for dot in dots), *(change.day for change in changes)])
    base = alt.Chart(frame).encode(
        x=alt.X(
            "day:T",
            scale=scale,
            axis=alt.Axis(format=DAY, labelOverlap=True, values=_ticks(dots)),
            title=None,
        ),
        color=alt.Color(
            "figure:N",
            sort=figures,
            title=None,
            legend=legend,
            scale=alt.Scale(domain=figures, range=_of(COLOURS, figures)),
        ),
        tooltip=[
            alt.Tooltip("figure:N", title=" "),
            alt.Tooltip("week:N", title=date),
            alt.Tooltip("share:Q", format=".1%", title="="),
            alt.Tooltip("below:Q", format=".1%", title="≥"),
            alt.Tooltip("above:Q", format=".1%", title="≤"),
            alt.Tooltip("labels:Q", format=",", title=count),
        ],
    )
    lowest = min(dot.below for dot in dots) if limit is None else min(limit, *(dot.below for dot in dots))
    tall = alt.Scale(domain=[math.floor(10 * lowest - ROOM) / 10 if lowest > 0 else 0, 1], nice=False)
    shares = alt.Y("share:Q", axis=alt.Axis(format=".0%", tickCount=5), scale=tall, title=None)
    shape = alt.Shape(
        "figure:N", sort=figures, title=None, legend=legend, scale=alt.Scale(domain=figures, range=_of(SHAPES, figures))
    )
    layers = [
        *_marks(changes, scale),
        *([] if limit is None else [_limit(limit, tall)]),
        base.mark_line(strokeWidth=1, opacity=0.5).encode(y=shares),
        base.mark_rule(strokeWidth=2.5).encode(
            y=alt.Y("below:Q", axis=alt.Axis(format=".0%", tickCount=5), scale=tall, title=None), y2=alt.Y2("above:Q")
        ),
        base.mark_point(filled=True, size=80, opacity=1)
        .encode(y=shares, shape=shape)
        .add_params(alt.selection_point(name=PICKED, fields=["code"])),
    ]
    chart: alt.LayerChart = alt.layer(*layers).properties(height=height).configure_legend(orient="top", labelLimit=320)
    return chart


def _limit(limit: float, scale: alt.Scale) -> alt.Chart:
    """Draw a dashed line at the limit."""
    line = alt.Chart(pd.DataFrame({"limit": [limit]})).mark_rule(strokeDash=[4, 4], strokeWidth=1.2, color=GREY)
    drawn: alt.Chart = line.encode(y=alt.Y("limit:Q", scale=scale))
    return drawn


def _ticks(dots: Sequence[CourseDot]) -> list[alt.DateTime]:
    """Return dates at the windows' own days, in UTC as the points are."""
    days = [day_of.fromisoformat(day) for day in thinned([dot.day for dot in dots], DATES)]
    return [_moment(day) for day in days]


def _across(days: Sequence[str]) -> alt.Scale:
    """Return the time from the first to the last; of a single week a wider one, so that its points stand at their date."""
    first, last = (day_of.fromisoformat(pick(days)) for pick in (min, max))
    if not (room := LEAST_DAYS - (last - first).days) > 0:
        return alt.Scale(type="utc")
    beside = timedelta(days=-(-room // 2))
    return alt.Scale(type="utc", domain=[_moment(first - beside), _moment(last + beside)])


def _moment(day: day_of) -> alt.DateTime:
    return alt.DateTime(year=day.year, month=day.month, date=day.day, utc=True)


def _of(marks: Sequence[str], figures: Sequence[str]) -> list[str]:
    return list(marks[: len(figures)])


def _marks(changes: Sequence[CourseMark], scale: alt.Scale) -> list[alt.Chart]:
    """Draw a dashed line with its number for each day of changes."""
    if not changes:
        return []
    frame = pd.DataFrame(changes, columns=list(CourseMark._fields))
    frame["day"] = frame["day"] + "T00:00:00Z"
    base = alt.Chart(frame).encode(
        x=alt.X("day:T", scale=scale, title=None),
        tooltip=[alt.Tooltip("number:N", title=" "), alt.Tooltip("words:N", title="  ")],
    )
    line = base.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=GREY)
    return [
        line,
        base.mark_text(baseline="bottom", fontWeight="bold", dy=-4).encode(y=alt.value(0), text=alt.Text("number:N")),
    ]


class Mean(NamedTuple):
    """The mean of one series in a period, over n, with its interval; `code` asks for the answers that it rests on."""

    period: str
    series: str
    mean: float
    low: float
    high: float
    n: int
    code: str = ""


def means_by_time(means: Sequence[Mean], title: str) -> alt.LayerChart:
    """Draw a line a series, distinguished by colour, shape and dashes; a thin rule from low to high at each period.

    The parameter PICKED holds the code of a dot that was clicked.
    """
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
    rules = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", scale=ends, title=None), y2=alt.Y2("high:Q"))
    lines = base.mark_line().encode(
        y=alt.Y("mean:Q", scale=ends, title=None),
        strokeDash=alt.StrokeDash(
            "series:N", sort=series, legend=None, scale=alt.Scale(domain=series, range=list(DASHES[:count]))
        ),
    )
    dots = (
        base.mark_point(filled=True, size=50, opacity=1)
        .encode(
            y=alt.Y("mean:Q", scale=ends, title=None),
            shape=alt.Shape(
                "series:N", sort=series, title=None, scale=alt.Scale(domain=series, range=list(SHAPES[:count]))
            ),
        )
        .add_params(alt.selection_point(name=PICKED, fields=["code"]))
    )
    chart: alt.LayerChart = alt.layer(rules, lines, dots, height=MEANS_HEIGHT).configure_legend(orient="top")
    return chart
