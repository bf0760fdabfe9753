"""Chart systems by their rates: a row each, the best first, with both intervals and the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.intervals import Rows, in_rows, tooltips

ROW = 44


class RankInterval(NamedTuple):
    """One interval of one system's rate; `ranks` is what stands beside its name."""

    system: str
    ranks: str
    interval: str
    estimate: float
    low: float
    high: float


def standings(rows: Sequence[RankInterval]) -> alt.LayerChart:
    """Draw lines from low to high with a dot at the estimate, a colour and a shape for each kind of interval; ranks as text."""
    frame = pd.DataFrame(rows, columns=list(RankInterval._fields))
    names = (("system", " "), ("ranks", "#"), ("interval", "95 %"))
    tips = (*(alt.Tooltip(f"{name}:N", title=title) for name, title in names), *tooltips("estimate"))
    ranks = (
        alt.Chart(frame.drop_duplicates("system"))
        .mark_text(align="left", dx=4, fontWeight="bold")
        .encode(text=alt.Text("ranks:N"), x=alt.value(0))
    )
    return in_rows(frame, Rows("system", "interval", "estimate", tips, height=ROW), ranks)
