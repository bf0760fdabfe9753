"""Ask for a second annotator, and name the causes; each with who does it, refused where others were quicker."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.disagreements import ItemDetail
from annotate.analysis.next_step.commands import IMPORT, PUSH
from annotate.domain.annotation import CAUSES
from annotate.label_studio import address
from annotate.pages.disagreements import filters
from annotate.pages.kit import actor, layout, reruns, texts
from annotate.pages.kit.messages import say, told
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.labelling import decisions, second_reading
from proxy.errors import AssayError
from proxy.records import Judgement

REFUSED, DONE = "disagreements-refused", "disagreements-done"


def say_outcome() -> None:
    """The result of the last action: beside the buttons where they are shown, for the page is long."""
    if done := reruns.told(DONE):
        st.success(escaped(done), icon=":material/check:")
    if refused := reruns.told(REFUSED):
        st.error(escaped(refused), title=say("disagreements.refused"))


def show(store: Store, known: ItemDetail, who: str) -> None:
    """Both actions, as far as they can be taken."""
    if known.label is None or known.is_forgotten:
        say_outcome()
        return
    layout.heading("disagreements.act")
    say_outcome()
    if not who:
        texts.small([say("acting.name_first")])
    _second(store, known, who)
    _causes(store, known, who)


def _second(store: Store, known: ItemDetail, who: str) -> None:
    """Ask for a second annotator, or take that back."""
    second, item_id = known.second, known.item.id
    if second.asked is not None:
        texts.small([say("disagreements.asked", who=second.asked.who, at=texts.moment(second.asked.at))])
        if second.refused:
            texts.small([told(second.refused)])
        elif address.is_known(store.path):
            texts.small([say("disagreements.asked_send")])
            layout.commands(store, (PUSH,))
        else:
            texts.small([say("disagreements.asked_by_file")])
            layout.commands(store, (IMPORT,))
        st.button(
            say("disagreements.take_back"),
            on_click=_take_back,
            args=(store, item_id),
            disabled=not who,
            key="disagreements-take-back",
        )
        return
    st.button(
        say("disagreements.ask"),
        on_click=_ask,
        args=(store, item_id),
        disabled=not who or second.refused is not None,
        help=say("disagreements.ask_help"),
        icon=":material/group_add:",
        key="disagreements-ask",
    )
    texts.small([told(second.refused) if second.refused else say("disagreements.ask_fair")])


def _causes(store: Store, known: ItemDetail, who: str) -> None:
    """The form that names the causes of a wrong answer."""
    label = known.label
    if label is None or label.judgement is not Judgement.WRONG:
        st.caption(say("disagreements.no_causes"))
        return
    key = f"disagreements-causes-{known.row}"
    with st.form(f"{key}-form"):
        st.multiselect(
            say("disagreements.causes"),
            CAUSES,
            default=[cause for cause in label.causes if cause in CAUSES],
            format_func=filters.cause_words,
            key=key,
            select_all=False,
            help=say("disagreements.causes_help"),
        )
        st.form_submit_button(
            say("disagreements.save"), on_click=_name, args=(store, known.item.id, label.causes, key), disabled=not who
        )


def _attempt(act: Callable[[], str]) -> None:
    """Do something and keep its news for the page, or why it was refused; what was chosen stays in its form."""
    try:
        reruns.tell(DONE, act(), instead_of=REFUSED)
    except AssayError as error:
        reruns.tell(REFUSED, str(error), instead_of=DONE)


@actor.writes
def _ask(store: Store, item_id: str) -> None:
    def act() -> str:
        second_reading.ask(store, item_id, who=actor.who(), now=actor.now())
        return say("disagreements.asked_news", id=item_id)

    _attempt(act)


@actor.writes
def _take_back(store: Store, item_id: str) -> None:
    def act() -> str:
        second_reading.take_back(store, item_id, who=actor.who(), now=actor.now())
        return say("disagreements.taken_back_news", id=item_id)

    _attempt(act)


@actor.writes
def _name(store: Store, item_id: str, seen: tuple[str, ...], key: str) -> None:
    def act() -> str:
        chosen = st.session_state.get(key) or []
        is_new = decisions.name_causes(store, item_id, chosen, seen=seen, who=actor.who(), now=actor.now())
        return say("disagreements.named_news" if is_new else "disagreements.named_before", id=item_id)

    _attempt(act)
