"""The queue of wrong answers without a reference: one at a time, with a form that writes it and goes on to the next.

What is on screen stays there until it is saved or put off. Saving keeps the form and the cursor in it for the next item; any
other way on gives a new form, so that a text that the browser has not sent yet never stands below another question.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from annotate.domain.gold import GoldSource, Overtaken
from annotate.domain.message import Listing
from annotate.pages.gold import actions, entries, shown
from annotate.pages.gold.actions import Conflict
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import layout, privacy, reruns, texts, url_state
from annotate.pages.kit.messages import marked, say, told
from annotate.present.gold import coverage as gold_coverage
from annotate.store import Store
from annotate.workflow.gold import review
from annotate.workflow.gold.review import Actor
from proxy.records import Item, Label

LATER, ON_SCREEN, DRAFTS, LAST = "references-for-later", "reference-on-screen", "reference-drafts", "reference-last"
TEXT, NOTE, LACKS, FORM = "reference-text", "reference-note", "reference-lacks", "reference-form"
HARM = "harm"
EVERY, SERIOUS = "all", "serious"
FORM_HEIGHT = 110


class Draft(NamedTuple):
    """What stands in the form."""

    text: str = ""
    note: str = ""
    lacks: bool = False


class Saved(NamedTuple):
    """The item that was saved last, and its text."""

    row: int
    text: str


def show(store: Store) -> None:
    """The item on screen, or the first of the queue that was not put off."""
    waiting = store.gold.statistics.waiting()
    put_off: set[int] = st.session_state.setdefault(LATER, set())
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        layout.heading("gold.write_title", count=len(waiting))
        only_serious = _only_serious(sum(entry.is_serious for entry in waiting))
    wanted = [entry.item for entry in waiting if entry.is_serious or not only_serious]
    row: int | None = st.session_state.get(ON_SCREEN)
    ready = [item for item in wanted if item not in put_off]
    if row is None and ready:
        row = _put_on_screen(ready[0])
    if row is None:
        _nothing(len(waiting), len(wanted))
        return
    _one(store, row, is_open=any(entry.item == row for entry in waiting))


def _only_serious(serious: int) -> bool:
    """Whether the user wants what is seriously harmful alone; asked where there is any."""
    if not serious:
        return False
    words = {EVERY: say("gold.harm_all"), SERIOUS: say("gold.harm_serious", count=serious)}
    chosen = url_state.segmented(
        say("gold.harm"), words, HARM, default=EVERY, then=_leave, label_visibility="collapsed"
    )
    return chosen == SERIOUS


def _nothing(waiting: int, wanted: int) -> None:
    """Why there is no item on screen."""
    if not waiting:
        st.caption(say("gold.queue_empty"))
    elif not wanted:
        st.caption(say("gold.queue_no_serious"))
    else:
        st.caption(marked("gold.queue_put_off", count=wanted))
        st.button(say("gold.queue_again"), on_click=st.session_state[LATER].clear, key="reference-again")


def _put_on_screen(row: int) -> int:
    """Show an item with what was typed for it before."""
    draft: Draft = st.session_state.setdefault(DRAFTS, {}).get(row, Draft())
    for name, value in zip((TEXT, NOTE, LACKS), draft, strict=True):
        st.session_state[_key(name)] = value
    st.session_state[ON_SCREEN] = row  # last: a run that is cut short here begins with it anew
    return row


def _key(name: str) -> str:
    """The key of a field in the form that is on screen."""
    return f"{name}-{st.session_state.get(FORM, 0)}"


def _one(store: Store, row: int, *, is_open: bool) -> None:
    """One item: what was asked, answered and called wrong; the form beside it, and the passages below."""
    item, label = store.traffic.items.get(row), store.labels.of_item(row)
    with st.container():
        if not is_open:
            _overtaken(store, row)
    left, right = st.columns(2, gap="large")
    with left:
        _texts(item, label, f"queue-{row}")
    with right:
        _form(store, row, item)
    texts.heading(say("gold.queue_passages"))
    texts.show_passages(item.contexts, f"queue-{row}")


def _overtaken(store: Store, row: int) -> None:
    """Somebody adjudicated this one while it was on screen: said before the user writes on, with what they wrote."""
    st.warning(say("gold.queue_overtaken"), title=say("gold.queue_overtaken_title"))
    held = store.gold.of_item(row)
    if held:
        with st.container(border=True):
            shown.reference(held, f"queue-held-{row}")
            st.text(texts.others(entries.origin(held)))
    st.button(say("gold.queue_go_on"), on_click=_leave, key="reference-go-on")


def _texts(item: Item, label: Label | None, key: str) -> None:
    """What was asked and answered, and why a person calls it wrong."""
    if label is not None and label.harm == "serious":
        st.markdown(f":material/warning: **{say('gold.queue_serious')}**")
    texts.show_conversation(item.history, key)
    parts = (
        ("question", item.question, ()),
        ("answer", item.answer, ()),
        ("why", label.rationale if label else None, ("rationale",)),
    )
    for name, text, fields in parts:
        if text is not None:
            texts.heading(say(f"gold.queue_{name}"))
            with st.container(border=True):
                texts.show(text, f"{key}-{name}", *fields)
    if label is not None and label.causes:
        texts.small([told(Listing(tuple(map(gold_coverage.cause, label.causes))))])


def _form(store: Store, row: int, item: Item) -> None:
    """The form, with the reference that came with the traffic as a proposal: a person takes it over, or writes another."""
    proposed = "" if privacy.hides("reference") else (item.reference or "").strip()
    if proposed:
        texts.heading(say("gold.proposed"))
        with st.container(border=True):
            texts.show(proposed, f"queue-{row}-proposed", "reference")
    with st.form("reference"):
        st.text_area(say("gold.write"), key=_key(TEXT), height=FORM_HEIGHT, help=say("gold.write_help"))
        st.text_input(say("gold.note"), key=_key(NOTE), help=say("gold.note_help"))
        st.checkbox(say("gold.lacks"), key=_key(LACKS), help=say("gold.lacks_help"))
        with st.container(horizontal=True):
            st.form_submit_button(
                say("gold.save"), type="primary", key="reference-save", on_click=_save, args=(store, row, item.id)
            )
            if proposed:
                # After Save, which Ctrl+Enter presses; of this item alone, so that a second press takes no other unread.
                st.form_submit_button(
                    say("gold.take"),
                    key=f"reference-take-{row}",
                    on_click=_save,
                    args=(store, row, item.id, proposed),
                    help=say("gold.take_help"),
                )
            st.form_submit_button(
                say("gold.later"),
                key="reference-later",
                on_click=_put_off,
                args=(row,),
                help=say("gold.later_help"),
            )


def _draft() -> Draft:
    """What stands in the form now."""
    text, note, lacks = (st.session_state.get(_key(name)) for name in (TEXT, NOTE, LACKS))
    return Draft(str(text or ""), str(note or ""), bool(lacks))


@reruns.whole
def _put_off(row: int) -> None:
    st.session_state[LATER].add(row)
    st.session_state[DRAFTS][row] = _draft()
    _leave()


@reruns.whole
def _leave() -> None:
    """Take the item off the screen, and the form with it."""
    st.session_state.pop(ON_SCREEN, None)
    st.session_state[FORM] = st.session_state.get(FORM, 0) + 1


@kit_actor.writes
def _save(store: Store, row: int, item_id: str, proposed: str = "") -> None:
    """Write the reference, what is `proposed` before what was typed, and go on; or say why not and keep what was typed."""
    draft = _draft()
    text, note = proposed or draft.text.strip(), draft.note.strip() or None
    if proposed and draft.text.strip():
        reruns.tell(actions.REFUSED, say("gold.take_or_write"))
        return
    last: Saved | None = st.session_state.pop(LAST, None)
    if text and not proposed and last and last.text == text and last.row != row:
        # A key pressed twice sends the same form again when the next item may stand there already.
        reruns.tell(actions.REFUSED, say("gold.queue_same"))
        return

    def act() -> str:
        gold_id = write(store, row, item_id, text, actions.actor(), lacks_knowledge=draft.lacks, why=note)
        return say("gold.done_written", gold_id=gold_id)

    def mine() -> Conflict:
        _leave()
        held = store.gold.of_item(row)
        return Conflict(held.gold_id if held else "", text, note)

    if actions.attempt(act, mine):
        st.session_state[LAST] = Saved(row, text)
        st.session_state[DRAFTS].pop(row, None)
        st.session_state.pop(ON_SCREEN, None)


def write(
    store: Store,
    row: int,
    item_id: str,
    text: str,
    actor: Actor,
    *,
    lacks_knowledge: bool = False,
    why: str | None = None,
) -> str:
    """Put the reference into the gold set; refused if it is blank, nobody signs it, or another was quicker.

    The same text by the same person again is the same reference.
    """
    actor.checked()
    with store.atomic(durable=True):
        held = store.gold.of_item(row)
        is_mine = held is not None and (held.reference, held.annotator) == (text.strip(), actor.who)
        if not is_mine and row not in store.gold.without_reference():
            raise Overtaken(say("gold.overtaken"))
        return review.write(
            store, row, item_id, text, GoldSource.APP, actor, lacks_knowledge=lacks_knowledge or None, why=why
        )
