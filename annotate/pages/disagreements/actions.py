"""The bar below the item: write a reference, name the cause, ask for a second annotator, overrule, go on.

Each is kept with who does it and refused where others were quicker. What cannot be done now is off, and says why. Overruling is
the adjudication of the page Labelling, with its reason and its blind form: a click that turned labels here, beside the proxy's
verdict, would make the proxy look better than it is.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.disagreements import ItemDetail
from annotate.domain.annotation import CAUSES
from annotate.domain.identity import is_among
from annotate.domain.sign_in.roles import Act
from annotate.label_studio import address
from annotate.pages.disagreements import filters
from annotate.pages.disagreements.rows import Opened
from annotate.pages.kit import actor, adjudication, layout, reruns, url_state
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.labelling import decisions, second_reading
from proxy.errors import AssayError
from proxy.records import Judgement

REFUSED, DONE = "disagreements-refused", "disagreements-done"


def show(store: Store, opened: Opened) -> None:
    """The result of the last action, and the bar."""
    if done := reruns.pending_message(DONE):
        st.success(escaped(done), icon=":material/check:")
    if refused := reruns.pending_message(REFUSED):
        st.error(escaped(refused), title=say("disagreements.refused"))
    known, who = opened.known, actor.name_given()
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="disagreements-bar"):
        if known is not None and known.label is not None and not known.is_forgotten:
            _write(known)
            _cause(store, known, who)
            _second(store, known, who)
            _overrule(store, known, who)
        st.space("stretch")
        _step("before", opened.before, "P")
        _step("after", opened.after, "N")


def _write(known: ItemDetail) -> None:
    """Go and write the reference of this very answer."""
    why = None if known.needs_reference else say("disagreements.no_write")
    if st.button(
        say("disagreements.write"),
        type="primary",
        shortcut="W",
        disabled=why is not None,
        help=why,
        key="disagreements-write",
    ):
        layout.go("gold", part="write", item=known.item.id)


def _cause(store: Store, known: ItemDetail, who: str) -> None:
    """Open the dialog that names the causes of a wrong answer."""
    is_wrong = known.label is not None and known.label.judgement is Judgement.WRONG
    why = say("disagreements.no_causes") if not is_wrong else None if who else say("acting.name_first")
    if st.button(
        say("disagreements.cause"), shortcut="U", disabled=why is not None, help=why, key="disagreements-cause-open"
    ):
        _name_causes(store, known)


def _name_causes(store: Store, known: ItemDetail) -> None:
    """The dialog; it stays open, with what was chosen, where it is refused."""
    label = known.label
    if label is None:
        return
    seen, key, refused = label.causes, f"disagreements-causes-{known.row}", f"{REFUSED}-{known.row}"

    @st.dialog(say("disagreements.causes"))
    def dialog() -> None:
        st.pills(
            say("disagreements.causes"),
            CAUSES,
            selection_mode="multi",
            default=[cause for cause in seen if cause in CAUSES],
            format_func=filters.cause_words,
            key=key,
            label_visibility="collapsed",
        )
        st.caption(say("disagreements.causes_help"))
        if (
            st.button(
                say("disagreements.save"),
                type="primary",
                shortcut="Ctrl+Enter",
                on_click=_name,
                args=(store, known.item.id, seen, key, refused),
                key=f"{key}-save",
            )
            and refused not in st.session_state
        ):
            st.rerun()
        if words := reruns.pending_message(refused):
            st.error(escaped(words), title=say("disagreements.refused"))

    dialog()


def _second(store: Store, known: ItemDetail, who: str) -> None:
    """Ask for a second annotator, or take that back."""
    second, is_asked = known.second, known.second.asked is not None
    why = render(second.refused) if second.refused and not is_asked else None if who else say("acting.name_first")
    st.button(
        say("disagreements.take_back" if is_asked else "disagreements.ask"),
        shortcut="2",
        on_click=_take_back if is_asked else _ask,
        args=(store, known.item.id),
        **actor.lock(Act.ADJUDICATE, disabled=why is not None, tip=why or say("disagreements.ask_help")),
        key="disagreements-take-back" if is_asked else "disagreements-ask",
    )


def _overrule(store: Store, known: ItemDetail, who: str) -> None:
    """Adjudicate this answer on the page Labelling; not by who has read it."""
    case = store.labels.adjudication.of_item(known.row)
    is_own = case is not None and bool(who) and is_among(who, case.annotators)
    if (
        st.button(
            say("disagreements.overrule"),
            shortcut="O",
            **actor.lock(
                Act.ADJUDICATE,
                disabled=case is None or is_own,
                tip=say("disagreements.overrule_own" if is_own else "disagreements.overrule_help"),
            ),
            key="disagreements-overrule",
        )
        and case is not None
    ):
        adjudication.put_on_screen(case)
        layout.go("labelling", lab="adjudicate", item=known.item.id)


def _step(name: str, target: str | None, key: str) -> None:
    """Go to the one before or after in the list."""
    st.button(
        say(f"disagreements.{name}"),
        on_click=_go,
        args=(target,),
        disabled=target is None,
        shortcut=key,
        type="tertiary",
        key=f"disagreements-{name}",
    )


@reruns.whole
def _go(target: str | None) -> None:
    """Callback: the item into the address; the list turns to the page where it stands."""
    url_state.put(filters.ITEM, target)
    url_state.put(filters.PAGE, None)


def _attempt(act: Callable[[], str | None], refused: str = REFUSED) -> None:
    """Do something and keep its news for the page, where there are any, or why it was refused."""
    try:
        if news := act():
            reruns.tell(DONE, news, instead_of=refused)
    except AssayError as error:
        reruns.tell(refused, str(error), instead_of=DONE)


@actor.writes(Act.ADJUDICATE)
def _ask(store: Store, item_id: str) -> None:
    def act() -> str:
        second_reading.ask(store, item_id, who=actor.who(), now=actor.now())
        way = "send" if address.is_known(store.path) else "by_file"
        return f"{say('disagreements.asked_news', id=item_id)} {say(f'disagreements.asked_{way}')}"

    _attempt(act)


@actor.writes(Act.ADJUDICATE)
def _take_back(store: Store, item_id: str) -> None:
    def act() -> str:
        second_reading.take_back(store, item_id, who=actor.who(), now=actor.now())
        return say("disagreements.taken_back_news", id=item_id)

    _attempt(act)


@actor.writes(Act.WRITE)
def _name(store: Store, item_id: str, seen: tuple[str, ...], key: str, refused: str) -> None:
    def act() -> str | None:
        chosen = st.session_state.get(key) or []
        is_new = decisions.name_causes(store, item_id, chosen, seen=seen, who=actor.who(), now=actor.now())
        if not is_new and reruns.is_unheard(DONE):  # a second click: the news of the first one stay
            return None
        return say("disagreements.named_news" if is_new else "disagreements.named_before", id=item_id)

    _attempt(act, refused)
