"""What do we know for sure? One part at a time: write references, review, the set, pairs, growth, releases.

Only the part that the user is on is worked out; which one it is stands in the address.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from annotate.analysis.gold.coverage import Coverage
from annotate.domain.gold import GoldStatus
from annotate.domain.gold.answers import UncoveredQuestion, answers_of
from annotate.pages.gold import actions, candidates, conflicts, exports, flags, growth, pairs, queue, releases
from annotate.pages.kit import draw, layout, texts, url_state
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import render, say
from annotate.present.gold import coverage as gold_coverage
from annotate.store import Store
from annotate.store.audit.policies import Policy

PART, FIRST = "part", "gold-first-part"
WRITE, REVIEW, SET, PAIRS, GROWTH, RELEASES = "write", "review", "set", "pairs", "growth", "releases"
PARTS = (WRITE, REVIEW, SET, PAIRS, GROWTH, RELEASES)


class EntryCounts(NamedTuple):
    """How many entries stand where, and how many questions need a reference for how many wrong answers."""

    missing: int
    answers: int
    flagged: int
    candidates: int
    accepted: int
    retired: int


def show(store: Store) -> None:
    """The page."""
    waiting = store.gold.statistics.waiting()
    now = _standing(store, waiting)
    if not any(now):
        layout.title("gold")
        layout.nothing(store, say("gold.nothing"))
        return
    left, right = st.columns([10, 9], vertical_alignment="center")
    with right, st.container(horizontal=True, horizontal_alignment="right", key="gold-parts"):
        part = _choose(now)
    with left:
        head = layout.title("gold_write" if part == WRITE else "gold")
    # What comes and goes stands in a box of its own: all below keeps its place, and the cursor in the form with it.
    with st.container():
        if part != WRITE:
            actions.say_refusal()
        conflicts.show(store)
    if part == WRITE:
        queue.head(head, waiting)
        with st.container(key="gold-write"):
            queue.show(store, waiting)
        return
    is_counted = store.gold.statistics.is_counted()
    if is_counted:
        _answer(head, now, growth.coverage(store))
    else:  # every question of the traffic has to be read: the rest of the page does not wait for it
        head.answer(
            Tone.UNKNOWN, say("gold.answer_soon", accepted=now.accepted, missing=now.missing, answers=now.answers)
        )
    _cards(now)
    with st.container():
        _notes(store)
    with st.container(key=f"gold-{part}"):
        _part(store, part, now)
    if not is_counted:
        _answer(head, now, growth.coverage(store))


def _standing(store: Store, waiting: Sequence[UncoveredQuestion]) -> EntryCounts:
    counts = store.gold.counts()
    return EntryCounts(
        len(waiting),
        answers_of(waiting),
        len(store.gold.flagged()),
        counts[GoldStatus.CANDIDATE],
        counts[GoldStatus.ACCEPTED],
        counts[GoldStatus.RETIRED],
    )


def _answer(head: PageHead, now: EntryCounts, coverage: Coverage) -> None:
    """What is known for sure, of how much of the traffic, and what is missing."""
    document = gold_coverage.document(coverage, missing=now.missing, flagged=now.flagged, candidates=now.candidates)
    head.answer(draw.TONES[document.status], render(document.answer))


def _cards(now: EntryCounts) -> None:
    """How many stand where."""
    with st.grid(4):
        for name in ("missing", "candidates", "accepted", "retired"):
            st.metric(
                say(f"gold.card_{name}"),
                f"{getattr(now, name):,}",
                border=True,
                help=say(f"gold.card_{name}_help"),
            )


def _notes(store: Store) -> None:
    """What else a user should know of the set as a whole."""
    lines = []
    if lacking := store.gold.count_lacking():
        lines.append(say("gold.lacking", count=lacking))
    if store.audit.policies.is_on(Policy.SECOND_PERSON):
        lines.append(say("gold.second_person"))
    if lines:
        texts.small(lines)


def _choose(now: EntryCounts) -> str:
    """The part that the user is on; at first the one that has work waiting."""
    first = WRITE if now.missing else REVIEW if now.flagged or now.candidates else SET
    counts = {REVIEW: now.flagged + now.candidates, SET: now.accepted}
    words = {name: " ".join([say(f"gold.part_{name}"), *_count(counts.get(name, 0))]) for name in PARTS}
    default = st.session_state.setdefault(FIRST, first)
    return url_state.segmented(say("gold.part"), words, PART, default=default, label_visibility="collapsed")


def _count(number: int) -> list[str]:
    return [f"{number:,}"] if number else []


def _part(store: Store, part: str, now: EntryCounts) -> None:
    if part == REVIEW:
        if now.flagged:
            flags.show(store)
        layout.heading("gold.candidates")
        candidates.show(store, now.candidates)
    elif part == SET:
        layout.heading("gold.accepted_title")
        candidates.show_accepted(store, now.accepted, now.retired)
    elif part == PAIRS:
        layout.heading("gold.pairs")
        pairs.show(store)
    elif part == GROWTH:
        growth.show(store)
    else:
        layout.heading("gold.export")
        exports.show(store, now.accepted)
        layout.heading("gold.releases")
        releases.show(store, now.accepted, now.flagged)
