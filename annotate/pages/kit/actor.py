"""Who acts on the app, whether they may, and when: kept with everything that is changed.

Where people sign in, who acts is who signed in, and their role says what they may do. Elsewhere the name is asked for once a
session. A reload begins a new session, and the name is asked for again: the address is shared and must not hold it, and
Streamlit keeps nothing else in the browser. The field tells the browser what it is for, so that it can offer the name.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypedDict, TypeVar

import streamlit as st

from annotate.domain.sign_in.roles import NEEDED, Act
from annotate.pages.kit import reruns, sign_in
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from proxy.text import times

P = ParamSpec("P")
T = TypeVar("T")

NAME, NAME_FIELD, NEWS, THEN, DENIED = "who", "who-field", "news", "who-then", "denied"
LONGEST_NAME = 100


def now() -> str:
    """The time, ISO 8601 in UTC."""
    return times.now()


def denied(act: Act) -> str | None:
    """Why whoever is here may not do this now; None where they may, and for everybody where nobody signs in."""
    if sign_in.in_force() is None:
        return None
    person = sign_in.person()
    if person is None or person.role is None:
        return say("signin.over")
    if person.may(act):
        return None
    return say("signin.needs", needed=say(f"signin.{NEEDED[act].value}"), role=say(f"signin.{person.role.value}"))


class Lock(TypedDict):
    """Options of a control: whether it is disabled, and what it says when pointed at."""

    disabled: bool
    help: str | None


def lock(act: Act, *, disabled: bool = False, tip: str | None = None) -> Lock:
    """What a control that does this is drawn with: disabled for whoever may not, and it says why."""
    why = denied(act)
    return Lock(disabled=disabled or why is not None, help=why or tip)


def needs(act: Act) -> Callable[[Callable[P, T]], Callable[P, T | None]]:
    """A callback of those who may do this, which is not broken off; for others it does nothing, and the page says why.

    It is asked here and not only when a button is drawn: the browser may send what it likes, and a sign-in ends.
    """

    def decorate(action: Callable[P, T]) -> Callable[P, T | None]:
        @reruns.whole
        @wraps(action)
        def run(*args: P.args, **kwargs: P.kwargs) -> T | None:
            if why := denied(act):
                reruns.tell(DENIED, why, instead_of=NEWS)
                return None
            return action(*args, **kwargs)

        return run

    return decorate


def writes(
    act: Act,
) -> Callable[[Callable[Concatenate[Store, P], T]], Callable[Concatenate[Store, P], T | None]]:
    """A callback that changes the store: `needs`, and it gets the page's store open for writing, in the name of who acts."""

    def decorate(action: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T | None]:
        @needs(act)
        @wraps(action)
        def run(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
            own = Store(store.path, signed_in=sign_in.person())
            try:
                return action(own, *args, **kwargs)
            finally:
                own.close()

        return run

    return decorate


def ask_who() -> None:
    """Ask for the name of who acts; ASSAY_USER is offered."""
    name = st.text_input(
        say("acting.name"),
        value=name_given(),
        max_chars=LONGEST_NAME,
        key=NAME_FIELD,
        on_change=_named,
        autocomplete="name",
        placeholder=say("acting.name_needed"),
        help=say("acting.name_help"),
    )
    st.session_state[NAME] = (name or "").strip()


def when_named(act: Callable[[], None]) -> None:
    """Have this done once somebody has given their name, by the callback of the field."""
    st.session_state[THEN] = act


@reruns.whole
def _named() -> None:
    act: Callable[[], None] | None = st.session_state.pop(THEN, None)
    if act and who():
        act()


def name_given() -> str:
    """The name of who acts, empty until it is given: who signed in, or what stands in the field, also before it is drawn anew."""
    if sign_in.in_force() is not None:
        return who()
    kept = st.session_state.get(NAME, os.environ.get("ASSAY_USER", ""))
    return str(st.session_state.get(NAME_FIELD, kept) or "").strip()


def who() -> str:
    """Who acts, for a callback: who is signed in, or the name that stands in the field now."""
    if sign_in.in_force() is not None:
        person = sign_in.person()
        return person.name if person else ""
    return str(st.session_state.get(NAME_FIELD) or "").strip()


def tell(news: str, *, instead_of: str = "") -> None:
    """Keep a line until it was on a screen; what it holds is shown literally."""
    reruns.tell(NEWS, news, instead_of=instead_of)


def say_news() -> None:
    """Show the line that the last action left, and why one was not done."""
    if why := reruns.pending_message(DENIED):
        st.error(escaped(why), icon=":material/block:")
    if news := reruns.pending_message(NEWS):
        st.success(escaped(news), icon=":material/check:")
