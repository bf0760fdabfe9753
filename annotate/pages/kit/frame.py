"""What stands around every page: styles, logo, the browser's title and language, and the header with part, store and who acts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from annotate.pages.kit import actor, pictures, privacy, selection, sign_in, texts
from annotate.pages.kit.messages import choose, language, marked, say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from proxy.text import times

HERE = Path(__file__).parent
# As a browser names them: the code of a language, and the script where that is not plain.
TAGS = {"en": "en", "zh": "zh-Hant", "ko": "ko"}


def begin(page: str) -> None:
    """The title of the browser's tab, styles and logo."""
    st.set_page_config(page_title=f"{page} · Assay", layout="wide")
    st.logo(str(HERE / f"logo_{pictures.theme()}.svg"), size="medium")
    st.html(f"<style>{_styles()}</style>")
    name_language()


def name_language() -> None:
    """The language of the page, for the browser."""
    st.html(f'<span data-language="{TAGS[language()]}"></span>')


@cache
def _styles() -> str:
    """What every page shares, then what pages have of their own."""
    own = sorted(set(HERE.parent.glob("*/style.css")) - {HERE / "style.css"})
    return "\n".join(file.read_text(encoding="utf-8") for file in [HERE / "style.css", *own])


def _person() -> None:
    """Who acts: asked for, or signed in."""
    person = sign_in.person()
    if person is None or person.role is None:
        actor.ask_who()
        return
    until = texts.moment(times.parse(person.until))
    st.caption(marked("signin.as", name=person.name, role=say(f"signin.{person.role.value}"), until=until))
    st.button(say("signin.again"), key="sign-in-again", on_click=st.login)
    st.button(say("signin.out"), key="sign-out", on_click=st.logout)


def header(store: Store) -> None:
    """The part of the traffic, the store with its settings and the words used, and who acts, in the bar above the page."""
    with st.container(horizontal=True, gap="small", key="frame"):
        selection.choose(store)
        with st.popover(escaped(store.path.stem)):
            foot = marked("frame.foot", store=str(store.path), zone=texts.zone_name())
            st.caption(f"{foot}\n\n{say('frame.words')}")
            choose()
            if privacy.is_on():
                st.caption(say("frame.masked"))
        with st.popover(escaped(actor.name_given()) or say("acting.nobody"), icon=":material/person:"):
            _person()
    if wrong := privacy.problem():
        st.warning(escaped(wrong), title=say("frame.masked"))
