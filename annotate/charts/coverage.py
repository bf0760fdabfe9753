"""Chart the counts of each part by state as bars, each bar with its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLACK, BLUE, SKY, VERMILION

# Settled, on its way, missing; the words beside each bar say the same.
INKS = (BLUE, SKY, VERMILION, BLACK)
BAR_HEIGHT, PART_GAP, AXES_HEIGHT = 18, 14, 60


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
    words = base.mark_text(align="left", dx=4, fontSize=12).encode(text="words:N")
    height = len(parts) * (len(states) * BAR_HEIGHT + PART_GAP) + AXES_HEIGHT
    chart: alt.LayerChart = alt.layer(drawn, words).properties(height=height).configure_view(stroke=None)
    return chart
