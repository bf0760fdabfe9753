"""The queue of questions without a reference for their wrong answers: one at a time, with a form that writes it and goes on.

What is on screen stays there until it is saved or skipped. Each question has a form of its own, so that a text that the browser
has not sent yet never stands below another question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from annotate.domain.gold import GoldEntry
from annotate.domain.gold.answers import UncoveredQuestion, answers_of
from annotate.pages.gold import actions, drafting, entries, form, reading, shown
from annotate.pages.kit import actor, texts, url_state
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import marked, say
from annotate.store import Store

HARM, ITEM = "harm", "item"
EVERY, SERIOUS = "all", "serious"


class QuestionOnScreen(NamedTuple):
    """What is on screen: the rows of the wrong answers to one question, and whether they still need a reference."""

    answers: tuple[int, ...]
    is_waiting: bool


def head(line: PageHead, waiting: Sequence[UncoveredQuestion]) -> None:
    """How many questions need a reference, how many wrong answers they have, and what to do."""
    serious = sum(question.is_serious for question in waiting)
    if not waiting:
        line.answer(Tone.UNKNOWN, say("gold_write.sentence_none"), say("gold_write.none"))
        return
    key = "gold_write.sentence_serious" if serious else "gold_write.sentence"
    sentence = say(key, count=serious, answers=answers_of(waiting))
    line.answer(Tone.UNKNOWN, sentence, say("gold_write.left", count=len(waiting)))


def show(store: Store, waiting: Sequence[UncoveredQuestion]) -> None:
    """The question that the address names by an item, the one on screen, or the first of the queue that was not skipped.

    On the left what is to be read, on the right the form, which stays in sight.
    """
    form.say_saved()
    left, right = st.columns([3, 2], gap="medium")
    with left:
        only_serious = _only_serious(store, sum(question.is_serious for question in waiting))
    chosen = _chosen(store, waiting, only_serious=only_serious)
    if chosen is None:
        with left:
            wanted = [question for question in waiting if question.is_serious or not only_serious]
            _nothing(len(wanted), is_narrowed=only_serious)
        return
    answers = chosen.answers
    drafting.put_on_screen(store, answers)
    items = store.traffic.items.read(answers)
    references = store.gold.answers.references(answers[0])
    with left:
        with st.container():
            if not chosen.is_waiting:
                _say_overtaken(store, answers[0], references)
        with st.container(key="reading"):
            reading.show(store, {row: items[row] for row in answers})
    with right:
        # Who was overtaken and saves sees both texts: they have not written a second reference knowingly.
        form.show(store, {row: items[row] for row in answers}, references if chosen.is_waiting else ())


def _chosen(store: Store, waiting: Sequence[UncoveredQuestion], *, only_serious: bool) -> QuestionOnScreen | None:
    """What to show; the answer that was named, or that was on screen, comes first of its question."""
    screen, kept = drafting.on_screen(), _overtaken(store)
    row = _asked(store, {*kept, *(item for question in waiting for item in question.items)})
    row = row or (screen.row if screen else None)
    if row is None:
        ready: list[tuple[int, ...]] = [(item,) for item in kept]
        ready += [question.items for question in waiting if question.is_serious or not only_serious]
        row = next((items[0] for items in ready if not drafting.skipped().intersection(items)), None)
    if row is None:
        return None
    of_it = next((question.items for question in waiting if row in question.items), None)
    if of_it is None:
        return QuestionOnScreen((row,), is_waiting=False)
    return QuestionOnScreen((row, *(item for item in of_it if item != row)), is_waiting=True)


def _overtaken(store: Store) -> list[int]:
    """What this person has drafts for and somebody else was quicker with; what is being decided stands above already."""
    who = actor.name_given()
    decided = {conflict.item for conflict in actions.conflicts().values()}
    return [item for item in store.gold.drafts.overtaken(who) if item not in decided] if who else []


def _asked(store: Store, known: set[int]) -> int | None:
    """The item that the address names, if it is one to write for."""
    if (name := url_state.get(ITEM)) is None:
        return None
    row = store.traffic.items.keys([name]).get(name)
    screen = drafting.on_screen()
    if row in known or (screen is not None and row == screen.row):
        return row
    url_state.not_known(ITEM, texts.others(name))
    return None


def _only_serious(store: Store, serious: int) -> bool:
    """Whether the user wants what is seriously harmful alone; asked where there is any."""
    if not serious:
        return False
    words = {EVERY: say("gold_write.harm_all"), SERIOUS: say("gold_write.harm_serious", count=serious)}
    chosen = url_state.segmented(
        say("gold_write.harm"),
        words,
        HARM,
        default=EVERY,
        then=partial(drafting.leave, store),
        label_visibility="collapsed",
    )
    return chosen == SERIOUS


def _nothing(wanted: int, *, is_narrowed: bool) -> None:
    """Why there is no item on screen; where all have a reference the head says so."""
    if wanted:
        st.caption(marked("gold_write.skipped", count=wanted))
        st.button(say("gold_write.again"), on_click=drafting.skipped().clear, key="reference-again")
    elif is_narrowed:
        st.caption(say("gold_write.no_serious"))


def _say_overtaken(store: Store, row: int, references: Sequence[GoldEntry]) -> None:
    """Somebody was quicker while this one was on screen: said before the user writes on, with what they wrote."""
    st.warning(say("gold_write.overtaken"), title=say("gold_write.overtaken_title"))
    for entry in references:
        with st.container(border=True):
            shown.reference(entry, f"queue-held-{entry.gold_id}")
            st.text(texts.others(entries.origin(entry)))
    st.button(say("gold_write.go_on"), on_click=drafting.skip, args=(store, (row,)), key="reference-go-on")
