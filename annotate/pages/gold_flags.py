"""Accepted entries behind which something changed: what was accepted and what is said now, side by side; a person decides."""

from __future__ import annotations

import streamlit as st

from annotate.gold import GoldEntry
from annotate.pages import gold_actions, gold_entries, texts
from annotate.store import Store
from proxy.records import Item, Label
from proxy.text import displayable

SHOWN = 10


def show(store: Store) -> None:
    """The flagged entries, the oldest flags first."""
    flagged = store.gold.flagged()
    st.caption("Nothing was changed by itself: keep an entry, edit it, or retire it.")
    items = store.gold.items(flagged[:SHOWN])
    for entry in flagged[:SHOWN]:
        with st.container(border=True):
            label = store.labels.of_item(entry.item) if entry.item is not None else None
            _one(store, entry, items[entry.gold_id], label)
    if len(flagged) > SHOWN:
        st.caption(f"… and {len(flagged) - SHOWN:,} more, shown when these are settled.")


def _one(store: Store, entry: GoldEntry, item: Item, label: Label | None) -> None:
    flag = entry.flag or ""
    st.markdown(f"**{texts.escaped(flag[:1].upper() + flag[1:])}.**")
    texts.heading("Question")
    texts.show(item.question, f"flag-question-{entry.gold_id}")
    old, new = st.columns(2, gap="medium")
    with old:
        texts.heading("Accepted reference")
        texts.show(entry.reference, f"flag-old-{entry.gold_id}")
    with new:
        texts.heading("What is said now")
        _said_now(label, entry, item)
    st.text(displayable(gold_entries.origin(entry)))
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Keep"):
            key = f"keep-why-{entry.gold_id}"
            st.text_input("Why?", key=key, help="Kept in the history of this entry.")
            st.button(
                "Keep as it is",
                key=f"keep-{entry.gold_id}",
                on_click=gold_actions.keep,
                args=(store, entry.gold_id, entry.revision, key),
            )
        gold_entries.edit_popover(store, entry, "flag", label.reference if label else None)
        with st.popover("Retire"):
            gold_entries.retire_form(store, entry, "flag-")
        gold_entries.history_popover(store, entry, "flag")


def _said_now(label: Label | None, entry: GoldEntry, item: Item) -> None:
    """The label as it is now, with the answer that it speaks of."""
    if label is None:
        st.text("No annotation stands.")
        return
    who = f", {label.annotator}" if label.annotator else ""
    st.text(displayable(f"{label.judgement}{who}"))
    for words, text in (("Reference", label.reference), ("Why", label.rationale), ("The answer", item.answer)):
        if text and text != entry.reference:
            texts.heading(words)
            texts.show(text, f"flag-{words}-{entry.gold_id}")
