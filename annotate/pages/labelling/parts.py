"""The parts of the page, as the address names them, and the way from one to another."""

from __future__ import annotations

from annotate.pages.kit import url_state

PART, FIRST = "lab", "annotators"


def open_part(name: str) -> None:
    """Open a part for the user, in a callback."""
    url_state.choose(PART, name, FIRST)
