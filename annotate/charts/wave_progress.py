"""Chart the outcomes of each wave's draws as one bar a wave, with its numbers written into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, GREY, PICKED, VERMILION

ROW_HEIGHT, AXES_HEIGHT = 34, 90
# Right, wrong, unsure, open: in this order in every bar, so that nobody needs the colours.
COLOURS = (BLUE, VERMILION, GREY, "#D9D9D9")
LETTERS = ("white", "black", "white", "black")
NARROW = 0.04


class OutcomeCount(NamedTuple):
    """The draws of a wave that came to the same: how many, and where their part of the bar begins and ends, 0 to 1.

    `code` asks for their answers.
    """

    wave: str
    outcome: str
    place: int
    draws: int
    low: float
    high: float
    code: str = ""


def wave_progress(
    counts: Sequence[OutcomeCount], outcomes: Sequence[str], *, wave: str, outcome: str, draws: str
) -> alt.LayerChart:
    """Draw bars of shares; `outcomes` are the words of the four places, `wave`, `outcome` and `draws` those of the tooltip.

    The parameter PICKED holds the code of a part that was clicked.
    """
    frame = pd.DataFrame(counts, columns=list(OutcomeCount._fields))
    frame["letters"] = [LETTERS[place] for place in frame["place"]]
    frame["shown"] = [f"{bar.draws:,}" if bar.high - bar.low >= NARROW else "" for bar in counts]
    frame["middle"] = (frame["low"] + frame["high"]) / 2
    waves = list(frame["wave"].unique())
    base = alt.Chart(frame).encode(y=alt.Y("wave:N", sort=waves, title=None, axis=alt.Axis(ticks=False, domain=False)))
    scale, axis = alt.Scale(domain=[0, 1], nice=False), alt.Axis(format="%", tickCount=5)
    bars = (
        base.mark_bar(stroke="white", strokeWidth=1)
        .encode(
            x=alt.X("low:Q", title=None, axis=axis, scale=scale),
            x2=alt.X2("high:Q"),
            color=alt.Color(
                "outcome:N",
                sort=list(outcomes),
                title=None,
                scale=alt.Scale(domain=list(outcomes), range=list(COLOURS)),
            ),
            # Of the bars alone: a number with a tooltip would take the click from its bar.
            tooltip=[
                alt.Tooltip("wave:N", title=wave),
                alt.Tooltip("outcome:N", title=outcome),
                alt.Tooltip("draws:Q", title=draws, format=",d"),
            ],
        )
        .add_params(alt.selection_point(name=PICKED, fields=["code"]))
    )
    words = base.mark_text(baseline="middle").encode(
        x=alt.X("middle:Q", title=None, axis=axis, scale=scale),
        text=alt.Text("shown:N"),
        color=alt.Color("letters:N", scale=None, legend=None),
    )
    chart: alt.LayerChart = (
        alt.layer(bars, words)
        .resolve_scale(color="independent")
        .properties(height=ROW_HEIGHT * len(waves) + AXES_HEIGHT)
        .configure_legend(orient="top")
    )
    return chart
