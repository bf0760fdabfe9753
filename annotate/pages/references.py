"""The queue of wrong answers without a reference: one at a time, with a form that writes it and goes on to the next."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate import gold_deciding
from annotate.gold import GoldSource, Overtaken
from annotate.gold_deciding import Actor
from annotate.pages import gold_actions, texts
from annotate.store import Store
from proxy.records import Item, Label

LATER = "references-for-later"
FORM_HEIGHT = 160


def show(store: Store) -> None:
    """The first of the queue that was not put off."""
    waiting = store.gold.without_reference()
    if not waiting:
        st.caption("None: every answer that people call wrong has a reference.")
        return
    put_off: set[int] = st.session_state.setdefault(LATER, set())
    ready = [row for row in waiting if row not in put_off]
    if not ready:
        st.caption(f"You have put off all {len(waiting):,} for later.")
        st.button("Begin again", on_click=put_off.clear)
        return
    row = ready[0]
    harm = "; marked as seriously harmful" if _is_serious(store.labels.of_item(row)) else ""
    st.caption(f"{len(waiting):,} to write{harm}.")
    _one(store, row, put_off)


def _is_serious(label: Label | None) -> bool:
    return label is not None and label.harm == "serious"


def _one(store: Store, row: int, put_off: set[int]) -> None:
    """One item with its form; the passages beside it."""
    item, label = store.items.get(row), store.labels.of_item(row)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _texts(item, label, f"queue-{row}")
        with st.form(f"reference-{row}"):
            st.text_area(
                "What should the app have said?",
                key=f"reference-text-{row}",
                height=FORM_HEIGHT,
                help="The reference: an answer that you hold to be correct. It becomes a candidate of the gold set.",
            )
            st.checkbox(
                "Knowledge base lacks this", key=f"reference-lacks-{row}", help="No passage could have answered it."
            )
            st.form_submit_button(
                "Save and go on (Ctrl+Enter)", type="primary", on_click=_save, args=(store, row, item.id)
            )
        st.button(
            "Later",
            on_click=put_off.add,
            args=(row,),
            shortcut="Alt+L",
            help="Shows the next one; this one stays in the queue.",
        )
    with right:
        texts.heading("What the app had found")
        texts.show_passages(item.contexts, f"queue-{row}")


def _texts(item: Item, label: Label | None, key: str) -> None:
    """What was asked and answered, and why a person calls it wrong."""
    if item.history:
        texts.heading("Before that")
        texts.show_conversation(item.history, key)
    parts: Sequence[tuple[str, str | None]] = (
        ("The question", item.question),
        ("The app answered, wrongly", item.answer),
        ("Why it is wrong", label.rationale if label else None),
    )
    for words, text in parts:
        if text is not None:
            texts.heading(words)
            with st.container(border=True):
                texts.show(text, f"{key}-{words}")


def _save(store: Store, row: int, item_id: str) -> None:
    """Write the reference and go on, or say why not and keep what was typed."""

    def act() -> str:
        text, lacks = st.session_state.get(f"reference-text-{row}"), st.session_state.get(f"reference-lacks-{row}")
        gold_id = write(store, row, item_id, str(text or ""), gold_actions.actor(), lacks_knowledge=bool(lacks))
        return f"Saved: {gold_id} is a candidate now."

    gold_actions.attempt(act, f"reference-text-{row}")


def write(store: Store, row: int, item_id: str, text: str, actor: Actor, *, lacks_knowledge: bool = False) -> str:
    """Put the reference into the gold set; refused if it is blank, nobody signs it, or another was quicker.

    The same text by the same person again is the same reference.
    """
    actor.checked()
    with store.atomic(durable=True):
        held = store.gold.of_item(row)
        is_mine = held is not None and (held.reference, held.annotator) == (text.strip(), actor.who)
        if not is_mine and row not in store.gold.without_reference():
            raise Overtaken("someone else has just settled this one: reload the page")
        return gold_deciding.write(
            store, row, item_id, text, GoldSource.APP, actor, lacks_knowledge=lacks_knowledge or None
        )
