"""The same report as one HTML file to send or print: made when it is asked for."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from annotate.analysis.printed_report import gather
from annotate.domain import gate_limits
from annotate.pages.kit import actor, cache, layout
from annotate.pages.kit.messages import say
from annotate.present import html
from annotate.store import Store


def show(store: Store) -> None:
    """The button; nothing is computed before it is clicked."""
    layout.heading("overview.take")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("overview.download"),
            data=partial(made, store.path, is_plain=cache.limits_problem() is not None),
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
            return html.as_html(gather(store, now=actor.now()))
        limit, wanted = gate_limits.of_verdict(), gate_limits.of_report()
        return html.as_html(gather(store, now=actor.now(), limit=limit, limits=wanted))
    finally:
        store.close()
