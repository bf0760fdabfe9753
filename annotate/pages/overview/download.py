"""Draw the button that downloads the report as one HTML file; a click builds the file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from annotate.domain.selection import Selection
from annotate.pages.kit import cache
from annotate.pages.kit.messages import say
from annotate.project import Project
from annotate.store import Store


def show(store: Store, selection: Selection | None) -> None:
    """The button; nothing is computed before it is clicked."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("overview.download"),
            data=partial(made, store.path, selection or Selection()),
            file_name="assay-report.html",
            mime="text/html",
            on_click="ignore",
            key="download-report",
            icon=":material/download:",
        )
        st.caption(say("overview.download_holds"))


def made(path: Path, selection: Selection) -> bytes:
    """The file, from a connection of its own: it is made in another thread than the page."""
    page = Project.open(path).print_report(
        is_plain=cache.limits_problem() is not None,
        system=selection.system,
        since=selection.since,
        until=selection.until,
    )
    return page.encode("utf-8", "replace")
