"""The headline figures as cards: drawn at once, and once more with their course by week when that is known."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.drift.trends import Courses
from annotate.analysis.report.report import Report
from annotate.pages.kit import draw, layout
from annotate.present import report as present_report

Draw = Callable[[Courses | None], None]


def show(report: Report) -> Draw:
    """The cards, and how to draw them anew once the courses are known."""
    if not report.items:
        return lambda _: None
    layout.heading("overview.how_good" if report.progress.labelled else "overview.what_is_here")
    with st.grid(len(present_report.cards(report).figures)):
        places = [st.empty() for _ in present_report.cards(report).figures]

    def anew(courses: Courses | None) -> None:
        for place, figure in zip(places, present_report.cards(report, courses).figures, strict=True):
            with place.container(height="stretch"):
                draw.card(figure)

    anew(None)
    return anew
