"""Chart a judge's grades of each question's two answers: dots by question, joined by system, and the means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotate.charts.marks import COLOURS, PICKED, SHAPES

HEIGHT = 260
DASHES = ([1, 0], [5, 3])


class Grade(NamedTuple):
    """One system's grade on a question; `place` numbers the questions from 1, `question` is its text."""

    place: int
    question: str
    system: str
    grade: float


class GradeMean(NamedTuple):
    """A system's mean over all questions, with its interval where there is one."""

    system: str
    mean: float
    low: float | None
    high: float | None


def grades(
    given: Sequence[Grade], means: Sequence[GradeMean], span: tuple[float, float], words: tuple[str, str]
) -> alt.LayerChart:
    """Draw a line of dots for each system, a straight rule at each mean; `words` name the axes (question, grade).

    The parameter PICKED holds the place of a dot that was clicked.
    """
    frame = pd.DataFrame(given, columns=list(Grade._fields))
    systems = [level.system for level in means]
    low, high = span
    room = 0.05 * (high - low)
    ends = alt.Scale(domain=[low - room, high + room], nice=False)
    colour = alt.Color(
        "system:N", sort=systems, title=None, scale=alt.Scale(domain=systems, range=list(COLOURS[: len(systems)]))
    )
    question, grade = words
    base = alt.Chart(frame).encode(
        x=alt.X("place:O", title=question, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("grade:Q", scale=ends, title=grade, axis=alt.Axis(tickCount=5)),
        xOffset=alt.XOffset("system:N", sort=systems),
        color=colour,
        tooltip=[
            alt.Tooltip("question:N", title=question),
            alt.Tooltip("system:N", title=" "),
            alt.Tooltip("grade:Q", title=grade, format=".2f"),
        ],
    )
    lines = base.mark_line(opacity=0.7).encode(
        strokeDash=alt.StrokeDash(
            "system:N", sort=systems, title=None, scale=alt.Scale(domain=systems, range=list(DASHES[: len(systems)]))
        )
    )
    dots = (
        base.mark_point(filled=True, size=80, opacity=1)
        .encode(
            shape=alt.Shape(
                "system:N",
                sort=systems,
                title=None,
                scale=alt.Scale(domain=systems, range=list(SHAPES[: len(systems)])),
            ),
        )
        .add_params(alt.selection_point(name=PICKED, fields=["place"]))
    )
    levels = alt.Chart(pd.DataFrame(means, columns=list(GradeMean._fields))).encode(color=colour)
    rules = levels.mark_rule(strokeWidth=2, strokeDash=[8, 4]).encode(y=alt.Y("mean:Q", scale=ends))
    chart: alt.LayerChart = alt.layer(lines, dots, rules, height=HEIGHT).configure_legend(orient="top", labelLimit=320)
    return chart
