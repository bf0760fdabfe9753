"""What waits for a person to settle it: one item at a time with both answers, authors hidden, and the form that decides.

No score, verdict or stratum stands here. What is on screen stays there until it is saved or put off, so that a form that somebody
has overtaken is never lost silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from annotate import settling
from annotate.adjudication import Case, Decision, name_of
from annotate.labels import CAUSES, HARMS, Annotation
from annotate.names import is_among
from annotate.pages import acting, texts
from annotate.store import Store
from proxy.errors import AssayError
from proxy.records import Item, Judgement

LATER, ON_SCREEN = "settle-later", "settle-on-screen"
FORM_HEIGHT = 120
NO_REFERENCE, OF = "None", "The one of "
NOT_SAID = "not said"
CHOICES = {
    Judgement.RIGHT: "Right",
    Judgement.WRONG: "Wrong",
    Judgement.UNSURE: "Unsure: leave it open",
}


class Shown(NamedTuple):
    """The item on screen and the last entry of its log that was seen."""

    item: int
    seen: int


def show(store: Store, who: str) -> None:
    """The first of the queue that was not put off and that this person has not read."""
    waiting = store.cases.waiting()
    if not waiting and ON_SCREEN not in st.session_state:
        st.caption("None: no draw has readers who disagree, and none is left unsure.")
        return
    if not who:
        st.caption(f"{len(waiting):,} to settle.")
        st.info(
            "Give your name above to begin: nobody settles what they have read, and every decision is kept with its author."
        )
        return
    put_off: set[int] = st.session_state.setdefault(LATER, set())
    others = [one for one in waiting if not is_among(who, one.readers)]
    ready = [one for one in others if one.item not in put_off]
    _count(len(waiting), len(waiting) - len(others))
    on_screen: Shown | None = st.session_state.get(ON_SCREEN)
    if on_screen is None and ready:
        on_screen = st.session_state[ON_SCREEN] = Shown(ready[0].item, ready[0].seen)
    found = store.cases.of_item(on_screen.item) if on_screen else None
    if on_screen and found and not is_among(who, found.readers):
        _one(store, found, on_screen, who, put_off)
        return
    st.session_state.pop(ON_SCREEN, None)
    if on_screen:
        st.rerun()
    if others:
        st.caption(f"You have put off all {len(others):,} for later.")
        st.button("Begin again", on_click=put_off.clear, key="settle-again")


def _count(waiting: int, own: int) -> None:
    """How many wait, and how many of them for somebody else."""
    words = f"{waiting:,} to settle, serious harm first."
    if own:
        words += f" You have read {own:,} of them yourself: somebody who has not must settle those."
    st.caption(words)


def _one(store: Store, found: Case, on_screen: Shown, who: str, put_off: set[int]) -> None:
    """One item: why it waits, what was asked and answered, what readers say, and the form."""
    key = f"settle-{found.item}"
    item = store.items.get(found.item)
    if found.seen != on_screen.seen:
        st.warning(
            settling.OVERTAKEN if found.was_settled_last else settling.CHANGED, title="Changed since you opened it"
        )
        st.button("Go on", on_click=_leave, key=f"{key}-go-on")
    if found.is_serious:
        st.error("A reader marks this answer as seriously harmful.", icon=":material/warning:")
    st.markdown(f"**{_why(found)}**")
    left, right = st.columns([3, 2], gap="large")
    with left:
        _texts(item, key)
        _readings(found, key)
        _form(store, found, on_screen, who)
        st.button(
            "Later",
            on_click=_put_off,
            args=(found.item, put_off),
            key=f"{key}-later",
            help="Shows the next one; this one stays in the queue.",
        )
    with right:
        texts.heading("What the app had found")
        texts.show_passages(item.contexts, key)


def _why(found: Case) -> str:
    """Why the item waits, in a sentence."""
    words = str(found.why or "nothing waits here any more")
    skips = f"; {found.skips:,} passed it over" if found.skips else ""
    return f"{words[:1].upper()}{words[1:]}{skips}."


def _texts(item: Item, key: str) -> None:
    """What was asked and answered."""
    if item.history:
        texts.heading("Before that")
        texts.show_conversation(item.history, key)
    for words, text in (("The question", item.question), ("The app answered", item.answer)):
        texts.heading(words)
        with st.container(border=True):
            texts.show(text, f"{key}-{words}")


def _readings(found: Case, key: str) -> None:
    """What each reader says, side by side, and what was settled before."""
    said = [(name_of(place), one) for place, one in enumerate(found.readings)]
    for start in range(0, len(said), 3):
        for column, (name, one) in zip(
            st.columns(len(said[start : start + 3]), gap="small"), said[start : start + 3], strict=True
        ):
            with column:
                _reading(name, one, f"{key}-{name}")
    if found.settled is not None:
        word = "left open" if found.settled.judgement is Judgement.UNSURE else str(found.settled.judgement)
        _reading(f"Settled before: {word}", found.settled, f"{key}-settled")


def _reading(name: str, one: Annotation, key: str) -> None:
    """One reader's answer, without the name."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.markdown(f"**{name}**: {one.judgement}")
        marks = [cause.replace("_", " ") for cause in one.causes] + ([f"harm: {one.harm}"] if one.harm else [])
        if marks:
            texts.small([", ".join(marks)])
        for words, text in (("Why", one.rationale), ("What it should have said", one.reference)):
            if text:
                texts.heading(words)
                texts.show(text, f"{key}-{words}")


