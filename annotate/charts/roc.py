"""Chart a ROC or a precision-recall curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, GREY, ORANGE, VERMILION

HEIGHT = 380


class RocPoint(NamedTuple):
    """A point of the curve: its place, and the threshold at or above which values pass."""

    x: float
    y: float
    threshold: float | None


class ThresholdMark(NamedTuple):
    """A threshold on the curve, by its name."""

    x: float
    y: float
    name: str


class RocWords(NamedTuple):
    """Names of the axes."""

    x: str
    y: str
    threshold: str


def curve(
    corners: Sequence[RocPoint], marks: Sequence[ThresholdMark], words: RocWords, chance: Sequence[RocPoint]
) -> alt.LayerChart:
    """Draw the curve, what chance alone would draw as a dotted line, and each marked threshold with its own shape and name."""
    frame = pd.DataFrame(corners, columns=list(RocPoint._fields))
    scale, axis = alt.Scale(domain=[0, 1], nice=False), alt.Axis(format="%", tickCount=5)
    x, y = alt.X("x:Q", title=words.x, scale=scale, axis=axis), alt.Y("y:Q", title=words.y, scale=scale, axis=axis)
    line = (
        alt.Chart(frame)
        .mark_line(color=BLUE, point=alt.OverlayMarkDef(size=12, color=BLUE), interpolate="linear")
        .encode(
            x=x,
            y=y,
            order=alt.Order("order:O"),
            tooltip=[
                alt.Tooltip("threshold:Q", title=words.threshold, format=".3f"),
                alt.Tooltip("x:Q", title=words.x, format=".1%"),
                alt.Tooltip("y:Q", title=words.y, format=".1%"),
            ],
        )
        .transform_window(order="row_number()")
    )
    nothing = alt.Chart(pd.DataFrame(chance, columns=list(RocPoint._fields)))
    dotted = nothing.mark_line(color=GREY, strokeDash=[2, 4]).encode(x=x, y=y)
    named, names = pd.DataFrame(marks, columns=list(ThresholdMark._fields)), [mark.name for mark in marks]
    points = (
        alt.Chart(named)
        .mark_point(filled=True, size=160, opacity=1)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape(
                "name:N", sort=names, title=None, scale=alt.Scale(domain=names, range=["diamond", "square"])
            ),
            color=alt.Color("name:N", sort=names, title=None, scale=alt.Scale(domain=names, range=[VERMILION, ORANGE])),
            tooltip=[
                alt.Tooltip("name:N", title=" "),
                alt.Tooltip("x:Q", title=words.x, format=".1%"),
                alt.Tooltip("y:Q", title=words.y, format=".1%"),
            ],
        )
    )
    chart: alt.LayerChart = alt.layer(dotted, line, points, height=HEIGHT).configure_legend(orient="top")
    return chart
