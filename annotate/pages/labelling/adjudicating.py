"""What waits for a person to adjudicate it: one item at a time with both answers, authors hidden.

No score, verdict or stratum stands here. What is on screen stays there until it is saved or put off, so that a form that somebody
has overtaken is never lost silently.
"""

from __future__ import annotations

import streamlit as st

from annotate.domain.adjudication import AdjudicationCase
from annotate.domain.annotation import Annotation
from annotate.domain.identity import is_among
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, adjudication, reruns, texts
from annotate.pages.kit.adjudication import AdjudicationOnScreen
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.pages.labelling import decision
from annotate.store import Store
from annotate.workflow.labelling import adjudicate
from proxy.errors import AssayError
from proxy.records import Item, Judgement

LATER = "adjudicate-later"
NEWEST = 10
REFUSED = "take-back-refused-"


def show(store: Store, who: str) -> None:
    """The first of the queue that was not put off and that this person has not read."""
    waiting = store.labels.adjudication.waiting()
    on_screen = adjudication.on_screen()
    if not waiting and on_screen is None:
        st.caption(say("labelling.none_waits"))
        return
    if not who:
        st.caption(say("labelling.to_adjudicate", count=len(waiting)))
        st.info(say("labelling.name_first"))
        return
    put_off: set[int] = st.session_state.setdefault(LATER, set())
    others = [case for case in waiting if not is_among(who, case.annotators)]
    ready = [case for case in others if case.item not in put_off]
    _count(len(waiting), len(waiting) - len(others))
    if on_screen is None and ready:
        on_screen = adjudication.put_on_screen(ready[0])
    current = store.labels.adjudication.of_item(on_screen.item) if on_screen else None
    if on_screen and current and not is_among(who, current.annotators):
        _case(store, current, on_screen, who, put_off)
        return
    adjudication.take_off_screen()
    if on_screen:
        st.rerun()
    if others:
        st.caption(say("labelling.all_put_off", count=len(others)))
        st.button(say("labelling.begin_again"), on_click=put_off.clear, key="adjudicate-again")


def _count(waiting: int, own: int) -> None:
    """How many wait, and how many of them for somebody else."""
    words = [say("labelling.to_adjudicate_first", count=waiting)]
    if own:
        words.append(say("labelling.own", count=own))
    st.caption(" ".join(words))


def _case(store: Store, case: AdjudicationCase, on_screen: AdjudicationOnScreen, who: str, put_off: set[int]) -> None:
    """One item: why it waits, what was asked and answered, what annotators say, and the form."""
    key = f"adjudicate-{case.item}"
    item = store.traffic.items.get(case.item)
    if case.seen != on_screen.seen:
        why = adjudicate.OVERTAKEN if case.was_adjudicated_last else adjudicate.CHANGED
        st.warning(escaped(why), title=say("labelling.changed"))
        st.button(say("labelling.go_on"), on_click=_leave, key=f"{key}-go-on")
    if case.is_serious:
        st.error(say("labelling.harmful"), icon=":material/warning:")
    st.markdown(f"**{escaped(_why(case))}**")
    left, right = st.columns([3, 2], gap="large")
    with left:
        _texts(item, key)
        _readings(case, key)
        decision.show(store, case, on_screen.seen, _saved)
        st.button(
            say("labelling.later"),
            on_click=_put_off,
            args=(case.item, put_off),
            key=f"{key}-later",
            help=say("labelling.later_help"),
        )
    with right:
        texts.heading(say("labelling.had_found"))
        texts.show_passages(item, key)


def _why(case: AdjudicationCase) -> str:
    """Why the item waits, in a sentence."""
    words = say(f"labelling.why_{case.why.name.lower()}") if case.why else say("labelling.why_nothing")
    return say("labelling.passed_over", why=words, count=case.skips) if case.skips else f"{words}."


def _texts(item: Item, key: str) -> None:
    """What was asked and answered."""
    texts.show_conversation(item.history, key)
    for name, text in (("question", item.question), ("answered", item.answer)):
        texts.heading(say(f"labelling.the_{name}"))
        with st.container(border=True):
            texts.show(text, f"{key}-{name}")


