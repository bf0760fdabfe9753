"""Who acts on the app, and when: asked once a session, kept with everything that is changed.

A reload begins a new session, and the name is asked for again: the address is shared and must not hold it, and Streamlit keeps
nothing else in the browser. The field tells the browser what it is for, so that it can offer the name.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from annotate.pages.kit import reruns
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from proxy.text import times

P = ParamSpec("P")
T = TypeVar("T")

NAME, NAME_FIELD, NEWS, THEN = "who", "who-field", "news", "who-then"
LONGEST_NAME = 100


def now() -> str:
    """The time, ISO 8601 in UTC."""
    return times.now()


def writes(action: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """A callback that changes the store: it gets the page's store open for writing, and is not broken off."""

    @reruns.whole
    @wraps(action)
    def act(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        own = Store(store.path)
        try:
            return action(own, *args, **kwargs)
        finally:
            own.close()

    return act


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
    """The name of who acts, empty until it is given: what stands in the field, also before the field is drawn anew."""
    kept = st.session_state.get(NAME, os.environ.get("ASSAY_USER", ""))
    return str(st.session_state.get(NAME_FIELD, kept) or "").strip()


def who() -> str:
    """Who acts, for a callback: the name that stands in the field now."""
    return str(st.session_state.get(NAME_FIELD) or "").strip()


def tell(news: str, *, instead_of: str = "") -> None:
    """Keep a line until it was on a screen; what it holds is shown literally."""
    reruns.tell(NEWS, news, instead_of=instead_of)


def say_news() -> None:
    """Show the line that the last action left."""
    if news := reruns.told(NEWS):
        st.success(escaped(news), icon=":material/check:")