def _form(store: Store, found: Case, on_screen: Shown, who: str) -> None:
    """The decision; what was typed stays where it is refused."""
    key = f"settle-form-{found.item}-{on_screen.seen}"
    references = {name_of(place): one.reference for place, one in enumerate(found.readings) if one.reference}
    options = [NO_REFERENCE, *(f"{OF}{name}" for name in references)]
    with st.form(key):
        label = st.radio(
            "What is it?",
            list(CHOICES),
            format_func=lambda one: CHOICES[one],
            index=None,
            horizontal=True,
            key=f"{key}-label",
        )
        why = st.text_area("Why? (kept with the label)", key=f"{key}-why", height=FORM_HEIGHT)
        st.caption("If it is wrong:")
        chosen = st.selectbox("Reference answer", options, index=1 if references else 0, key=f"{key}-reference")
        text = st.text_area("Or what should the app have said? (counts instead)", key=f"{key}-text", height=FORM_HEIGHT)
        causes = st.multiselect("Causes", CAUSES, format_func=lambda one: one.replace("_", " "), key=f"{key}-causes")
        harm = st.radio("How harmful could it be?", [NOT_SAID, *HARMS], horizontal=True, key=f"{key}-harm")
        is_sent = st.form_submit_button("Save and go on (Ctrl+Enter)", type="primary")
    if not is_sent:
        return
    if label is None:
        st.error("Choose right, wrong, or unsure to leave it open.", title="Not saved")
        return
    written = (text or "").strip() or None
    of_reader = references.get(str(chosen).removeprefix(OF)) if label is Judgement.WRONG else None
    decision = Decision(
        judgement=label,
        why=why or "",
        reference=written or of_reader,
        causes=tuple(causes),
        harm=None if harm in {None, NOT_SAID} else str(harm),
    )
    _save(store, found, on_screen, decision, who)


def _save(store: Store, found: Case, on_screen: Shown, decision: Decision, who: str) -> None:
    """Settle and go on, or say why not and keep what was typed."""
    try:
        settling.settle(store, on_screen.item, decision, who=who, now=acting.now(), seen=on_screen.seen)
    except AssayError as error:
        st.error(texts.escaped(str(error)), title="Not saved")
        return
    word = "left open" if decision.judgement is Judgement.UNSURE else f"{decision.judgement} now"
    if decision.judgement is Judgement.UNSURE:
        st.session_state[LATER].add(found.item)
    _leave()
    acting.tell(f"Saved: item {found.item_id} is {word}.")
    st.rerun()


def _leave() -> None:
    """Take the item off the screen."""
    st.session_state.pop(ON_SCREEN, None)


def _put_off(item: int, put_off: set[int]) -> None:
    put_off.add(item)
    _leave()


def settled(store: Store, who: str, found: Sequence[Case]) -> None:
    """What people settled, newest first, each with its reason; any may be taken back."""
    items = store.items.read([one.item for one in found])
    for one in found:
        if one.settled is None:
            continue
        with st.container(border=True, gap="xsmall"):
            texts.show(items[one.item].question, f"settled-{one.item}-question")
            texts.show(f"{one.settled.judgement}: {one.settled.rationale}", f"settled-{one.item}-why")
            texts.show(f"{one.settled.annotator} · item {one.item_id}", f"settled-{one.item}-who")
            with st.popover("Take back", help="The readers decide again, and the item comes back into the queue."):
                why = st.text_input("Why?", key=f"take-back-why-{one.item}")
                if st.button("Take back", key=f"take-back-{one.item}"):
                    _take_back(store, one, why or "", who)


def _take_back(store: Store, one: Case, why: str, who: str) -> None:
    try:
        settling.take_back(store, one.item, why, who=who, now=acting.now())
    except AssayError as error:
        st.error(texts.escaped(str(error)), title="Not taken back")
        return
    acting.tell(f"Taken back: the readers of item {one.item_id} decide again.")
    st.rerun()
