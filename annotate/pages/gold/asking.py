"""Ask the model that the team has switched on for a draft of the reference: on request, while the page goes on."""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate import settings
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, background, privacy, sign_in
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.gold import model_draft
from proxy.errors import AssayError

WORK = "model draft"
LOOK_EVERY = 1.0  # seconds


def show(store: Store, row: int, *, has_draft: bool) -> None:
    """The button, that the model is at work, or why there is no draft; nothing where no model is switched on."""
    try:
        asked = settings.draft()
    except AssayError as error:
        st.caption(escaped(str(error)))
        return
    if asked is None or has_draft:
        return
    work = background.begun(store, WORK, row)
    if work is not None and not work.done():
        _wait(store, row)
        return
    fault = work.exception() if work is not None else None
    if fault is not None:
        st.html(f"<p class='a-refused' role='alert'>{escape(privacy.shown(str(fault)))}</p>")
    st.button(
        marked("gold_write.model_ask", model=asked.model),
        key=f"reference-ask-{row}",
        on_click=_ask,
        args=(store, row),
        **actor.lock(Act.WRITE, tip=say("gold_write.model_help")),
        icon=":material/edit_note:",
    )


@actor.needs(Act.WRITE)
def _ask(store: Store, row: int) -> None:
    who = actor.who()
    background.begin(store, WORK, lambda own: model_draft.draft(own, row, who=who, clock=actor.now), row)


@sign_in.fragment_every(LOOK_EVERY)
def _wait(store: Store, row: int) -> None:
    """Look whether the draft has come."""
    work = background.begun(store, WORK, row)
    if work is None or work.done():
        st.rerun()
    st.caption(say("gold_write.model_at_work"))
