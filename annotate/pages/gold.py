"""What do we know for sure? First what changed behind the gold set, then missing references, candidates, the set, releases."""

from __future__ import annotations

import streamlit as st

from annotate.gold import GoldStatus
from annotate.pages import (
    acting,
    gold_actions,
    gold_candidates,
    gold_entries,
    gold_flags,
    gold_releases,
    references,
    texts,
)
from annotate.pages.gold_paging import paged
from annotate.pages.steps import for_store, next_step
from annotate.report import build
from annotate.store import Store
from annotate.store.policies import Policy

MEANINGS = {
    GoldStatus.CANDIDATE: ("Candidates", "References that nobody has reviewed yet."),
    GoldStatus.ACCEPTED: ("Gold set", "References that a person has accepted."),
    GoldStatus.RETIRED: ("Retired", "Taken out; they and their history are kept."),
}
MISSING = "Answers that people call wrong, without a right one beside them."


def show(store: Store) -> None:
    """The page."""
    title, name = st.columns([3, 1], vertical_alignment="bottom")
    title.title("What do we know for sure?")
    with name:
        acting.ask_who()
    acting.say_news()
    gold_actions.say_refusal()
    counts = store.gold.counts()
    missing, flagged = len(store.gold.without_reference()), len(store.gold.flagged())
    _counts(missing, counts)
    if not missing and not any(counts.values()):
        _begin(store)
        return
    _standing(store)
    if flagged:
        st.subheader(f"Changed after acceptance: {flagged:,}", anchor=False)
        gold_flags.show(store)
    st.subheader("Wrong answers that need a reference", anchor=False)
    references.show(store)
    st.subheader("Candidates to review", anchor=False)
    gold_candidates.show(store, counts[GoldStatus.CANDIDATE])
    st.subheader("The gold set", anchor=False)
    _accepted(store, counts[GoldStatus.ACCEPTED])
    st.subheader("Releases", anchor=False)
    gold_releases.show(store, counts[GoldStatus.ACCEPTED])
    if counts[GoldStatus.RETIRED]:
        st.caption(f"{counts[GoldStatus.RETIRED]:,} retired entries are kept with their history; this lists them:")
        st.code(for_store("assay gold list --status retired", store.path), language=None)


def _counts(missing: int, counts: dict[GoldStatus, int]) -> None:
    """How many items stand where."""
    with st.grid(4):
        st.metric("Need a reference", f"{missing:,}", border=True, help=MISSING)
        for status, (words, meaning) in MEANINGS.items():
            st.metric(words, f"{counts[status]:,}", border=True, help=meaning)


def _standing(store: Store) -> None:
    """What else a reader should know of the set as a whole."""
    lines = []
    if lacking := store.gold.count_lacking():
        lines.append(f"{lacking:,} are marked: the knowledge base lacks this.")
    if store.policies.is_on(Policy.SECOND_PERSON):
        lines.append("The team asks for a second person: nobody accepts a reference of their own.")
    if lines:
        texts.small(lines)


def _begin(store: Store) -> None:
    """What to do where no label has offered anything yet."""
    st.info("The gold set grows out of labels, and none has offered a reference yet.", title="Nothing here yet")
    step = next_step(build(store, now=acting.now()))
    st.markdown(texts.escaped(step.words))
    st.code("\n".join(for_store(command, store.path) for command in step.commands), language=None)


def _accepted(store: Store, count: int) -> None:
    """The accepted entries, a page at a time, and the file with all of them."""
    if not count:
        st.caption("Nothing yet: accept a candidate above.")
        return
    gold_releases.download_accepted(store, count)
    for entry, item in paged(store, GoldStatus.ACCEPTED, count):
        with st.container(border=True, gap="xsmall"):
            gold_entries.show(entry, item, [] if entry.flag is None else [f"flagged: {entry.flag}"])
            with st.container(horizontal=True, vertical_alignment="center"):
                gold_entries.history_popover(store, entry, "accepted")
                gold_entries.edit_popover(store, entry, "accepted")
                with st.popover("Retire"):
                    gold_entries.retire_form(store, entry)
                gold_entries.mark_box(store, entry)
