"""The runs of a page: each is asked for by the browser, and ends or is cut short by the next one.

The second of two quick clicks leaves the browser before it has heard what the first one did. The rule: what an action did
stands, and its result stays on the screen, until a run is asked for by a browser that has heard of it. And what users
do is done whole: Streamlit breaks off a callback at its next use of `st` when another click waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from threading import Event
from typing import NamedTuple, ParamSpec, TypeVar
from zlib import crc32

import streamlit as st

from annotate.pages.kit import script_requests

P = ParamSpec("P")
T = TypeVar("T")
# Set once any page of this process was drawn to its end.
ANY_DRAWN = Event()
AT_ONCE = 1.0  # seconds after a run ended in which a request may have been on its way before
BEGAN, CALLED, ENDED, COUNTED = "run-began", "run-called", "run-ended", "run-counted"


class ActionMessage(NamedTuple):
    """Words that an action left, and when they were first shown."""

    words: str
    shown: float | None


def begin() -> None:
    """Before a page is drawn; a run that has called back began with that."""
    if not st.session_state.pop(CALLED, False):
        st.session_state[BEGAN] = time.monotonic()
    st.session_state[COUNTED] = {}


def key(words: str) -> str:
    """A key for what is called so: another one each time in the run of a page, and in those of its fragments since."""
    name = f"{crc32(words.encode(errors='replace')):08x}"
    counts: dict[str, int] = st.session_state.setdefault(COUNTED, {})
    counts[name] = counts.get(name, 0) + 1
    return f"{name}-{counts[name]}"


def end() -> None:
    """A page was drawn to its end: the browser has all of it, or soon will."""
    st.session_state[ENDED] = time.monotonic()
    ANY_DRAWN.set()


def look() -> None:
    """Let a click that waits be answered, in the middle of work that uses nothing of `st`."""
    st.session_state.get(BEGAN)


def is_heard(moment: float) -> bool:
    """Whether whoever asked for this run had heard of what was done at that moment of the monotonic clock."""
    ended = st.session_state.get(ENDED, -1.0)
    return bool(moment < ended and st.session_state[BEGAN] - ended >= AT_ONCE)


def whole(action: Callable[P, T]) -> Callable[P, T]:
    """A callback that is not broken off; what is clicked meanwhile waits until it has ended."""

    @wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with script_requests.unanswered() as is_outermost:
            if is_outermost and not script_requests.is_of_fragment():  # which has no beginning of the page
                st.session_state[BEGAN], st.session_state[CALLED] = time.monotonic(), True
            return action(*args, **kwargs)

    return run


def tell(key: str, words: str, *, instead_of: str = "") -> None:
    """Keep words until they were on a screen, in place of those of this key and of `instead_of`."""
    if instead_of:
        st.session_state.pop(instead_of, None)
    st.session_state[key] = ActionMessage(words, None)


def is_unheard(key: str) -> bool:
    """Whether words of this key may not have been on a screen yet: what is done again for nothing leaves them there."""
    message: ActionMessage | None = st.session_state.get(key)
    return message is not None and (message.shown is None or not is_heard(message.shown))


def pending_message(key: str) -> str | None:
    """The words that were left, until they were on a screen; None where there are none."""
    message: ActionMessage | None = st.session_state.get(key)
    if message is None:
        return None
    if message.shown is None:
        st.session_state[key] = message._replace(shown=time.monotonic())
    elif is_heard(message.shown):
        del st.session_state[key]
        return None
    return message.words
