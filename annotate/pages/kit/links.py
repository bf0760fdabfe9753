"""Addresses of pages of ours, for links within tables and pictures.

A link that is HTML of ours would begin a new session: `links.js` in the browser's page hands it to Streamlit instead, as going
back in the browser does. Opened in a new tab it is a link like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from annotate.pages.kit import url_state
from annotate.pages.kit.messages import PARAMETER


class PageLink(NamedTuple):
    """A page by its name, and what its address asks for."""

    page: str
    asked: Mapping[str, str]


def to(page: str, **asked: str) -> PageLink:
    """Make a link."""
    return PageLink(page, asked)


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
