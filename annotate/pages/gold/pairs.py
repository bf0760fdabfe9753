"""Two entries that ask nearly the same, side by side, with what differs: both stay, one goes, or one takes the other's text."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.domain.gold import GoldEntry, GoldStatus
from annotate.domain.gold.conflicts import Differing, NearPair, differing
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, entries, shown
from annotate.pages.gold.entries import part
from annotate.pages.kit import actor, cache, reruns, texts
from annotate.pages.kit.messages import marked, say
from annotate.store import Store
from annotate.workflow.gold import near_duplicates
from annotate.workflow.gold.near_duplicates import Seen
from proxy.records import Item

AT_ONCE = 500
ASKED = "gold-compare"


def show(store: Store) -> None:
    """The near pairs, conflicts first, a page at a time."""
    st.caption(say("gold.pairs_how"))
    near = pairs(store, "pairs")
    if near is None:
        return
    if not near:
        st.caption(say("gold.pairs_none"))
        return
    st.markdown(marked("gold.pairs_count", pairs=len(near), conflicts=sum(pair.is_conflict for pair in near)))
    for pair in part(near, "page-pairs"):
        pair_entries = [store.gold.get(name) for name in (pair.first, pair.other)]
        both = [entry for entry in pair_entries if entry is not None]
        if len(both) == 2:
            items = store.gold.items(both)
            with st.container(border=True):
                _pair(store, pair, both, items)


def _pair(store: Store, pair: NearPair, both: list[GoldEntry], items: dict[str, Item]) -> None:
    first, other = both
    key = f"pair-{first.gold_id}-{other.gold_id}"
    kind = "conflict" if pair.is_conflict else "near"
    icon = ":material/warning:" if pair.is_conflict else ":material/content_copy:"
    st.markdown(f"{icon} **{say(f'gold.pair_{kind}')}**")
    seen = [Seen(entry.gold_id, entry.revision) for entry in both]
    for column, place, entry in zip(st.columns(2, gap="medium"), (0, 1), both, strict=True):
        with column:
            _side(store, entry, items[entry.gold_id], f"{key}-{place}")
            order = (seen[place], seen[1 - place])
            with st.container(horizontal=True):
                st.button(
                    say("gold.pair_only"),
                    key=f"{key}-only-{place}",
                    on_click=actions.keep_one,
                    args=(store, order, f"{key}-why"),
                    **actor.lock(Act.CURATE, tip=say("gold.pair_only_help")),
                )
                st.button(
                    say("gold.pair_use"),
                    key=f"{key}-use-{place}",
                    on_click=actions.replace,
                    args=(store, order, entry.reference, f"{key}-why"),
                    **actor.lock(Act.CURATE, tip=say("gold.pair_use_help")),
                )
    texts.small(_differences(differing(first.reference, other.reference)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(say("gold.why"), key=f"{key}-why", help=say("gold.why_help"), width=420)
        st.button(
            say("gold.pair_both"),
            key=f"{key}-both",
            on_click=actions.keep_both,
            args=(store, seen, f"{key}-why"),
            **actor.lock(Act.CURATE, tip=say("gold.pair_both_help")),
        )


def _side(store: Store, entry: GoldEntry, item: Item, key: str) -> None:
    """One of the two."""
    texts.show_conversation(item.history, f"{key}-before")
    texts.heading(say("gold.question"))
    texts.show(item.question, f"{key}-question")
    texts.heading(say("gold.reference"))
    shown.reference(entry, f"{key}-reference")
    st.text(texts.others(f"{say(f'gold.status_{entry.status.value}')} · {entries.origin(entry)}"))


def _differences(parts: Differing) -> list[str]:
    """What the two references differ in, a line each."""
    lines = []
    if parts.only_one or parts.only_other:
        differing = [
            texts.others(", ".join(numbers) or "—", "reference") for numbers in (parts.only_one, parts.only_other)
        ]
        lines.append(say("gold.differ_numbers", left=differing[0], right=differing[1]))
    if parts.is_yes_and_no:
        lines.append(say("gold.differ_yes_no"))
    if parts.is_denied:
        lines.append(say("gold.differ_denied"))
    lines.append(say("gold.differ_words", shared=parts.shared, words=parts.words))
    return lines


def pairs(store: Store, place: str) -> Sequence[NearPair] | None:
    """The near pairs that nobody has decided to keep, conflicts first; None where the user has not asked yet."""
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
