"""Texts that others wrote, shown as they are: never as markdown or HTML, and a long one only in part at first."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from proxy.records import Context, Turn
from proxy.text import displayable

SHOWN_CHARACTERS = 4_000
SHOWN_PASSAGES = 10
LONG_HEIGHT = 600
_CODE = re.compile(r"(`[^`\n]+`)")
_MARKS = re.compile(r"([!-/:-@\[-^{-~_`])")


def escaped(message: str) -> str:
    """One of our own messages as markdown that shows it literally, whatever names it holds; `commands` stay code."""
    parts = _CODE.split(displayable(message))
    return "".join(part if place % 2 else _MARKS.sub(r"\\\1", part) for place, part in enumerate(parts))


def small(lines: Sequence[str]) -> None:
    """Our own messages in small letters, a line each."""
    st.markdown("  \n".join(f":small[{escaped(line)}]" for line in lines))


def heading(words: str) -> None:
    """What the text below it is."""
    st.caption(f"**{words}**")


def show(text: str, key: str) -> None:
    """A text literally; `key` is its name on the page."""
    shown = displayable(text)
    if not shown.strip():
        st.caption("(empty)")
    elif len(shown) <= SHOWN_CHARACTERS:
        st.text(shown)
    else:
        _show_long(shown, key)


@st.fragment
def _show_long(text: str, key: str) -> None:
    """The beginning of a text, or all of it in a box that scrolls if the reader asks for it."""
    if st.toggle(f"Show all {len(text):,} characters", key=f"all-{key}"):
        with st.container(height=LONG_HEIGHT, border=True):
            st.text(text)
    else:
        st.text(f"{text[:SHOWN_CHARACTERS]} …")


def show_conversation(history: Sequence[Turn], key: str) -> None:
    """The messages that came before the question."""
    for place, turn in enumerate(history):
        show(f"{turn.role}: {turn.text}" if turn.role else turn.text, f"{key}-turn-{place}")


def show_passages(contexts: Sequence[Context], key: str) -> None:
    """The passages that the app had found, in its order."""
    if not contexts:
        st.caption("The app had found no passage.")
    is_long = sum(len(context.text) for context in contexts) > SHOWN_CHARACTERS
    with st.container(height=LONG_HEIGHT if is_long else "content", border=False):
        for rank, context in enumerate(contexts[:SHOWN_PASSAGES], start=1):
            with st.container(border=True, gap="xsmall"):
                name = context.title or context.id
                heading(f"Passage {rank}")
                if name:
                    show(name, f"{key}-name-{rank}")
                show(context.text, f"{key}-passage-{rank}")
    if len(contexts) > SHOWN_PASSAGES:
        st.caption(f"… and {len(contexts) - SHOWN_PASSAGES:,} more passages, ranked below these.")
