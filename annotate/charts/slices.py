"""Chart the share of mistakes in each slice and outside of it, as dots with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.intervals import SCALE, Rows, in_rows, tooltips
from annotate.charts.marks import SKY, VERMILION

ROW = 40


class SliceShare(NamedTuple):
    """A share of mistakes in a slice or outside of it, as `where` says; `note` stands at the end of its row.

    `code` asks for the answers that it is a share of.
    """

    slice: str
    where: str
    share: float
    low: float
    high: float
    n: int
    note: str
    code: str = ""


def slices(spots: Sequence[SliceShare], *, here: str) -> alt.LayerChart:
    """Draw a row a slice, in the order given: a diamond for the slice, a circle for all other answers, each with its interval.

    The parameter PICKED holds the code of a dot that was clicked.
    """
    frame = pd.DataFrame(spots, columns=list(SliceShare._fields))
    tips = (
        *(alt.Tooltip(f"{name}:N", title=title) for name, title in (("slice", " "), ("where", "  "))),
        *tooltips("share"),
        alt.Tooltip("n:Q", title="n", format=","),
    )
    rows = Rows("slice", "where", "share", tips, (VERMILION, SKY), ("diamond", "circle"), ROW, "code")
    notes = (
        alt.Chart(frame[frame["where"] == here])
        .mark_text(align="left", dx=8)
        .encode(text=alt.Text("note:N"), x=alt.X("high:Q", scale=SCALE))
    )
    return in_rows(frame, rows, notes)
