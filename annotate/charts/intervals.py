"""Chart measured shares as dots with intervals; the building blocks of every such chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, COLOURS, GREY, PICKED, SHAPES, SKY

ROW_HEIGHT, AXES_HEIGHT = 52, 80
SCALE = alt.Scale(domain=[0, 1], nice=False)
RULE_HEIGHT, RULE_AXES_HEIGHT = 30, 60
# As everywhere else: Vega's own minus is another sign.
NUMBERS = alt.NumberLocale(decimal=".", thousands=",", grouping=[3], currency=["", ""], minus="-")


class Bar(NamedTuple):
    """One interval of one quantity; without an estimate it is drawn without a dot."""

    quantity: str
    interval: str
    estimate: float | None
    low: float
    high: float


class Rows(NamedTuple):
    """Layout of rows of intervals: the columns of row, kind and estimate, each kind's colour and shape, and the heights.

    `picks` is the column whose value the parameter PICKED holds of a dot that was clicked; None where none can be.
    """

    row: str
    kind: str
    estimate: str
    tooltip: Sequence[alt.Tooltip]
    colours: Sequence[str] = COLOURS
    shapes: Sequence[str] = SHAPES
    height: int = ROW_HEIGHT
    picks: str | None = None


def intervals(bars: Sequence[Bar]) -> alt.LayerChart:
    """Draw a row for each quantity, within it a line from low to high for each kind of interval, with a dot at the estimate."""
    tips = (alt.Tooltip("quantity:N", title=" "), alt.Tooltip("interval:N", title="  "), *tooltips("estimate"))
    return in_rows(pd.DataFrame(bars, columns=list(Bar._fields)), Rows("quantity", "interval", "estimate", tips))


def tooltips(estimate: str) -> tuple[alt.Tooltip, ...]:
    """Return the estimate and both ends, by signs that need no language."""
    ends = ((estimate, "="), ("low", "≥"), ("high", "≤"))
    return tuple(alt.Tooltip(f"{name}:Q", title=title, format=".1%") for name, title in ends)


def in_rows(frame: pd.DataFrame, how: Rows, *texts: alt.Chart) -> alt.LayerChart:
    """Draw a row for each value of the row's column as they come, a line and a dot for each kind in it; `texts` lie on top."""
    rows, kinds = list(dict.fromkeys(frame[how.row])), list(dict.fromkeys(frame[how.kind]))
    share, axis = alt.Axis(format="%", tickCount=5), alt.Axis(labelLimit=360, ticks=False, domain=False)
    colours, shapes = list(how.colours[: len(kinds)]), list(how.shapes[: len(kinds)])
    y = alt.Y(f"{how.row}:N", sort=rows, title=None, axis=axis)
    base = alt.Chart(frame).encode(
        y=y,
        yOffset=alt.YOffset(f"{how.kind}:N", sort=kinds),
        color=alt.Color(f"{how.kind}:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds, range=colours)),
        tooltip=list(how.tooltip),
    )
    lines = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", scale=SCALE, axis=share, title=None), x2=alt.X2("high:Q")
    )
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X(f"{how.estimate}:Q", scale=SCALE, axis=share, title=None),
        shape=alt.Shape(f"{how.kind}:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds, range=shapes)),
    )
    if how.picks:
        dots = dots.add_params(alt.selection_point(name=PICKED, fields=[how.picks]))
    layers: list[alt.Chart] = [lines, dots, *(text.encode(y=y) for text in texts)]
    height = how.height * len(rows) + AXES_HEIGHT
    chart: alt.LayerChart = alt.layer(*layers, height=height).configure_legend(orient="top")
    return chart


class Away(NamedTuple):
    """One rule: its difference with the interval, and the wider one that holds for all rules at once where there is one."""

    rule: str
    estimate: float
    low: float
    high: float
    all_low: float | None
    all_high: float | None


def differences(rows: Sequence[Away], title: str) -> alt.LayerChart:
    """Draw a row a rule: a thick line for its own interval, a thin one with ends for that of all rules, a dot at the estimate."""
    frame = pd.DataFrame(rows, columns=list(Away._fields))
    order = [row.rule for row in rows]
    axis = alt.Axis(labelLimit=420, ticks=False, domain=False, labelFont="monospace")
    tips = [
        alt.Tooltip("rule:N", title=" "),
        *(
            alt.Tooltip(f"{name}:Q", title=sign, format="+.2f")
            for name, sign in (("estimate", "="), ("low", "≥"), ("high", "≤"), ("all_low", "≥≥"), ("all_high", "≤≤"))
        ),
    ]
    base = alt.Chart(frame).encode(y=alt.Y("rule:N", sort=order, title=None, axis=axis), tooltip=tips)
    zero = alt.Chart(pd.DataFrame({"zero": [0]})).mark_rule(color=GREY, strokeDash=[6, 4]).encode(x=alt.X("zero:Q"))
    wide = base.mark_rule(color=SKY, strokeWidth=2).encode(x=alt.X("all_low:Q", title=title), x2=alt.X2("all_high:Q"))
    ends = [
        base.mark_tick(color=SKY, thickness=2, size=12).encode(x=alt.X(f"{name}:Q", title=title))
        for name in ("all_low", "all_high")
    ]
    own = base.mark_rule(color=BLUE, strokeWidth=4).encode(x=alt.X("low:Q", title=title), x2=alt.X2("high:Q"))
    dots = base.mark_point(filled=True, size=100, opacity=1, color=BLUE).encode(x=alt.X("estimate:Q", title=title))
    height = RULE_HEIGHT * max(1, len(rows)) + RULE_AXES_HEIGHT
    whole = alt.layer(zero, wide, *ends, own, dots, height=height)
    chart: alt.LayerChart = whole.configure(locale=alt.Locale(number=NUMBERS), legend=alt.LegendConfig(orient="top"))
    return chart
