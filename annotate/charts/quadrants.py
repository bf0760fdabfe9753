"""Chart labelled answers by two scores with both thresholds; shape and colour show the label.

A point is moved a little, so that equal scores are seen to be many, and never over a threshold: on which side it lies is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotate.charts.marks import GREY, PICKED, RIGHT, UNSURE, WRONG

HEIGHT = 420
MOST_MOVED = 0.015
EDGE = 0.002
GOLDEN, SILVER = 0.6180339887498949, 0.4142135623730951
Numbers = NDArray[np.float64]
# In the order of the words: right, wrong, unsure.
MARKS = (RIGHT, WRONG, UNSURE)


class WordPlace(NamedTuple):
    """Place of a quadrant's name."""

    x: float
    y: float
    align: Literal["left", "right"]
    baseline: Literal["top", "bottom"]


PLACES = (
    WordPlace(1.0, 1.09, "right", "top"),
    WordPlace(1.0, -0.09, "right", "bottom"),
    WordPlace(0.0, 1.09, "left", "top"),
    WordPlace(0.0, -0.09, "left", "bottom"),
)


class AnswerDot(NamedTuple):
    """A labelled answer: its scores across and up, and what annotators said, in the user's words."""

    across: float
    up: float
    label: str


class QuadrantWords(NamedTuple):
    """The names of both axes, the words for right, wrong and unsure in this order, and those of the four quadrants.

    The quadrants: upper right, lower right, upper left, lower left.
    """

    across: str
    up: str
    labels: tuple[str, str, str]
    names: tuple[str, str, str, str]


def quadrants(
    dots: Sequence[AnswerDot], thresholds: tuple[float, float], words: QuadrantWords, *, height: int = HEIGHT
) -> alt.LayerChart:
    """Draw the dots, a line at each threshold, and a name in each quadrant.

    The parameter PICKED holds the place, among the dots, of one that was clicked: no name of an answer is in the chart.
    """
    frame = pd.DataFrame(dots, columns=list(AnswerDot._fields)).reset_index(names="place")
    for column, threshold, step in (("across", thresholds[0], GOLDEN), ("up", thresholds[1], SILVER)):
        frame[column] = spread(frame[column].to_numpy(dtype=np.float64), threshold, step).round(4)
    present = [label for label in words.labels if (frame["label"] == label).any()]
    # Later rows are drawn above earlier ones: a wrong answer must not vanish under the many right ones.
    frame = frame.sort_values("label", key=lambda labels: labels == words.labels[1], kind="stable")
    marks = [MARKS[words.labels.index(label)] for label in present]
    scale, tall = alt.Scale(domain=[-0.03, 1.03], nice=False), alt.Scale(domain=[-0.1, 1.1], nice=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2f", grid=False)
    points = (
        alt.Chart(frame)
        .mark_point(filled=True, size=55, opacity=0.7)
        .encode(
            x=alt.X("across:Q", scale=scale, axis=axis, title=words.across),
            y=alt.Y("up:Q", scale=tall, axis=axis, title=words.up),
            color=alt.Color(
                "label:N", title=None, sort=present, scale=alt.Scale(domain=present, range=[mark[0] for mark in marks])
            ),
            shape=alt.Shape(
                "label:N", title=None, sort=present, scale=alt.Scale(domain=present, range=[mark[1] for mark in marks])
            ),
        )
        .add_params(alt.selection_point(name=PICKED, fields=["place"]))
    )
    lines = [
        alt.Chart(pd.DataFrame({"x": [thresholds[0]]})).mark_rule(strokeDash=[6, 4], color=GREY).encode(x=alt.X("x:Q")),
        alt.Chart(pd.DataFrame({"y": [thresholds[1]]})).mark_rule(strokeDash=[6, 4], color=GREY).encode(y=alt.Y("y:Q")),
    ]
    chart: alt.LayerChart = (
        alt.layer(*lines, points, *_names(words.names)).properties(height=height).configure_legend(orient="top")
    )
    return chart


def spread(values: Numbers, threshold: float, step: float) -> Numbers:
    """Move values by at most MOST_MOVED, the same way each time, inside [0, 1] or on its edge and never over the threshold."""
    moves = ((np.arange(1, values.size + 1) * step) % 1 * 2 - 1) * MOST_MOVED
    moved = values + moves
    return np.asarray(
        np.where(values > threshold, np.maximum(moved, threshold + EDGE), np.minimum(moved, threshold - EDGE))
    )


def _names(names: tuple[str, str, str, str]) -> list[alt.Chart]:
    """Draw the name at the outer end of each quadrant."""
    texts = []
    for place, words in zip(PLACES, names, strict=True):
        frame = pd.DataFrame({"x": [place.x], "y": [place.y], "words": [words]})
        mark = alt.Chart(frame).mark_text(align=place.align, baseline=place.baseline, fontWeight="bold")
        texts.append(mark.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("words:N")))
    return texts
