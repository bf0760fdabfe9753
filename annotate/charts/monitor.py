"""Chart estimates by window of time with intervals, the rate before, changes and alarms; and a CUSUM with its limits.

What cannot be estimated is left out of the picture, never drawn as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.intervals import tooltips
from annotate.charts.marks import COLOURS, GREY, PICKED, PURPLE, SHAPES, VERMILION

# The names below and the legend above take a part of it.
HEIGHT, CUSUM_HEIGHT = 400, 280
MOST_NAMES = 30
PLACES = 8  # a window has no more than one part of so many, or the points of a single one stand far from its name


class WindowEstimate(NamedTuple):
    """One quantity in one window; `code` asks for the answers that it rests on."""

    window: str
    quantity: str
    estimate: float
    low: float
    high: float
    code: str = ""


class WindowEvent(NamedTuple):
    """Something that happened in a window: a change or an alarm, in the user's words."""

    window: str
    words: str
    is_alarm: bool


class CusumPeak(NamedTuple):
    """The highest point of a CUSUM in a window, and its limit; None where no label was held against one."""

    window: str
    peak: float
    limit: float | None


class MonitorWords(NamedTuple):
    """Wording of the chart beside its numbers."""

    window: str
    before: str
    alarm: str
    change: str


def monitor(
    windows: Sequence[str],
    spots: Sequence[WindowEstimate],
    marks: Sequence[WindowEvent],
    before: tuple[float, float, float] | None,
    words: MonitorWords,
) -> alt.LayerChart:
    """Draw a dot and an interval for each quantity in each window; `before` is (estimate, low, high) of the rate before.

    The parameter PICKED holds the code of a dot that was clicked.
    """
    frame = pd.DataFrame(spots, columns=list(WindowEstimate._fields))
    kinds = list(dict.fromkeys(frame["quantity"]))
    x = _across(windows, words.window)
    colour = alt.Color("quantity:N", title=None, sort=kinds, scale=alt.Scale(domain=kinds, range=COLOURS[: len(kinds)]))
    scale = alt.Scale(domain=[0, 1], nice=False)
    base = alt.Chart(frame).encode(
        x=x,
        xOffset=alt.XOffset("quantity:N", sort=kinds),
        color=colour,
        tooltip=[
            alt.Tooltip("window:N", title=words.window),
            alt.Tooltip("quantity:N", title=" "),
            *tooltips("estimate"),
        ],
    )
    share = alt.Axis(format="%", tickCount=5)
    layers: list[alt.Chart] = []
    if before is not None:
        rate = pd.DataFrame([(*before, words.before)], columns=["estimate", "low", "high", "words"])
        layers += [
            alt.Chart(rate)
            .mark_rect(opacity=0.12, color=COLOURS[0])
            .encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
            alt.Chart(rate).mark_rule(strokeDash=[6, 4], color=COLOURS[0]).encode(y=alt.Y("estimate:Q", scale=scale)),
        ]
    layers += [
        base.mark_rule(strokeWidth=2.5).encode(
            y=alt.Y("low:Q", scale=scale, axis=share, title=None), y2=alt.Y2("high:Q")
        ),
        base.mark_point(filled=True, size=70, opacity=1)
        .encode(
            y=alt.Y("estimate:Q", scale=scale, axis=share, title=None),
            shape=alt.Shape(
                "quantity:N", title=None, sort=kinds, scale=alt.Scale(domain=kinds, range=SHAPES[: len(kinds)])
            ),
        )
        .add_params(alt.selection_point(name=PICKED, fields=["code"])),
        *_marks(windows, marks, words),
    ]
    chart: alt.LayerChart = alt.layer(*layers).properties(height=HEIGHT).configure_legend(orient="top", labelLimit=420)
    return chart


