"""Say the words of the interface in the language that was chosen; the tables are `present/strings/`."""

from __future__ import annotations

import streamlit as st

from annotate.domain.message import Value
from annotate.pages.kit import url_state
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.store_commands import for_app
from annotate.present.commands import typed_within
from annotate.present.messages import LANGUAGES, table, text

PARAMETER = "lang"


def say(key: str, /, **values: object) -> str:
    """The string with its values, for places that show text as it is; KeyError for one that the table lacks."""
    row, spoken_language = table(key.partition(".")[0])[key], language()
    is_one = spoken_language == "en" and "en_one" in row and values.get("count") == 1
    with for_app():
        words = typed_within(row["en_one" if is_one else spoken_language], is_template=True)
        return words.format(**values)


def marked(key: str, /, **values: object) -> str:
    """The string for places that read markdown: its values are shown literally."""
    shown = {name: escaped(value) if isinstance(value, str) else value for name, value in values.items()}
    return say(key, **shown)


def render(value: Value) -> str:
    """A message of a document, in the user's language."""
    with for_app():
        return text(value, language())


def language() -> str:
    """The language that the user chose, here or in the address; else the browser's, else English."""
    _shorten()
    return url_state.chosen(PARAMETER, LANGUAGES, browsers())


def browsers() -> str:
    """The browser's language where we speak it, else English."""
    return spoken(st.context.locale or "") or "en"


def spoken(tag: str) -> str | None:
    """Our code for a language tag such as zh-TW, zh_Hant or ko-KR; None for a language that we do not speak."""
    code = tag.replace("_", "-").split("-")[0].lower()
    return code if code in LANGUAGES else None


def _shorten() -> None:
    """A tag with a region in the address becomes our code for its language."""
    asked = url_state.get(PARAMETER)
    if asked is not None and asked not in LANGUAGES and (code := spoken(asked)):
        url_state.put(PARAMETER, code)


def choose() -> None:
    """The choice of a language, kept in the address."""
    url_state.segmented(say("frame.language"), LANGUAGES, PARAMETER, default=browsers(), label_visibility="collapsed")
