"""Chart a judge's scores of labelled answers in jittered columns, one column for each label (as in the post).

The jitter is seeded, so that the same labels give the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from annotate.charts.marks import GREY, PICKED, RIGHT, UNSURE, WRONG

HEIGHT = 440
SEED, WIDTH = 20_251, 0.38
MARKS = (RIGHT, WRONG, UNSURE)


class JitterSpot(NamedTuple):
    """One answer: the place of its column (0 right, 1 wrong, 2 unsure) and its score."""

    column: int
    score: float


def jitter(
    spots: Sequence[JitterSpot],
    columns: Sequence[str],
    threshold: float | None,
    words: tuple[str, str],
    span: tuple[float, float],
) -> alt.LayerChart:
    """Draw a column for each label and a dot for each answer; `words` name the scores and the dashed threshold.

    The parameter PICKED holds the spot, by its place among the spots, of a dot that was clicked.
    """
    score, line = words
    rng = np.random.default_rng(SEED)
    shift = rng.uniform(-WIDTH, WIDTH, len(spots))
    frame = pd.DataFrame(
        {
            "said": [columns[spot.column] for spot in spots],
            "place": [round(spot.column + float(by), 3) for spot, by in zip(spots, shift, strict=True)],
            "score": [spot.score for spot in spots],
            "spot": range(len(spots)),
        }
    )
    names = list(columns)
    labels = " : ".join(f"datum.value === {n} ? {name!r}" for n, name in enumerate(names)) + " : ''"
    axis = alt.Axis(
        values=list(range(len(names))), labelExpr=labels, grid=False, ticks=False, domain=False, labelFontSize=13
    )
    dots = (
        alt.Chart(frame)
        .mark_point(filled=True, size=45, opacity=0.65)
        .encode(
            x=alt.X("place:Q", title=None, axis=axis, scale=alt.Scale(domain=[-0.5, len(names) - 0.5], nice=False)),
            y=alt.Y("score:Q", title=score, scale=alt.Scale(domain=list(span), nice=False)),
            color=alt.Color(
                "said:N",
                sort=names,
                title=None,
                scale=alt.Scale(domain=names, range=[colour for colour, _ in MARKS[: len(names)]]),
            ),
            shape=alt.Shape(
                "said:N",
                sort=names,
                title=None,
                scale=alt.Scale(domain=names, range=[shape for _, shape in MARKS[: len(names)]]),
            ),
            tooltip=[alt.Tooltip("said:N", title=" "), alt.Tooltip("score:Q", title=score, format=".3f")],
        )
        .add_params(alt.selection_point(name=PICKED, fields=["spot"]))
    )
    layers: list[alt.Chart] = [dots]
    if threshold is not None:
        marked = alt.Chart(pd.DataFrame({"threshold": [threshold], "name": [line]}))
        layers.append(
            marked.mark_rule(strokeDash=[6, 4], color=GREY).encode(
                y=alt.Y("threshold:Q"),
                tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("threshold:Q", title="=")],
            )
        )
        layers.append(
            marked.mark_text(align="left", dx=4, dy=-7, fontSize=11).encode(
                x=alt.value(0), y=alt.Y("threshold:Q"), text=alt.Text("name:N")
            )
        )
    chart: alt.LayerChart = alt.layer(*layers, height=HEIGHT).configure_legend(orient="top")
    return chart
