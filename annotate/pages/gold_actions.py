"""What people do on the gold page, each in a callback: it acts on what the person saw, and says what came of it.

A callback gets its arguments from the run that drew the button. The rule: what has changed since is refused, never overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from annotate import gold_deciding
from annotate.gold import GoldSource, GoldStatus, Overtaken
from annotate.gold_deciding import Actor
from annotate.pages import acting, texts
from annotate.store import Store
from proxy.errors import AssayError
from proxy.text import displayable

REFUSED = "gold-refused"


def actor() -> Actor:
    """Who acts: the name that stands in the field now."""
    return Actor(str(st.session_state.get(acting.NAME_FIELD) or "").strip(), acting.now())


def attempt(act: Callable[[], str | None], text_key: str | None = None) -> None:
    """Do something and keep its news for the page, or why it was refused.

    What stands in the field `text_key` is kept too where someone else was quicker: its form is gone by then.
    """
    try:
        news = act()
    except AssayError as error:
        st.session_state[REFUSED] = str(error), typed(text_key) if isinstance(error, Overtaken) else None
        return
    if news:
        acting.tell(news)


def say_refusal() -> None:
    """Show why the last action was refused, once."""
    refused, text = st.session_state.pop(REFUSED, (None, None))
    if refused:
        st.error(texts.escaped(refused), title="Not changed")
    if text:
        texts.heading("What you wrote, to copy")
        st.code(displayable(text), language=None, wrap_lines=True)


def set_status(store: Store, seen: Mapping[str, int | None], status: GoldStatus, why_key: str | None = None) -> None:
    """Accept or retire entries."""

    def act() -> str:
        changed = gold_deciding.set_status(store, seen, status, actor(), why=typed(why_key))
        return f"{changed:,} {'entry' if changed == 1 else 'entries'} {status}."

    attempt(act)


def keep(store: Store, gold_id: str, revision: int, why_key: str) -> None:
    """Take the flag off an entry that stays as it is."""

    def act() -> str:
        gold_deciding.keep(store, gold_id, actor(), why=typed(why_key), expected=revision)
        return f"{gold_id} stays as it is."

    attempt(act)


def edit(store: Store, gold_id: str, revision: int, text_key: str, why_key: str) -> None:
    """Replace the reference of an entry by what was typed."""

    def act() -> str:
        before, text = store.gold.get(gold_id), typed(text_key) or ""
        if before and text == displayable(before.reference).strip():
            text = before.reference  # the form shows stand-ins for what cannot be shown
        changed = gold_deciding.edit(
            *(store, gold_id, text, GoldSource.APP, actor()), why=typed(why_key), expected=revision
        )
        entry = store.gold.get(gold_id)
        return f"{gold_id} is changed, {entry.status}." if changed and entry else f"{gold_id} says that already."

    attempt(act, text_key)


def mark(store: Store, gold_id: str, key: str) -> None:
    """Mark what the knowledge base lacks, or take the mark off."""
    attempt(
        lambda: "Marked." if gold_deciding.mark(store, [gold_id], bool(st.session_state.get(key)), actor()) else None
    )


def typed(key: str | None) -> str | None:
    """What stands in a field, without the space around it; None if nothing does."""
    return str(st.session_state.get(key) or "").strip() or None if key else None
