"""One gold entry on the page: its texts, its doubts, its history, and the small forms that change it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from annotate.gold import GoldEntry, GoldStatus
from annotate.gold.conflicts import NearPair, near_entries
from annotate.pages import gold_actions, texts
from annotate.store import Store
from proxy.records import Item
from proxy.text import displayable

FORM_HEIGHT = 120
KEPT_COMPARISONS = 4


def show(entry: GoldEntry, item: Item, notes: Sequence[str] = ()) -> None:
    """Question and reference side by side, with where they come from and what speaks against them."""
    question, reference = st.columns(2, gap="medium")
    with question:
        texts.heading("Question")
        texts.show(item.question, f"question-{entry.gold_id}")
    with reference:
        texts.heading("Reference")
        texts.show(entry.reference, f"reference-{entry.gold_id}")
    for note in notes:
        st.caption(f":material/info: {texts.escaped(note[:1].upper() + note[1:])}.")
    st.text(displayable(origin(entry)))


def origin(entry: GoldEntry) -> str:
    """Where an entry comes from, on one line."""
    who = f" ({entry.annotator})" if entry.annotator else ""
    place = f"item {entry.item_id}" if entry.item_id else "no item"
    role = f" · {entry.role}" if entry.role else ""
    return f"{entry.source}{who} · {place} · {entry.gold_id}{role}"


def edit_popover(store: Store, entry: GoldEntry, place: str, suggestion: str | None = None) -> None:
    """A form that is made when it is opened: a page of them with long texts would be slow."""
    with st.popover("Edit", key=f"{place}-open-{entry.gold_id}", on_change="rerun") as box:
        if box.open:
            _edit_form(store, entry, place, suggestion)


def history_popover(store: Store, entry: GoldEntry, place: str) -> None:
    """The history, read when it is opened."""
    with st.popover("History", key=f"{place}-history-{entry.gold_id}", on_change="rerun") as box:
        if box.open:
            history(store, entry.gold_id)


def history(store: Store, gold_id: str) -> None:
    """Who did what with an entry, oldest first, and what its reference was where that changed."""
    before = None
    for place, one in enumerate(store.gold.revisions(gold_id)):
        who = f" by {one.who}" if one.who else ""
        why = f": {one.why}" if one.why else ""
        st.text(displayable(f"{moment(one.at)}  {one.status}{who}{why}"))
        if one.reference != before:
            with st.container(border=True):
                texts.show(one.reference, f"history-{gold_id}-{place}")
        before = one.reference


def _edit_form(store: Store, entry: GoldEntry, place: str, suggestion: str | None) -> None:
    """A form that replaces the reference of an entry; it names the revision that the reader saw."""
    key = f"{place}-edit-{entry.gold_id}-{entry.revision}"
    with st.form(key, border=False):
        st.text_area(
            "Reference", value=displayable(suggestion or entry.reference), key=f"{key}-text", height=FORM_HEIGHT
        )
        st.text_input("Why?", key=f"{key}-why", help="Kept in the history of this entry.")
        st.form_submit_button(
            "Save",
            on_click=gold_actions.edit,
            args=(store, entry.gold_id, entry.revision, f"{key}-text", f"{key}-why"),
        )


def retire_form(store: Store, entry: GoldEntry, place: str = "") -> None:
    """A reason and a button that takes an entry out."""
    key = f"{place}why-{entry.gold_id}"
    st.text_input("Why?", key=key, help="Kept in the history of this entry.")
    st.button(
        "Retire",
        key=f"{place}retire-{entry.gold_id}",
        on_click=gold_actions.set_status,
        args=(store, {entry.gold_id: entry.revision}, GoldStatus.RETIRED, key),
    )


def mark_box(store: Store, entry: GoldEntry) -> None:
    """Whether the knowledge base lacks what the question asks for."""
    key = f"lacks-{entry.gold_id}-{entry.revision}"
    st.checkbox(
        "Knowledge base lacks this",
        value=entry.lacks_knowledge,
        key=key,
        on_change=gold_actions.mark,
        args=(store, entry.gold_id, key),
    )


def near(store: Store) -> list[NearPair]:
    """The pairs of entries that ask nearly the same, compared again only when the gold set has changed."""
    return _near(str(store.path), store.gold.stamp())


@st.cache_data(max_entries=KEPT_COMPARISONS, show_spinner="Comparing questions …")
def _near(path: str, stamp: tuple[int, ...]) -> list[NearPair]:
    store = Store(Path(path))
    try:
        return list(near_entries(store.gold.entries(), store.gold.questions(), store.gold.conversations()))
    finally:
        store.close()


def moment(at: str) -> str:
    """A time as people read it."""
    return at[:16].replace("T", " ") + " UTC"