def cusum(steps: Sequence[CusumPeak], names: tuple[str, str], window: str) -> alt.LayerChart:
    """Draw the path and the limit that it must stay below; `names` are the words for both."""
    rows = [(step.window, names[0], step.peak) for step in steps]
    rows += [(step.window, names[1], step.limit) for step in steps if step.limit is not None]
    frame = pd.DataFrame(rows, columns=["window", "what", "value"])
    x = _across([step.window for step in steps], window)
    domain = list(names)
    base = alt.Chart(frame).encode(
        x=x,
        y=alt.Y("value:Q", title=None),
        color=alt.Color(
            "what:N",
            title=None,
            sort=domain,
            scale=alt.Scale(domain=domain, range=[GREY, VERMILION]),
            legend=alt.Legend(symbolType="stroke", symbolStrokeWidth=3),
        ),
        strokeDash=alt.StrokeDash(
            "what:N", title=None, sort=domain, scale=alt.Scale(domain=domain, range=[[1, 0], [6, 4]])
        ),
        tooltip=[
            alt.Tooltip("window:N", title=window),
            alt.Tooltip("what:N", title=" "),
            alt.Tooltip("value:Q", title="=", format=".2f"),
        ],
    )
    lines = base.mark_line(point=True, strokeWidth=2)
    chart: alt.LayerChart = (
        alt.layer(lines).properties(height=CUSUM_HEIGHT).configure_legend(orient="top", labelLimit=420)
    )
    return chart


def _across(windows: Sequence[str], title: str) -> alt.X:
    """Return the windows in their order; of many, some names."""
    step = max(1, -(-len(windows) // MOST_NAMES))
    axis = alt.Axis(labelAngle=-45, values=list(windows)[::step], labelOverlap=True)
    apart = max(0.2, 1 - len(windows) / PLACES)
    scale = alt.Scale(type="band", domain=list(windows), paddingInner=apart, paddingOuter=apart / 2)
    return alt.X("window:N", sort=list(windows), scale=scale, axis=axis, title=title)


def _marks(windows: Sequence[str], marks: Sequence[WindowEvent], words: MonitorWords) -> list[alt.Chart]:
    """Draw a line in each window with an alarm or a change: alarms have a sign at the top, changes one at the bottom."""
    signs = []
    for is_alarm, colour, shape, place in ((False, PURPLE, "triangle-up", 0.03), (True, VERMILION, "cross", 0.97)):
        kind = words.alarm if is_alarm else words.change
        words_by_window: dict[str, list[str]] = {}
        for mark in marks:
            if mark.is_alarm is is_alarm and mark.window in windows:
                words_by_window.setdefault(mark.window, []).append(mark.words)
        rows = [(window, "; ".join(notes), kind, place) for window, notes in words_by_window.items()]
        for is_late in (False, True):
            part = [row for row in rows if (windows.index(row[0]) * 2 >= len(windows)) is is_late]
            signs += _signs(part, _across(windows, words.window), colour, shape, is_late=is_late) if part else []
    return signs


def _signs(
    rows: Sequence[tuple[str, str, str, float]], x: alt.X, colour: str, shape: str, *, is_late: bool
) -> list[alt.Chart]:
    """Draw line, sign and word of each row; in the later half the word stands before the sign, so that it is not cut off."""
    frame = pd.DataFrame(rows, columns=["window", "words", "kind", "place"])
    y = alt.Y("place:Q", scale=alt.Scale(domain=[0, 1], nice=False))
    base = alt.Chart(frame).encode(x=x, tooltip=[alt.Tooltip("kind:N", title=" "), alt.Tooltip("words:N", title="  ")])
    text = base.mark_text(
        align="right" if is_late else "left", dx=-9 if is_late else 9, color=colour, fontWeight="bold"
    )
    return [
        base.mark_rule(color=colour, strokeWidth=2, strokeDash=[2, 2]),
        base.mark_point(filled=True, size=140, color=colour, shape=shape, opacity=1).encode(y=y),
        text.encode(y=y, text=alt.Text("kind:N")),
    ]
