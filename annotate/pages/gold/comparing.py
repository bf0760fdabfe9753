"""Entries that ask nearly the same: compared at once where they are few, else when the reader asks for it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.domain.gold import GoldStatus
from annotate.domain.gold.conflicts import NearPair
from annotate.pages.kit import cache, reruns
from annotate.pages.kit.messages import marked, say
from annotate.store import Store
from annotate.workflow.gold import near_duplicates

AT_ONCE = 500
ASKED = "gold-compare"


def pairs(store: Store, place: str) -> Sequence[NearPair] | None:
    """The near pairs that nobody has decided to keep, conflicts first; None where the reader has not asked yet."""
    counts = store.gold.counts()
    many = counts[GoldStatus.CANDIDATE] + counts[GoldStatus.ACCEPTED]
    if many > AT_ONCE and not st.session_state.get(ASKED):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(say("gold.compare"), key=f"compare-{place}", on_click=_ask)
            st.caption(marked("gold.compare_why", count=many))
        return None
    return cache.kept(store, "gold pairs", lambda: near_duplicates.near(store))


@reruns.whole
def _ask() -> None:
    st.session_state[ASKED] = True
