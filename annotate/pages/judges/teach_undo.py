"""Take the version of a judge that is in force out of force again, after asking."""

from __future__ import annotations

import streamlit as st

from annotate.domain.alignment import Alignment
from annotate.domain.message import Code, message
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, draw, reruns, texts
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.judging import alignment as workflow
from proxy.errors import AssayError

REFUSED, DONE = "teach-undo-refused", "teach-undone"


def show(store: Store, current: Alignment) -> None:
    """The button, which asks first."""
    if st.button(say("teaching.undo"), key="teach-undo", icon=":material/undo:", **_lock()):
        st.dialog(say("teaching.undo_title"))(_ask)(store, current)


def say_outcome() -> None:
    """What became of the last click."""
    if done := reruns.pending_message(DONE):
        st.success(escaped(done), icon=":material/check:")
    if refused := reruns.pending_message(REFUSED):
        st.error(escaped(refused), title=say("teaching.not_undone"))


def _ask(store: Store, current: Alignment) -> None:
    """The dialog: what changes, and both ways out."""
    draw.paragraph(message("teaching.undo_ask", judge=Code(current.judge), day=Code(texts.day(current.at))))
    with st.container(horizontal=True, gap="small"):
        is_undone = st.button(
            say("teaching.undo"),
            key="teach-undo-confirmed",
            type="primary",
            on_click=_undo,
            args=(store, current),
            **_lock(),
        )
        if st.button(say("teaching.undo_keep"), key="teach-undo-kept") or is_undone:
            st.rerun()


def _lock() -> actor.Lock:
    """Whoever may not do it sees why; others give their name first."""
    is_nameless = not actor.name_given()
    return actor.lock(Act.TEACH, disabled=is_nameless, tip=marked("acting.name_needed") if is_nameless else None)


@actor.writes(Act.TEACH)
def _undo(store: Store, current: Alignment) -> None:
    """Undo what was on the screen; a second click, or a version that has come since, changes nothing."""
    in_force = store.scores.alignments.in_force(current.judge, current.bare)
    if in_force is None or in_force.key != current.key:
        return
    try:
        workflow.undo(store, current.judge, bare=current.bare, who=actor.who(), now=actor.now())
    except AssayError as error:
        reruns.tell(REFUSED, str(error), instead_of=DONE)
        return
    reruns.tell(DONE, say("teaching.is_undone", judge=current.judge), instead_of=REFUSED)
