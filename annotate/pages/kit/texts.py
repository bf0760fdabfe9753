"""Texts that others wrote, shown as they are: never as markdown or HTML, and a long one only in part at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from annotate.domain import passages
from annotate.domain.passages import SOURCE, PassageName
from annotate.pages.kit import privacy, sign_in
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import Literal, escaped
from proxy.records import Item, Turn

SHOWN_CHARACTERS = 4_000
SHOWN_PASSAGES = 10
LONG_HEIGHT = 600
MARGIN = 500
UNKNOWN = "—"


def small(lines: Sequence[str]) -> None:
    """Our own messages in small letters, a line each."""
    st.markdown("  \n".join(f":small[{escaped(line)}]" for line in lines))


def heading(words: str) -> None:
    """What the text below it is."""
    st.caption(f"**{words}**")


def others(text: str, *fields: str) -> str:
    """What others wrote as it may reach the browser: every text, name and id of others goes through here.

    `fields` name what it is a value of where the team may hide that: see `redaction.FIELDS`.
    """
    return Literal(privacy.shown(text, *fields))


def show(text: str, key: str, *fields: str) -> None:
    """A text literally; `key` is its name on the page, `fields` as in `others`."""
    if len(text) > SHOWN_CHARACTERS and not any(map(privacy.hides, fields)):
        _show_long(text, key, *fields)
        return
    shown = others(text, *fields)
    if shown.strip():
        st.text(shown)
    else:
        st.caption(say("texts.empty"))


@sign_in.fragment
def _show_long(text: str, key: str, *fields: str) -> None:
    """The beginning of a text, or all of it in a box that scrolls if the user asks for it."""
    if st.toggle(say("texts.all", count=len(text)), key=f"all-{key}"):
        with st.container(height=LONG_HEIGHT, border=True):
            st.text(others(text, *fields))
    else:
        # A little more is read than is shown, so that what is masked is masked whole.
        st.text(f"{others(text[: SHOWN_CHARACTERS + MARGIN], *fields)[:SHOWN_CHARACTERS]} …")


def show_conversation(history: Sequence[Turn], key: str) -> None:
    """Show the messages that came before the question, where there are any."""
    if history:
        heading(say("texts.before"))
    for place, turn in enumerate(history):
        show(f"{turn.role}: {turn.text}" if turn.role else turn.text, f"{key}-turn-{place}", "history")


def passage_names(item: Item) -> tuple[PassageName, ...]:
    """Title, or id where it has none, date and source of each passage as they may reach the browser."""

    def mask(text: str, field: str) -> str:
        return "" if field == SOURCE and privacy.hides(field) else others(text, field)

    return tuple(
        name.masked(mask) if name.title else replace(name, title=context.id or "").masked(mask)
        for name, context in zip(passages.passage_names(item), item.contexts, strict=True)
    )


def show_passages(item: Item, key: str) -> None:
    """The passages that the app had found, in its order."""
    contexts, names = item.contexts, passage_names(item)
    if not contexts:
        st.caption(say("texts.no_passage"))
    is_long = sum(len(context.text) for context in contexts) > SHOWN_CHARACTERS
    with st.container(height=LONG_HEIGHT if is_long else "content", border=False):
        for rank, (context, name) in enumerate(zip(contexts[:SHOWN_PASSAGES], names, strict=False), start=1):
            with st.container(border=True, gap="xsmall"):
                heading(say("texts.passage", rank=rank))
                if name.line:
                    st.text(Literal(name.line))
                show(context.text, f"{key}-passage-{rank}")
    if len(contexts) > SHOWN_PASSAGES:
        st.caption(say("texts.more_passages", count=len(contexts) - SHOWN_PASSAGES))


def moment(at: str | None) -> str:
    """Day and minute, in the user's time zone; "—" for no time, the text itself where it is none."""
    when = _read(at)
    if when is None:
        return at or UNKNOWN
    return when.strftime("%Y-%m-%d %H:%M")


def day(at: str | None) -> str:
    """The day, in the user's time zone."""
    when = _read(at)
    return (at or UNKNOWN) if when is None else when.strftime("%Y-%m-%d")


def zone() -> tzinfo:
    """The user's time zone as the browser says it; UTC where it does not."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def zone_name() -> str:
    """The name of that zone."""
    return str(zone())


def _read(at: str | None) -> datetime | None:
    """A time in the user's time zone; one without a zone is in UTC. None where it is none, or where no zone can hold it."""
    try:
        when = datetime.fromisoformat(at or "")
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(zone())
    except (ValueError, OverflowError):
        return None
