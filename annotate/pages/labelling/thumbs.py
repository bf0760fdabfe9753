"""The thumbs-down inbox: what users said of which answer, and how far annotators are with it, newest first, in pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import ceil

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.domain.complaints import Complaint, ComplaintState, ComplaintTally
from annotate.domain.feedback import Feedback
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, cache, layout, reruns, texts, url_state
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.pages.labelling.decision import judgement_words
from annotate.pages.labelling.parts import open_part
from annotate.store import Store
from annotate.workflow.labelling import complaints
from proxy.errors import AssayError
from proxy.records import Item

FILTER, PAGE = "lf", "lp"
SIZE = 5
ALL = "all"
REFUSED = "aside-refused"


def show(store: Store, human_side: HumanSide, who: str) -> None:
    """How many there are, a choice of those that wait, and one page of them."""
    tally = cache.kept(store, "thumbs", store.traffic.complaints.tally)
    if not tally.all:
        st.caption(say("labelling.no_thumbs"))
        layout.commands(["assay feedback FILE"])
        return
    say_refusal()
    st.markdown(_sentence(tally))
    st.caption(say("labelling.thumbs_hint"))
    options = [
        ComplaintState.WAITING,
        *(state for state in ComplaintState if state is not ComplaintState.WAITING and tally.of(state)),
        ALL,
    ]
    words = {str(option): _filter_words(option, tally) for option in options}
    chosen = url_state.segmented(
        say("labelling.filter"), words, FILTER, default=ComplaintState.WAITING.value, label_visibility="collapsed"
    )
    state = None if chosen == ALL else ComplaintState(chosen)
    count = tally.all if state is None else tally.of(state)
    if not count:
        st.caption(say("labelling.none_here"))
        return
    if state is ComplaintState.WAITING:
        st.button(say("labelling.go_draw"), key="thumbs-draw", on_click=open_part, args=("draw",))
    _page(store, state, count)


def _sentence(tally: ComplaintTally) -> str:
    """What became of all of them."""
    return say(
        "labelling.thumbs_said",
        all=tally.all,
        waiting=tally.waiting,
        open=tally.open,
        labelled=tally.labelled,
        seen=tally.seen,
        wrong=tally.wrong,
        right=tally.right,
        unsure=tally.unsure,
    )


def _filter_words(option: str, tally: ComplaintTally) -> str:
    """A choice with how many it holds."""
    count = tally.all if option == ALL else tally.of(ComplaintState(option))
    return say("labelling.counted", words=say(f"labelling.thumb_{option}"), count=count)


def _page(store: Store, state: ComplaintState | None, count: int) -> None:
    """One page of answers."""
    pages, number = ceil(count / SIZE), 1
    if pages > 1:
        key = f"{PAGE}-{state.value if state else ALL}"
        number = min(st.pagination(pages, key=key, bind="query-params"), pages)
    listed = store.traffic.complaints.page(state, start=(number - 1) * SIZE, size=SIZE)
    items = store.traffic.items.read([complaint.item for complaint in listed if complaint.item is not None])
    for place, complaint in enumerate(listed):
        with st.container(border=True, gap="xsmall"):
            _complaint(
                store,
                complaint,
                items.get(complaint.item) if complaint.item is not None else None,
                f"thumb-{number}-{place}",
            )


def _complaint(store: Store, complaint: Complaint, item: Item | None, key: str) -> None:
    """An answer with what users said of it, and what is done about it."""
    texts.show(" · ".join(_about(complaint)), f"{key}-about")
    left, right = st.columns([3, 2], gap="large")
    with left, st.container(gap="xsmall"):
        if item is None:
            st.caption(say("labelling.no_answer_known"))
        else:
            texts.heading(say("labelling.the_question"))
            texts.show(item.question, f"{key}-question")
            with st.expander(say("labelling.the_answered")):
                texts.show(item.answer, f"{key}-answered")
                texts.show_conversation(item.history, key)
    with right, st.container(gap="xsmall"):
        _thumbs(complaint.newest, key)
        if complaint.thumbs > len(complaint.newest):
            st.caption(say("labelling.more_thumbs", count=complaint.thumbs - len(complaint.newest)))
        show_setting_aside(store, complaint)


def _about(complaint: Complaint) -> list[str]:
    """What became of it, and which answer it is."""
    words = [say(f"labelling.thumb_{complaint.state.value}")]
    if complaint.wave is not None:
        words.append(say("labelling.wave_number", number=complaint.wave))
    if complaint.judgement is not None:
        words.append(judgement_words(complaint.judgement))
    return [*words, say("labelling.item", item=complaint.item_id)]


def _thumbs(thumbs: Sequence[Feedback], key: str) -> None:
    """Each thumb with its words."""
    for place, thumb in enumerate(thumbs):
        source = [texts.others(thumb.source, "source")] if thumb.source else []
        texts.heading(say("labelling.a_user"))
        texts.show(" · ".join([texts.moment(thumb.at), *source]), f"{key}-{place}-at")
        for name, text in (("comment", thumb.comment), ("correction", thumb.correction)):
            if text:
                texts.heading(say(f"labelling.the_{name}"))
                texts.show(text, f"{key}-{place}-{name}", name)
        if not (thumb.comment or thumb.correction):
            st.caption(say("labelling.no_words"))


def say_refusal() -> None:
    """Why the last action was refused, if it was."""
    if refused := reruns.pending_message(REFUSED):
        st.error(escaped(refused), title=say("labelling.not_done"))


def show_setting_aside(store: Store, complaint: Complaint) -> None:
    """The form where it waits; who set it aside, when and why where somebody did, and the way back."""
    key = f"aside-{sha256(complaint.item_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    if complaint.state in {ComplaintState.WAITING, ComplaintState.UNKNOWN}:
        with st.popover(say("labelling.aside"), help=say("labelling.aside_help")), st.form(f"{key}-form", border=False):
            st.text_input(say("labelling.aside_why"), key=f"{key}-why")
            st.form_submit_button(
                say("labelling.aside_save"),
                key=key,
                on_click=_set,
                args=(store, complaint, f"{key}-why"),
                **actor.lock(Act.ADJUDICATE),
            )
    if complaint.aside is not None:
        who = texts.others(complaint.aside.who)
        texts.heading(escaped(say("labelling.aside_by", who=who, at=texts.moment(complaint.aside.at))))
        texts.show(complaint.aside.why, f"{key}-said", "rationale")
        st.button(
            say("labelling.aside_back"),
            key=f"{key}-back",
            on_click=_back,
            args=(store, complaint.item_id),
            **actor.lock(Act.ADJUDICATE),
        )


@actor.writes(Act.ADJUDICATE)
def _set(store: Store, complaint: Complaint, why_key: str) -> None:
    why, who = str(st.session_state.get(why_key) or ""), actor.who()
    _attempt(lambda: complaints.set_aside(store, complaint, why, who=who, now=actor.now()), "labelling.aside_done")


@actor.writes(Act.ADJUDICATE)
def _back(store: Store, item_id: str) -> None:
    who = actor.who()
    _attempt(lambda: complaints.take_back(store, item_id, who=who, now=actor.now()), "labelling.aside_undone")


def _attempt(act: Callable[[], bool], news: str) -> None:
    """Do it and say so, or keep why it was refused."""
    try:
        if act():
            actor.tell(say(news), instead_of=REFUSED)
    except AssayError as error:
        reruns.tell(REFUSED, str(error))
