"""The candidates, a page at a time, with their doubts: accept, edit or retire one, or several at once."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.gold import GoldSource, GoldStatus
from annotate.gold.doubts import by_entry, doubts
from annotate.pages import gold_actions, gold_entries
from annotate.pages.gold_paging import paged
from annotate.store import Store


def show(store: Store, count: int) -> None:
    """The candidates; a correction by an end user is only ever accepted by itself."""
    if not count:
        st.caption("None. Answers that people call right, and references that they write, become candidates.")
        return
    st.caption(
        "Accept a reference if the app should answer like this. What people call right is offered as its own reference."
    )
    shown = paged(store, GoldStatus.CANDIDATE, count)
    pairs = by_entry(gold_entries.near(store))
    keys = {one.gold_id: f"choose-{one.gold_id}" for one, _ in shown if one.source is not GoldSource.CORRECTION}
    ticked = {name for name, key in keys.items() if st.session_state.get(key)}
    chosen = {one.gold_id: one.revision for one, _ in shown if one.gold_id in ticked}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Choose all on this page", on_click=_choose, args=(list(keys.values()),), disabled=not keys)
        for words, status, key in (
            ("Accept", GoldStatus.ACCEPTED, "accept-chosen"),
            ("Retire", GoldStatus.RETIRED, "retire-chosen"),
        ):
            st.button(
                f"{words} {len(chosen)} chosen",
                key=key,
                disabled=not chosen,
                on_click=gold_actions.set_status,
                args=(store, chosen, status),
            )
    for entry, item in shown:
        seen = {entry.gold_id: entry.revision}
        with st.container(border=True, gap="xsmall"):
            gold_entries.show(entry, item, doubts(entry, pairs.get(entry.gold_id, ())))
            with st.container(horizontal=True, vertical_alignment="center"):
                if entry.gold_id in keys:
                    st.checkbox("Choose", key=keys[entry.gold_id])
                for words, status in (("Accept", GoldStatus.ACCEPTED), ("Retire", GoldStatus.RETIRED)):
                    st.button(
                        words,
                        key=f"{words.lower()}-{entry.gold_id}",
                        on_click=gold_actions.set_status,
                        args=(store, seen, status),
                    )
                gold_entries.edit_popover(store, entry, "candidate")
                gold_entries.history_popover(store, entry, "candidate")
                gold_entries.mark_box(store, entry)


def _choose(keys: Sequence[str]) -> None:
    for key in keys:
        st.session_state[key] = True
