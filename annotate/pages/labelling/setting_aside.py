"""A complaint is looked at and set aside, with a reason, or waits again; what is refused keeps what was typed."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import streamlit as st

from annotate.domain.complaints import Complaint, ComplaintState
from annotate.pages.kit import actor, reruns, texts, times
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say
from annotate.store import Store
from annotate.workflow.labelling import complaints
from proxy.errors import AssayError

REFUSED = "aside-refused"


def say_refusal() -> None:
    """Why the last action was refused, if it was."""
    if refused := reruns.told(REFUSED):
        st.error(escaped(refused), title=say("labelling.not_done"))


def show(store: Store, one: Complaint) -> None:
    """The form where it waits; who set it aside, when and why where somebody did, and the way back."""
    key = f"aside-{sha256(one.item_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    if one.state in {ComplaintState.WAITING, ComplaintState.UNKNOWN}:
        with st.popover(say("labelling.aside"), help=say("labelling.aside_help")), st.form(f"{key}-form", border=False):
            st.text_input(say("labelling.aside_why"), key=f"{key}-why")
            st.form_submit_button(say("labelling.aside_save"), key=key, on_click=_set, args=(store, one, f"{key}-why"))
    if one.aside is not None:
        who = texts.others(one.aside.who)
        texts.heading(escaped(say("labelling.aside_by", who=who, at=times.moment(one.aside.at))))
        texts.show(one.aside.why, f"{key}-said", "rationale")
        st.button(say("labelling.aside_back"), key=f"{key}-back", on_click=_back, args=(store, one.item_id))


@actor.writes
def _set(store: Store, one: Complaint, why_key: str) -> None:
    why, who = str(st.session_state.get(why_key) or ""), actor.who()
    _attempt(lambda: complaints.set_aside(store, one, why, who=who, now=actor.now()), "labelling.aside_done")


@actor.writes
def _back(store: Store, item_id: str) -> None:
    who = actor.who()
    _attempt(lambda: complaints.take_back(store, item_id, who=who, now=actor.now()), "labelling.aside_undone")


def _attempt(act: Callable[[], bool], news: str) -> None:
    """Do it and say so, or keep why it was refused."""
    try:
        if act():
            actor.tell(say(news), instead_of=REFUSED)
    except AssayError as error:
        reruns.tell(REFUSED, str(error))
