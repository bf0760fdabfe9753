"""The same question and answer with opposite labels: how many, and which items with whose label."""

from __future__ import annotations

import streamlit as st

from annotate.pages.kit import cache, texts
from annotate.pages.kit.messages import say
from annotate.store import Store


def show(store: Store) -> None:
    """A folded list, and nothing where there are none."""
    groups = cache.kept(store, "opposite-labels", store.labels.opposite_labels.groups)
    if not groups:
        return
    with st.expander(say("disagreements.opposite", count=len(groups)), key="disagreements-opposite"):
        st.caption(say("disagreements.opposite_help"))
        for place, group in enumerate(groups):
            with st.container(border=True, gap="xsmall"):
                for number, one in enumerate(group):
                    word = say(f"disagreements.said_{one.judgement.value}")
                    texts.show(f"{one.item_id} · {word} · {one.annotator or '—'}", f"opposite-{place}-{number}")
