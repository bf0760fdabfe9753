"""Chart the differences of rules from the rule in force: a dot and two intervals each, about zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import BLACK, BLUE, SKY

ROW_HEIGHT, AXES_HEIGHT = 30, 60
# As everywhere else: Vega's own minus is another sign.
NUMBERS = alt.NumberLocale(decimal=".", thousands=",", grouping=[3], currency=["", ""], minus="-")


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
        alt.Tooltip("rule:N", title="rule"),
        *(alt.Tooltip(f"{name}:Q", format="+.2f") for name in ("estimate", "low", "high", "all_low", "all_high")),
    ]
    base = alt.Chart(frame).encode(y=alt.Y("rule:N", sort=order, title=None, axis=axis), tooltip=tips)
    zero = alt.Chart(pd.DataFrame({"zero": [0]})).mark_rule(color=BLACK, strokeDash=[6, 4]).encode(x="zero:Q")
    wide = base.mark_rule(color=SKY, strokeWidth=2).encode(x=alt.X("all_low:Q", title=title), x2="all_high:Q")
    ends = [
        base.mark_tick(color=SKY, thickness=2, size=12).encode(x=alt.X(f"{name}:Q", title=title))
        for name in ("all_low", "all_high")
    ]
    own = base.mark_rule(color=BLUE, strokeWidth=4).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    dots = base.mark_point(filled=True, size=100, opacity=1, color=BLUE).encode(x=alt.X("estimate:Q", title=title))
    height = ROW_HEIGHT * max(1, len(rows)) + AXES_HEIGHT
    whole = alt.layer(zero, wide, *ends, own, dots, height=height)
    chart: alt.LayerChart = whole.configure(locale=alt.Locale(number=NUMBERS), legend=alt.LegendConfig(orient="top"))
    return chart
