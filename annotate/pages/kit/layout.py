"""What every page shares: the title, the answer in one sentence, an empty state with its command, tables, the foot.

A page is `show(store)`: the title asks, `answer` answers in plain words, then numbers with n and interval, then pictures,
then what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import pandas as pd
import streamlit as st

from annotate.pages.kit import actor, cache, privacy, texts, url_state
from annotate.pages.kit.messages import PARAMETER, choose, marked, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.steps import commands_of, for_store, in_words, next_step
from annotate.store import Store

LONGEST_VALUE = 60
LAZY_FROM = 500
LAZY_HEIGHT = 420
USUAL_ROWS, WHOLE_ROWS = 9, 16


class Tone(StrEnum):
    """What an answer means: told by sign, word and colour, never by colour alone."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    UNKNOWN = "unknown"


BOXES = {Tone.GOOD: st.success, Tone.BAD: st.error, Tone.OPEN: st.warning, Tone.UNKNOWN: st.info}
SIGNS = {
    Tone.GOOD: ":material/check_circle:",
    Tone.BAD: ":material/cancel:",
    Tone.OPEN: ":material/hourglass_top:",
    Tone.UNKNOWN: ":material/help:",
}


def title(page: str, *, acts: bool = False) -> str:
    """The page's question and the news of the last action; where the page acts, who does ("" until a name is given)."""
    if not acts:
        st.title(say(f"{page}.title"), anchor=False)
        actor.say_news()
        return ""
    words, name = st.columns([3, 1], vertical_alignment="bottom")
    words.title(say(f"{page}.title"), anchor=False)
    with name:
        who = actor.ask_who()
    actor.say_news()
    return who


def heading(key: str, **values: object) -> None:
    """The question that a part of the page answers."""
    st.subheader(marked(key, **values), anchor=False)


def answer(tone: Tone, sentence: str, word: str | None = None) -> None:
    """The page's answer in one sentence of ours, shown literally, with a sign, a word and a colour."""
    BOXES[tone](escaped(sentence), title=word, icon=SIGNS[tone])


def rule_in_force(store: Store) -> None:
    """Which rule every number on the page speaks of."""
    rule = cache.report(store).rule
    st.caption(
        marked("frame.rule", rule=f"`{rule.expression}`", name=rule.name, version=rule.version, basis=rule.basis)
    )


def nothing(store: Store, words: str) -> None:
    """An empty state: what is missing, and the command that brings it."""
    st.info(escaped(words), title=say("frame.nothing"), icon=SIGNS[Tone.UNKNOWN])
    steps = next_step(cache.report(store), store.path)
    st.markdown(escaped(in_words(steps)))
    commands(store, commands_of(steps))


def commands(store: Store, lines: Sequence[str]) -> None:
    """Commands as they must be typed for this store; nothing where there is none."""
    if not lines:
        return
    typed = [for_store(privacy.shown(line), store.path) for line in lines]
    st.code("\n".join(typed), language=None, wrap_lines=True)


def table(
    rows: Sequence[Sequence[object]],
    columns: Sequence[str],
    *,
    alt: str,
    config: Mapping[str, Any] | None = None,
    select: str | None = None,
) -> int | None:
    """A table of what is passed and no more; with `select` (its key) one row can be chosen, whose place comes back."""
    frame = pd.DataFrame([[_cell(value) for value in row] for row in rows], columns=_apart(columns))
    is_long = len(rows) > LAZY_FROM
    options: dict[str, Any] = {"lazy": True, "height": LAZY_HEIGHT} if is_long else {}
    if USUAL_ROWS < len(rows) <= WHOLE_ROWS:
        options = {"height": "content"}  # a row or two more than Streamlit shows would be hidden
    if select is None:
        st.dataframe(frame, hide_index=True, alt=alt, column_config=config, **options)
        return None
    chosen = st.dataframe(
        frame,
        hide_index=True,
        alt=alt,
        column_config=config,
        key=select,
        on_select="rerun",
        selection_mode="single-row",
        **options,
    )
    places = chosen["selection"]["rows"]
    return int(places[0]) if places and places[0] < len(rows) else None


def not_known() -> None:
    """What of the address means nothing on this page; nothing where all of it does."""
    unknown = url_state.unknown()
    if not unknown:
        return
    values = [
        f"{name} = {value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE] + '…'}"
        for name, value in unknown.items()
    ]
    st.caption(f":material/link_off: {marked('frame.not_known', values='; '.join(values))}")


def no_page(name: str) -> None:
    """The address names a page that there is not."""
    st.caption(f":material/link_off: {marked('frame.no_page', name=texts.others(name))}")


def link(page: str, words: str, **asked: str) -> None:
    """A link to another page of ours, which does not load the app anew."""
    there = st.Page(_registered, title=words, url_path=page)
    code = url_state.get(PARAMETER)
    st.page_link(there, label=escaped(words), query_params=asked | ({PARAMETER: code} if code else {}))


def _registered() -> None:
    """Stands for a page of the navigation, which knows its pages by their names."""


def foot(store: Store) -> None:
    """Below every page: the language, whose time it is, which store."""
    st.divider()
    if wrong := privacy.problem():
        st.warning(escaped(wrong), title=say("frame.masked"))
    elif privacy.is_on():
        st.caption(say("frame.masked"))
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        choose()
        st.caption(marked("frame.foot", store=str(store.path), zone=texts.zone_name()))


def _apart(columns: Sequence[str]) -> list[str]:
    """The names of columns, the later of two equal ones numbered: a name of others may be one of ours."""
    lines = list[str]()
    for name in columns:
        shown, number = name, 1
        while shown in lines:
            number += 1
            shown = f"{name} ({number})"
        lines.append(shown)
    return lines


def _cell(value: object) -> object:
    """Texts of others made safe to show, ours and numbers as they are."""
    return privacy.shown(value) if isinstance(value, str) else value
