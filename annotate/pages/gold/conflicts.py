"""Two users wrote at once: what the first wrote and what this user wrote, side by side, until it is decided."""

from __future__ import annotations

import streamlit as st

from annotate.domain.gold import GoldEntry, GoldSource
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, shown
from annotate.pages.gold.actions import Conflict
from annotate.pages.kit import actor, cache, texts
from annotate.pages.kit.messages import say
from annotate.store import Store
from annotate.workflow.gold import drafts, review

FORM_HEIGHT = 160


def show(store: Store) -> None:
    """Each conflict that this user has not decided yet."""
    for name, mine in list(actions.conflicts().items()):
        _conflict(store, name, mine)


def _conflict(store: Store, name: str, mine: Conflict) -> None:
    entry = store.gold.get(mine.gold_id)
    with st.container(border=True):
        st.header(say("gold.conflict"), anchor=False)
        if entry is None:
            texts.heading(say("gold.conflict_yours"))
            st.code(texts.others(mine.mine), language=None, wrap_lines=True)
            st.button(say("gold.conflict_done"), key=f"conflict-leave-{len(name)}", on_click=_leave, args=(store, name))
            return
        left, right = st.columns(2, gap="medium")
        with left:
            _current_entry(store, entry)
        with right:
            _mine(store, mine, entry)


def _current_entry(store: Store, entry: GoldEntry) -> None:
    """What stands in the gold set now, with who put it there and when."""
    last = store.gold.revisions(entry.gold_id)[-1]
    texts.heading(say("gold.conflict_theirs"))
    with st.container(border=True):
        shown.reference(entry, f"conflict-{entry.gold_id}")
    words = say("gold.said_by", at=texts.moment(last.at), status=say(f"gold.status_{last.status.value}"), who=last.who)
    st.text(texts.others(words))


def _mine(store: Store, mine: Conflict, entry: GoldEntry) -> None:
    """What this user wrote, to change and put in its place, or to leave."""
    key = f"conflict-{entry.gold_id}-{entry.revision}"
    with st.form(key, border=False):
        st.text_area(say("gold.conflict_yours"), value=texts.others(mine.mine), key=f"{key}-text", height=FORM_HEIGHT)
        with st.container(horizontal=True):
            st.form_submit_button(
                say("gold.conflict_replace"),
                key=f"{key}-replace",
                on_click=_replace,
                args=(store, mine, entry.revision, f"{key}-text"),
                **actor.lock(Act.CURATE),
            )
            st.form_submit_button(
                say("gold.conflict_keep"), key=f"{key}-keep", on_click=_leave, args=(store, entry.gold_id)
            )


@actor.writes(Act.CURATE)
def _replace(store: Store, mine: Conflict, revision: int, text_key: str) -> None:
    """Put this user's text in place of the other, unless that has changed once more."""
    text, gold_id, why = actions.typed(text_key) or "", mine.gold_id, mine.why
    if text == texts.others(mine.mine).strip():
        text = mine.mine  # the form shows stand-ins for what cannot be shown

    def act() -> str:
        review.edit(store, gold_id, text, GoldSource.APP, actions.actor(), why=why, expected=revision)
        return say("gold.done_replaced", gold_id=gold_id)

    if actions.attempt(act, lambda: Conflict(gold_id, text, why)):
        _decided(store, gold_id)


@actor.writes(Act.WRITE)
def _leave(store: Store, name: str) -> None:
    _decided(store, name)


def _decided(store: Store, name: str) -> None:
    """Take the conflict off the page, and the draft behind it."""
    conflict = actions.conflicts().pop(name, None)
    if conflict and conflict.item is not None:
        with cache.unmoved(store):
            drafts.drop(store, conflict.item, actions.actor())
