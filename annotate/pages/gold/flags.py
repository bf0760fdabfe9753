"""Accepted entries behind which something changed: what was accepted and what is said now, side by side; a person decides."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.domain.gold import GoldEntry
from annotate.domain.gold.sources import SourceChange
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, entries, shown
from annotate.pages.kit import actor, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present.gold.lists import source_change
from annotate.store import Store
from proxy.records import Item, Label

SHOWN = 10


def show(store: Store) -> None:
    """The flagged entries, the oldest flags first."""
    flagged = store.gold.flagged()
    st.header(marked("gold.flagged", count=len(flagged)), anchor=False)
    st.caption(say("gold.flagged_how"))
    items = store.gold.items(flagged[:SHOWN])
    changes = store.gold.sources.changes([entry.gold_id for entry in flagged[:SHOWN]])
    if without := store.gold.sources.without_ids():
        st.caption(marked("gold.without_passage_ids", count=without))
    for entry in flagged[:SHOWN]:
        with st.container(border=True):
            label = store.labels.of_item(entry.item) if entry.item is not None else None
            _flagged_entry(store, entry, items[entry.gold_id], label, changes.get(entry.gold_id, ()))
    if len(flagged) > SHOWN:
        st.caption(marked("gold.flagged_more", count=len(flagged) - SHOWN))


def _flagged_entry(
    store: Store, entry: GoldEntry, item: Item, label: Label | None, changes: Sequence[SourceChange]
) -> None:
    flag, corrects = entry.flag or "", store.gold.answers.corrected([entry.gold_id]).get(entry.gold_id, ())
    st.markdown(f"**{escaped(flag[:1].upper() + flag[1:])}.**")
    texts.show_conversation(item.history, f"flag-before-{entry.gold_id}")
    texts.heading(say("gold.question"))
    texts.show(item.question, f"flag-question-{entry.gold_id}")
    old, new = st.columns(2, gap="medium")
    with old:
        texts.heading(say("gold.flagged_old"))
        shown.reference(entry, f"flag-old-{entry.gold_id}")
    with new:
        texts.heading(say("gold.flagged_new"))
        _said_now(label, entry, item)
    for place, change in enumerate(changes):
        for column, (name, text) in zip(st.columns(2, gap="medium"), source_change(change), strict=True):
            with column:
                texts.heading(escaped(render(name)))
                texts.show(text, f"flag-{name.key}-{place}-{entry.gold_id}")
    entries.show_origin(entry, corrects)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover(say("gold.keep")):
            key = f"keep-why-{entry.gold_id}"
            st.text_input(say("gold.why"), key=key, help=say("gold.why_help"))
            st.button(
                say("gold.keep_as_is"),
                key=f"keep-{entry.gold_id}",
                on_click=actions.keep,
                args=(store, entry.gold_id, entry.revision, key),
                **actor.lock(Act.CURATE),
            )
        entries.edit_popover(store, entry, "flag", label.reference if label else None)
        with st.popover(say("gold.retire")):
            entries.retire_form(store, entry, "flag-")
        entries.behind_popover(store, entry, item, "flag", corrects)
        entries.history_popover(store, entry, "flag")


def _said_now(label: Label | None, entry: GoldEntry, item: Item) -> None:
    """The label as it is now, with the answer that it speaks of."""
    if label is None:
        st.text(say("gold.no_annotation"))
        return
    who = f", {label.annotator}" if label.annotator else ""
    st.text(texts.others(f"{say(f'gold.label_{label.judgement.value}')}{who}"))
    parts = (
        ("reference", label.reference, ("reference",)),
        ("said_why", label.rationale, ("rationale",)),
        ("said_answer", item.answer, ()),
    )
    for name, text, fields in parts:
        if text and text != entry.reference:
            texts.heading(say(f"gold.{name}"))
            texts.show(text, f"flag-{name}-{entry.gold_id}", *fields)
