"""The candidates, a page at a time, with their doubts: accept, edit or retire one, or several at once."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.domain.gold import GoldEntry, GoldRole, GoldSource, GoldStatus
from annotate.domain.gold.flags import by_entry, doubts
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, entries
from annotate.pages.gold import pairs as near_pairs
from annotate.pages.gold.entries import PAGE, paged, start, with_items
from annotate.pages.kit import actor, layout, reruns, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.present.gold import coverage as gold_coverage
from annotate.store import Store

CHOICES = ((GoldStatus.ACCEPTED, "accept"), (GoldStatus.RETIRED, "retire"))
EVERY = "all"
FIND, LONGEST = "find", 200


def show(store: Store, count: int) -> None:
    """The candidates; a correction by an end user is only ever accepted by itself."""
    if not count:
        st.caption(say("gold.candidates_none"))
        return
    st.caption(say("gold.candidates_how"))
    shown = paged(store, GoldStatus.CANDIDATE, count)
    pairs = by_entry(near_pairs.pairs(store, "candidates") or ())
    keys = {entry.gold_id: f"choose-{entry.gold_id}" for entry, _ in shown if entry.source is not GoldSource.CORRECTION}
    _several(store, [entry for entry, _ in shown if entry.gold_id in keys], keys)
    corrected = store.gold.answers.corrected([entry.gold_id for entry, _ in shown])
    for entry, item in shown:
        corrects = corrected.get(entry.gold_id, ())
        with st.container(border=True, gap="xsmall"):
            entries.show(entry, item, doubts(entry, pairs.get(entry.gold_id, ())), corrects)
            with st.container(horizontal=True, vertical_alignment="center"):
                if entry.gold_id in keys:
                    st.checkbox(say("gold.choose"), key=keys[entry.gold_id])
                for status, name in CHOICES:
                    st.button(
                        say(f"gold.{name}"),
                        key=f"{name}-{entry.gold_id}",
                        on_click=actions.set_status,
                        args=(store, {entry.gold_id: entry.revision}, status),
                        **actor.lock(Act.CURATE),
                    )
                entries.edit_popover(store, entry, "candidate")
                entries.behind_popover(store, entry, item, "candidate", corrects)
                entries.history_popover(store, entry, "candidate")
                entries.mark_box(store, entry)


def _several(store: Store, shown: Sequence[GoldEntry], keys: dict[str, str]) -> None:
    """Buttons for all that are ticked on this page."""
    chosen = {entry.gold_id: entry.revision for entry in shown if st.session_state.get(keys[entry.gold_id])}
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
                on_click=actions.set_status,
                args=(store, chosen, status),
                **actor.lock(Act.CURATE, disabled=not chosen),
            )


@reruns.whole
def _choose(keys: Sequence[str]) -> None:
    for key in keys:
        st.session_state[key] = True


def show_accepted(store: Store, count: int, retired: int) -> None:
    """The accepted entries."""
    if not count:
        st.caption(say("gold.accepted_none"))
    else:
        _accepted_list(store, count)
    if retired:
        st.caption(marked("gold.retired_kept", count=retired))
        layout.commands(("assay gold list --status retired",))


def _accepted_list(store: Store, count: int) -> None:
    words, role = _wanted(store)
    names = store.gold.statistics.find(GoldStatus.ACCEPTED, words, role) if words or role else None
    many = count if names is None else len(names)
    if names is not None:
        st.caption(marked("gold.found", count=many, of=count))
    # What is found is a list of its own, from its beginning.
    first = start(many, f"page-accepted-{hash((words, role))}")
    if names is None:
        shown = store.gold.page(GoldStatus.ACCEPTED, start=first, size=PAGE)
    else:
        shown = [entry for name in names[first : first + PAGE] if (entry := store.gold.get(name))]
    corrected = store.gold.answers.corrected([entry.gold_id for entry in shown])
    for entry, item in with_items(store, shown):
        corrects = corrected.get(entry.gold_id, ())
        with st.container(border=True, gap="xsmall"):
            entries.show(entry, item, [] if entry.flag is None else [say("gold.flag", flag=entry.flag)], corrects)
            with st.container(horizontal=True, vertical_alignment="center"):
                entries.behind_popover(store, entry, item, "accepted", corrects)
                entries.history_popover(store, entry, "accepted")
                entries.edit_popover(store, entry, "accepted")
                with st.popover(say("gold.retire")):
                    entries.retire_form(store, entry)
                entries.mark_box(store, entry)


def _wanted(store: Store) -> tuple[str, GoldRole | None]:
    """What the user looks for."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    st.session_state[FIND] = (url_state.get(FIND) or "")[:LONGEST]
    words = left.text_input(
        say("gold.find"), key=FIND, max_chars=LONGEST, on_change=_keep_words, help=say("gold.find_help")
    )
    roles = [size.role for size in store.gold.statistics.roles() if size.role]
    if not roles:
        return (words or "").strip(), None
    names = {EVERY: say("gold.role_all"), **{role.value: render(gold_coverage.role(role)) for role in roles}}
    with right:
        chosen = url_state.segmented(say("gold.role"), names, "role", default=EVERY, label_visibility="collapsed")
    return (words or "").strip(), None if chosen == EVERY else GoldRole(chosen)


@reruns.whole
def _keep_words() -> None:
    """Callback: the words into the address."""
    url_state.put(FIND, str(st.session_state.get(FIND) or "").strip() or None)
