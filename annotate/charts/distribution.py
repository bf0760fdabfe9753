"""Chart shares by bin of a score: the matched items as bars, all items as a line with marks over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLUE, SKY, VERMILION

HEIGHT = 220


class Slot(NamedTuple):
    """A bin by its name, and the share of the matched and of all that lie in it."""

    bin: str
    matched: float
    all: float


def distribution(slots: Sequence[Slot], matched: str, every: str, title: str) -> alt.LayerChart:
    """Draw bars for `matched`, a line with diamonds for `every`; both words stand in the legend."""
    names = [slot.bin for slot in slots]
    frame = pd.DataFrame(
        [(slot.bin, kind, share) for slot in slots for kind, share in ((matched, slot.matched), (every, slot.all))],
        columns=["bin", "kind", "share"],
    )
    colour = alt.Color(
        "kind:N", title=None, scale=alt.Scale(domain=[matched, every], range=[SKY, VERMILION]), sort=[matched, every]
    )
    base = alt.Chart(frame).encode(
        x=alt.X("bin:N", sort=names, title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=4)),
        color=colour,
        tooltip=[
            alt.Tooltip("bin:N", title=title),
            alt.Tooltip("kind:N", title=" "),
            alt.Tooltip("share:Q", title="%", format=".1%"),
        ],
    )
    bars = base.transform_filter(alt.datum.kind == matched).mark_bar(stroke=BLUE)
    line = base.transform_filter(alt.datum.kind == every).mark_line(
        point=alt.OverlayMarkDef(shape="diamond", size=70, filled=True)
    )
    chart: alt.LayerChart = alt.layer(bars, line, height=HEIGHT).configure_legend(orient="top")
    return chart
