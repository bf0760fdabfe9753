"""What every page shares: the title, the answer in one sentence, an empty state with its command, tables.

A page is `show(store)`: the title asks, `answer` answers in plain words, then numbers with n and interval, then pictures,
then what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from annotate.pages.kit import actor, cache, pictures, privacy, texts, url_state
from annotate.pages.kit.links import in_language
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.steps import commands_of, in_words, next_step
from annotate.pages.kit.store_commands import for_app
from annotate.pages.kit.tables import table as table  # noqa: PLC0414 # pages take it from here
from annotate.present.commands import typed
from annotate.store import Store

LONGEST_VALUE = 60


class Tone(StrEnum):
    """What an answer means: told by sign, word and colour, never by colour alone."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    WARNING = "warning"
    UNKNOWN = "unknown"


COLOURS = {Tone.GOOD: "green", Tone.BAD: "red", Tone.WARNING: "orange"}
SIGNS = {
    Tone.GOOD: ":material/check_circle:",
    Tone.BAD: ":material/cancel:",
    Tone.OPEN: ":material/hourglass_top:",
    Tone.WARNING: ":material/warning:",
    Tone.UNKNOWN: ":material/help:",
}


class PageHead(NamedTuple):
    """The line that heads a page: its question, then its answer as a headline, and a sentence below."""

    question: str
    line: DeltaGenerator
    sentence: DeltaGenerator

    def answer(self, tone: Tone, sentence: str, headline: str | None = None) -> None:
        """Say the answer, which is ours and shown literally: a headline in its colour, and one sentence."""
        if headline:
            self.line.title(f":gray[{self.question}] {_coloured(tone, f'**{escaped(headline)}**')}", anchor=False)
        self.sentence.markdown(escaped(sentence))


def title(page: str) -> PageHead:
    """The page's question, and the news of the last action; the answer follows when it is known."""
    with st.container(key="head"):
        head = PageHead(say(f"{page}.title"), st.empty(), st.empty())
    head.line.title(head.question, anchor=False)
    actor.say_news()
    return head


def heading(key: str, **values: object) -> None:
    """The question that a part of the page answers."""
    st.header(marked(key, **values), anchor=False)


def answer(tone: Tone, sentence: str, headline: str | None = None) -> None:
    """The answer of a part of the page: a sentence of ours, shown literally, after a sign and a headline in their colour."""
    st.markdown(
        f"{_coloured(tone, f'{SIGNS[tone]} **{escaped(headline)}**' if headline else SIGNS[tone])} {escaped(sentence)}"
    )


def _coloured(tone: Tone, words: str) -> str:
    return f":{COLOURS[tone]}[{words}]" if tone in COLOURS else words


def rule_in_force(store: Store) -> None:
    """Which rule every number on the page speaks of."""
    rule = cache.head(store).rule
    st.caption(
        marked(
            "frame.rule", rule=f"`{rule.expression}`", name=rule.name, version=rule.version, basis=render(rule.basis)
        )
    )


def nothing(store: Store, words: str) -> None:
    """An empty state: what is missing, and the command that brings it."""
    st.info(escaped(words), title=say("frame.nothing"), icon=SIGNS[Tone.UNKNOWN])
    steps = next_step(cache.report(store), store.path)
    st.markdown(escaped(in_words(steps)))
    commands(commands_of(steps))


def commands(lines: Sequence[str]) -> None:
    """Commands as they must be typed for the store of the app; nothing where there is none."""
    if not lines:
        return
    with for_app():
        shown = "\n".join(typed(privacy.shown(line)) for line in lines)
    st.code(shown, language=None, wrap_lines=True)


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


def link(page: str, words: str, *, about: str | None = None, **asked: str) -> None:
    """A link to another page of ours, which does not load the app anew; `about` is what is said where it is pointed at."""
    help_words = escaped(about) if about else None
    st.page_link(_page(page, words), label=escaped(words), query_params=in_language(asked), help=help_words)


def counted(chart: pictures.AnyChart, key: str, *, words: str) -> None:
    """Draw a chart whose marks count answers; one that is clicked opens them."""
    mark = pictures.picked(chart, key, words=words)
    if mark and mark.get("code"):
        go("disagreements", counted=str(mark["code"]))


def go(page: str, **asked: str) -> NoReturn:
    """Go to another page of ours, in the middle of a run."""
    st.switch_page(_page(page, page), query_params=in_language(asked))


def _page(name: str, words: str) -> StreamlitPage:
    return st.Page(_registered, title=words, url_path=name)


def _registered() -> None:
    """Stands for a page of the navigation, which knows its pages by their names."""
