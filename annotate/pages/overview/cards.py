"""The headline figures as cards: drawn at once, and once more with their course by week when that is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from annotate.analysis.drift.trends import Courses
from annotate.analysis.report.report import ProjectReport
from annotate.pages.kit import cache, draw, layout
from annotate.pages.kit.messages import say
from annotate.present import report as present_report
from annotate.project import Project
from annotate.store import Store

Draw = Callable[[Courses | None], None]


def show(report: ProjectReport) -> Draw:
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


def show_download(store: Store) -> None:
    """The button; nothing is computed before it is clicked."""
    layout.heading("overview.take")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("overview.download"),
            data=partial(made, store.path),
            file_name="assay-report.html",
            mime="text/html",
            on_click="ignore",
            key="download-report",
            icon=":material/download:",
        )
        st.caption(say("overview.download_holds"))


def made(path: Path) -> bytes:
    """The file, from a connection of its own: it is made in another thread than the page."""
    return Project.open(path).print_report(is_plain=cache.limits_problem() is not None).encode("utf-8", "replace")
