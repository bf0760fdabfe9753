"""Chart the reliability diagram (the share of right answers by band of values) and the strip below it.

Both have the same horizontal scale and margins, so that the strip of all traffic and of labels lies under the diagram.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, GREY, PICKED, PURPLE, SKY

HEIGHT, STRIP_HEIGHT, MARGIN = 340, 110, 56


class BandDot(NamedTuple):
    """A band: its mean value, the share right with its interval, how many labels, what the map says if any, and its code."""

    mean: float
    share: float
    low: float
    high: float
    labels: int
    mapped: float | None
    code: str = ""


class Stretch(NamedTuple):
    """Number of answers, or of labels of one kind, with a value from low to high; `code` asks for these labels."""

    low: float
    high: float
    number: int
    code: str = ""


class ReliabilityWords(NamedTuple):
    """Names of the axes and marks; `mapped` is empty where no map is drawn."""

    value: str
    share: str
    labels: str
    mapped: str
    measured: str


def diagram(
    dots: Sequence[BandDot],
    span: tuple[float, float],
    threshold: float,
    words: ReliabilityWords,
    *,
    is_share: bool,
    is_stepped: bool,
) -> alt.LayerChart:
    """Draw a dot for each band with its interval, a map if any (line or steps), the threshold, the diagonal of a share.

    The parameter PICKED holds the code of a band that was clicked.
    """
    frame = pd.DataFrame(dots, columns=list(BandDot._fields))
    x = alt.X("mean:Q", title=words.value, scale=alt.Scale(domain=list(span), nice=False))
    y_axis = alt.Axis(format="%", tickCount=5, minExtent=MARGIN, maxExtent=MARGIN)
    y = alt.Y("share:Q", title=words.share, scale=alt.Scale(domain=[0, 1], nice=False), axis=y_axis)
    tips = [
        alt.Tooltip("mean:Q", title=words.value, format=".3f"),
        alt.Tooltip("share:Q", title=words.measured, format=".1%"),
        alt.Tooltip("low:Q", title="≥", format=".1%"),
        alt.Tooltip("high:Q", title="≤", format=".1%"),
        alt.Tooltip("labels:Q", title=words.labels),
    ]
    is_mapped = bool(words.mapped)
    if is_mapped:
        tips.append(alt.Tooltip("mapped:Q", title=words.mapped, format=".1%"))
    base = alt.Chart(frame).encode(x=x, tooltip=tips)
    bars = base.mark_rule(strokeWidth=3, color=BLUE).encode(y=alt.Y("low:Q", title=words.share), y2=alt.Y2("high:Q"))
    points = (
        base.mark_point(filled=True, size=110, opacity=1, color=BLUE, shape="circle")
        .encode(y=y)
        .add_params(alt.selection_point(name=PICKED, fields=["code"]))
    )
    counts = base.mark_text(dy=-12, dx=14, fontSize=11).encode(
        y=alt.Y("share:Q", title=words.share), text=alt.Text("labels:Q")
    )
    mapped = base.mark_line(
        color=PURPLE, strokeWidth=2, strokeDash=[1, 0], interpolate="step" if is_stepped else "linear"
    ).encode(y=alt.Y("mapped:Q", title=words.share))
    layers: list[alt.Chart] = [_rule(threshold), *([mapped] if is_mapped else []), bars, points, counts]
    if is_share:
        ends = pd.DataFrame({"mean": [0.0, 1.0], "share": [0.0, 1.0]})
        layers.insert(0, alt.Chart(ends).mark_line(color=GREY, strokeDash=[2, 4]).encode(x=x, y=y))
    chart: alt.LayerChart = alt.layer(*layers, height=HEIGHT).configure_legend(orient="top")
    return chart


def strip(rows: Sequence[Stretch], span: tuple[float, float], title: str, *, has_axis: bool) -> alt.LayerChart:
    """Draw a bar for each stretch of values; strips of several kinds stand below each other, each below its name.

    The parameter PICKED holds the code of a bar that was clicked.
    """
    frame = pd.DataFrame(rows, columns=list(Stretch._fields))
    axis = alt.Axis(labels=has_axis, ticks=has_axis)
    bars = (
        alt.Chart(frame)
        .mark_bar(color=SKY, stroke=GREY, strokeWidth=0.3)
        .encode(
            x=alt.X("low:Q", title=None, scale=alt.Scale(domain=list(span), nice=False), axis=axis),
            x2=alt.X2("high:Q"),
            y=alt.Y(
                "number:Q",
                title=" ",
                axis=alt.Axis(tickCount=2, tickMinStep=1, format=",d", minExtent=MARGIN, maxExtent=MARGIN),
            ),
            y2=alt.datum(0),
            tooltip=[
                alt.Tooltip("low:Q", title="≥", format=".3f"),
                alt.Tooltip("high:Q", title="≤", format=".3f"),
                alt.Tooltip("number:Q", title=title, format=","),
            ],
        )
        .add_params(alt.selection_point(name=PICKED, fields=["code"]))
    )
    name = alt.TitleParams(title, anchor="start", fontSize=11, fontWeight="normal", offset=4)
    chart: alt.LayerChart = alt.layer(bars, height=STRIP_HEIGHT, title=name).configure_legend(orient="top")
    return chart


def _rule(threshold: float) -> alt.Chart:
    chart: alt.Chart = alt.Chart(pd.DataFrame({"threshold": [threshold]}))
    return chart.mark_rule(strokeDash=[6, 4], color=GREY).encode(x=alt.X("threshold:Q"))  # type: ignore[no-any-return]
