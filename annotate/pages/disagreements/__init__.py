"""Where is the proxy wrong? The list beside the item, what can be done about it below; all the rest behind one expander.

The rule: what is asked for and which item is open stand in the address, and nowhere else. A click on a row draws the list and
the item anew and nothing beside them.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.disagreements import Ground
from annotate.domain.annotation import SERIOUS
from annotate.pages.disagreements import actions, evidence, filters, item, rows
from annotate.pages.kit import cache, layout, reruns, script_requests, selection, sign_in, url_state
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import render, say
from annotate.present import disagreements as present
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind


def show(store: Store) -> None:
    """The page."""
    head = layout.title("disagreements")
    ground = _ground(store)
    if _answer(store, head, ground) or url_state.get(filters.COUNTED) is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="disagreements-filters"):
            asked = filters.behind(store, filters.ask(store, ground))
            rows.files(store, ground, asked)
        if asked.has_agreements:
            words = "disagreements.behind" if selection.current() is None else "disagreements.behind_part"
            st.caption(say(words, count=len(asked.items or ())))
        _browse(store, asked)
    else:
        asked = filters.within()
        if url_state.get(filters.ITEM) is not None:
            _browse(store, asked)
    evidence.show(store, ground, asked)


def _ground(store: Store) -> Ground:
    return cache.kept(store, "disagreements", lambda: disagreements.ground(store))


def _answer(store: Store, head: PageHead, ground: Ground) -> bool:
    """Say in how many labelled answers; return whether there are any. Counts alone, which any store has at once."""
    listed, part, chosen = store.labels.disagreements, filters.within(), selection.current()
    counts = cache.kept(store, "disagreements-all", lambda: listed.count(ground.key, part), part)
    labelled = cache.kept(store, "disagreements-labelled", lambda: listed.labelled(ground.key, chosen), chosen)
    differing = sum(counts.values())
    if not labelled:
        layout.nothing(store, say("disagreements.no_labels"))
        return False
    headline = render(present.headline(differing, labelled))
    if not differing:
        head.answer(Tone.GOOD, say("disagreements.agree"), headline)
        return False
    serious = cache.kept(
        store, "disagreements-serious", lambda: listed.count(ground.key, replace(part, harm=SERIOUS)), part
    )
    misses, false_fails = counts[DisagreementKind.MISS], counts[DisagreementKind.FALSE_FAIL]
    head.answer(Tone.UNKNOWN, render(present.counted(misses, false_fails, sum(serious.values()))), headline)
    return True


@sign_in.fragment
def _browse(store: Store, asked: DisagreementFilter) -> None:
    """The list and the item that is open; a run of these alone is a run of the page like any other."""
    if is_alone := script_requests.is_of_fragment():
        reruns.begin()
        url_state.begin()
    ground = _ground(store)
    opened = rows.opened(store, ground, asked)
    left, right = st.columns([2, 3], gap="small")
    with left, st.container(border=True, key="disagreements-list", gap=None):
        rows.show(opened)
    with right, st.container(border=True, key="disagreements-item", gap=None):
        # A new box for another item, or it would stay scrolled to where the last one was read.
        with st.container(border=False, key=f"disagreements-read-{opened.known.row if opened.known else 0}"):
            item.show(opened)
        actions.show(store, opened)
    if is_alone:
        reruns.end()
