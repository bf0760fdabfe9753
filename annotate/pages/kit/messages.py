"""The words of the interface, in the reader's language: a table with a row a string and a column a language.

The table is `strings/`, a section a page; a string is named `section.name` and takes its values by name. What the product
measures and says of it (sentences, reasons, warnings) comes from below in English; texts of others stay as they are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import streamlit as st

from annotate.pages.kit import url_state
from annotate.pages.kit.escaping import escaped

LANGUAGES = {"en": "English", "zh": "繁體中文", "ko": "한국어"}
PARAMETER = "lang"


def say(key: str, /, **values: object) -> str:
    """The string with its values, for places that show text as it is; KeyError for one that the table lacks."""
    return table()[key][language()].format(**values)


def marked(key: str, /, **values: object) -> str:
    """The string for places that read markdown: its values are shown literally."""
    shown = {name: escaped(value) if isinstance(value, str) else value for name, value in values.items()}
    return say(key, **shown)


def language() -> str:
    """The language that the reader chose, here or in the address; else the browser's, else English."""
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


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """Every string by its name, in every language."""
    found: dict[str, Mapping[str, str]] = {}
    for part in sorted(files("annotate.pages").joinpath("strings").iterdir(), key=lambda one: one.name):
        for section, strings in tomllib.loads(part.read_text(encoding="utf-8")).items():
            found |= {f"{section}.{name}": words for name, words in strings.items()}
    return found
