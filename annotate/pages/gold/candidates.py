"""The candidates, a page at a time, with their doubts: accept, edit or retire one, or several at once."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus
from annotate.domain.gold.doubts import by_entry, doubts
from annotate.pages.gold import actions, comparing, entries
from annotate.pages.gold.paging import paged
from annotate.pages.kit import reruns
from annotate.pages.kit.messages import say
from annotate.store import Store

CHOICES = ((GoldStatus.ACCEPTED, "accept"), (GoldStatus.RETIRED, "retire"))


def show(store: Store, count: int) -> None:
    """The candidates; a correction by an end user is only ever accepted by itself."""
    if not count:
        st.caption(say("gold.candidates_none"))
        return
    st.caption(say("gold.candidates_how"))
    shown = paged(store, GoldStatus.CANDIDATE, count)
    pairs = by_entry(comparing.pairs(store, "candidates") or ())
    keys = {one.gold_id: f"choose-{one.gold_id}" for one, _ in shown if one.source is not GoldSource.CORRECTION}
    _several(store, [one for one, _ in shown if one.gold_id in keys], keys)
    for entry, item in shown:
        with st.container(border=True, gap="xsmall"):
            entries.show(entry, item, doubts(entry, pairs.get(entry.gold_id, ())))
            with st.container(horizontal=True, vertical_alignment="center"):
                if entry.gold_id in keys:
                    st.checkbox(say("gold.choose"), key=keys[entry.gold_id])
                for status, name in CHOICES:
                    st.button(
                        say(f"gold.{name}"),
                        key=f"{name}-{entry.gold_id}",
                        on_click=actions.set_status,
                        args=(store, {entry.gold_id: entry.revision}, status),
                    )
                entries.edit_popover(store, entry, "candidate")
                entries.behind_popover(entry, item, "candidate")
                entries.history_popover(store, entry, "candidate")
                entries.mark_box(store, entry)


def _several(store: Store, shown: Sequence[GoldEntry], keys: dict[str, str]) -> None:
    """Buttons for all that are ticked on this page."""
    chosen = {one.gold_id: one.revision for one in shown if st.session_state.get(keys[one.gold_id])}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("gold.choose_all"),
            key="choose-all",
            on_click=_choose,
            args=(list(keys.values()),),
            disabled=not keys,
        )
        for status, name in CHOICES:
            st.button(
                say(f"gold.{name}_chosen", count=len(chosen)),
                key=f"{name}-chosen",
                disabled=not chosen,
                on_click=actions.set_status,
                args=(store, chosen, status),
            )


@reruns.whole
def _choose(keys: Sequence[str]) -> None:
    for key in keys:
        st.session_state[key] = True