def _readings(case: AdjudicationCase, key: str) -> None:
    """What each annotator says, side by side, and what was adjudicated before."""
    named_readings = [(decision.annotator(place), reading) for place, reading in enumerate(case.readings)]
    for start in range(0, len(named_readings), 3):
        row = named_readings[start : start + 3]
        for column, (place, (name, reading)) in zip(
            st.columns(len(row), gap="small"), enumerate(row, start=start), strict=True
        ):
            with column:
                _reading(name, reading, f"{key}-{place}")
    if case.adjudicated is not None:
        _reading(say("labelling.adjudicated_before"), case.adjudicated, f"{key}-adjudicated")


def _reading(name: str, reading: Annotation, key: str) -> None:
    """One annotator's answer, without the name."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.markdown(f"**{escaped(name)}**: {escaped(decision.judgement_words(reading.judgement))}")
        marks = [decision.cause_words(cause) for cause in reading.causes]
        if reading.harm:
            marks.append(say("labelling.harm", harm=decision.harm_words(reading.harm)))
        if marks:
            texts.small([", ".join(marks)])
        for part, field, text in (("why", "rationale", reading.rationale), ("should", "reference", reading.reference)):
            if text:
                texts.heading(say(f"labelling.said_{part}"))
                texts.show(text, f"{key}-{part}", field)


def _saved(item: int, judgement: Judgement) -> None:
    """Take the item off the screen; one that was left open comes back only on demand."""
    if judgement is Judgement.UNSURE:
        st.session_state[LATER].add(item)
    _leave()


@reruns.whole
def _leave() -> None:
    """Take the item off the screen."""
    adjudication.take_off_screen()


@reruns.whole
def _put_off(item: int, put_off: set[int]) -> None:
    put_off.add(item)
    _leave()


def show_adjudicated(store: Store, count: int) -> None:
    """The newest, on demand."""
    if not count or not st.toggle(say("labelling.show_adjudicated", count=count), key="adjudicated-shown"):
        return
    adjudicated = store.labels.adjudication.adjudicated()[:NEWEST]
    if count > NEWEST:
        st.caption(say("labelling.newest", count=NEWEST))
    items = store.traffic.items.read([case.item for case in adjudicated])
    for case in adjudicated:
        if case.adjudicated is None:
            continue
        with st.container(border=True, gap="xsmall"):
            texts.show_conversation(items[case.item].history, f"adjudicated-{case.item}")
            texts.show(items[case.item].question, f"adjudicated-{case.item}-question")
            judgement = decision.judgement_words(case.adjudicated.judgement)
            st.markdown(f"**{escaped(judgement)}**")
            texts.show(case.adjudicated.rationale or "", f"adjudicated-{case.item}-why", "rationale")
            about = (
                case.adjudicated.annotator,
                texts.moment(case.adjudicated.at),
                say("labelling.item", item=case.item_id),
            )
            texts.show(" · ".join(about), f"adjudicated-{case.item}-who")
            with st.popover(say("labelling.take_back"), help=say("labelling.take_back_help")):
                why = f"take-back-why-{case.item}"
                st.text_input(say("labelling.take_back_why"), key=why)
                st.button(
                    say("labelling.take_back"),
                    key=f"take-back-{case.item}",
                    on_click=_take_back,
                    args=(store, case, why),
                    **actor.lock(Act.ADJUDICATE),
                )
                if refused := reruns.pending_message(f"{REFUSED}{case.item}"):
                    st.error(escaped(refused), title=say("labelling.not_taken_back"))


@actor.writes(Act.ADJUDICATE)
def _take_back(store: Store, case: AdjudicationCase, why_key: str) -> None:
    """Let the readings decide again, or say why not; a second click finds that they do."""
    current = store.labels.adjudication.of_item(case.item)
    if current is None or current.adjudicated is None:
        return
    why = str(st.session_state.get(why_key) or "")
    try:
        adjudicate.take_back(store, case.item, why, who=actor.who(), now=actor.now())
    except AssayError as error:
        reruns.tell(f"{REFUSED}{case.item}", str(error))
        return
    actor.tell(say("labelling.taken_back", item=case.item_id), instead_of=f"{REFUSED}{case.item}")
