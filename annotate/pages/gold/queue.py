"""The queue of wrong answers without a reference: one at a time, with a form that writes it and goes on to the next.

What is on screen stays there until it is saved or skipped. Each item has a form of its own, so that a text that the browser has
not sent yet never stands below another question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotate.pages.gold import actions, drafting, entries, form, reading, shown
from annotate.pages.kit import actor, texts, url_state
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import marked, say
from annotate.store import Store
from annotate.store.gold.statistics import UncoveredItem

HARM, ITEM = "harm", "item"
EVERY, SERIOUS = "all", "serious"


def head(line: PageHead, waiting: Sequence[UncoveredItem]) -> None:
    """How many need a reference, and what to do."""
    serious = sum(entry.is_serious for entry in waiting)
    if not waiting:
        line.answer(Tone.UNKNOWN, say("gold_write.sentence_none"), say("gold_write.none"))
        return
    sentence = say("gold_write.sentence_serious", count=serious) if serious else say("gold_write.sentence")
    line.answer(Tone.UNKNOWN, sentence, say("gold_write.left", count=len(waiting)))


def show(store: Store, waiting: Sequence[UncoveredItem]) -> None:
    """The item that the address names, the one on screen, or the first of the queue that was not skipped.

    On the left what is to be read, on the right the form, which stays in sight.
    """
    form.say_saved()
    left, right = st.columns([3, 2], gap="medium")
    with left:
        only_serious = _only_serious(store, sum(entry.is_serious for entry in waiting))
    wanted = [entry.item for entry in waiting if entry.is_serious or not only_serious]
    kept = _overtaken(store)
    screen = drafting.on_screen()
    row = _asked(store, {*kept, *(entry.item for entry in waiting)}) or (screen.row if screen else None)
    ready = [item for item in (*kept, *wanted) if item not in drafting.skipped()]
    if row is None and ready:
        row = ready[0]
    if row is None:
        with left:
            _nothing(len(wanted), is_narrowed=only_serious)
        return
    drafting.put_on_screen(store, row)
    item = store.traffic.items.get(row)
    with left:
        with st.container():
            if not any(entry.item == row for entry in waiting):
                _say_overtaken(store, row)
        with st.container(key="reading"):
            reading.show(store, row, item)
    with right:
        form.show(store, row, item)


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


def _say_overtaken(store: Store, row: int) -> None:
    """Somebody adjudicated this one while it was on screen: said before the user writes on, with what they wrote."""
    st.warning(say("gold_write.overtaken"), title=say("gold_write.overtaken_title"))
    existing = store.gold.of_item(row)
    if existing:
        with st.container(border=True):
            shown.reference(existing, f"queue-held-{row}")
            st.text(texts.others(entries.origin(existing)))
    st.button(say("gold_write.go_on"), on_click=drafting.skip, args=(store, row), key="reference-go-on")
