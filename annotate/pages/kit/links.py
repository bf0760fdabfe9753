"""Addresses of pages of ours, for links within tables and pictures.

A link that is HTML of ours would begin a new session: `links.js` in the browser's page hands it to Streamlit instead, as going
back in the browser does. Opened in a new tab it is a link like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from annotate.domain.message import Value, code_of
from annotate.pages.kit import privacy, url_state
from annotate.pages.kit.messages import PARAMETER


class PageLink(NamedTuple):
    """A page by its name, and what its address asks for."""

    page: str
    asked: Mapping[str, str]


def to(page: str, **asked: str) -> PageLink:
    """Make a link."""
    return PageLink(page, asked)


def behind(value: Value) -> str | None:
    """Return the code of the answers behind a count; None where there are none, or where a name in it may not be shown."""
    code = code_of(value)
    return code if code and privacy.shown(code) == code else None


def answers(value: Value) -> PageLink | None:
    """Return where the answers behind a count are listed; None where they are not."""
    code = behind(value)
    return to("disagreements", counted=code) if code else None


def item(item_id: str) -> PageLink | None:
    """Return where an item is read; None where its id may not be shown."""
    return to("disagreements", item=item_id) if privacy.shown(item_id) == item_id else None


def href(link: PageLink) -> str:
    """Write the address of a link, in the language that was chosen."""
    return _written(f"/{link.page}", in_language(link.asked))


def here(**asked: str) -> str:
    """Write the address of what is open, with this asked for beside all else."""
    return _written("", {**st.query_params.to_dict(), **asked})


def in_language(asked: Mapping[str, str]) -> dict[str, str]:
    """Add the language that the address names."""
    code = url_state.get(PARAMETER)
    return {**asked, **({PARAMETER: code} if code else {})}


def _written(path: str, asked: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(asked)}" if asked else path
