"""The same report as one HTML file to send or print: made when it is asked for."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from annotate import html_report, limits
from annotate.pages import acting, figures, frame
from annotate.pages.say import say
from annotate.store import Store


def show(store: Store) -> None:
    """The button; nothing is computed before it is clicked."""
    frame.heading("overview.take")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("overview.download"),
            data=partial(made, store.path, is_plain=figures.limits_problem() is not None),
            file_name="assay-report.html",
            mime="text/html",
            on_click="ignore",
            key="download-report",
            icon=":material/download:",
        )
        st.caption(say("overview.download_holds"))


def made(path: Path, *, is_plain: bool) -> bytes:
    """The file, from a connection of its own: it is made in another thread than the page."""
    store = Store(path, reads_only=True)
    try:
        if is_plain:
            return html_report.as_html(html_report.gather(store, now=acting.now()))
        limit, wanted = limits.of_verdict(), limits.of_report()
        return html_report.as_html(html_report.gather(store, now=acting.now(), limit=limit, limits=wanted))
    finally:
        store.close()
