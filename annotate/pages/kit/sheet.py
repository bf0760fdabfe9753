"""Texts of others as our own HTML, many of them drawn in one piece, so that a click sends little.

The rule: what reaches the browser is built from escaped text; nothing that others wrote is read as HTML or markdown. What is
long is shown in part at first, as on every page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

import streamlit as st

from annotate.pages.kit import privacy, texts


def markup(text: str, *fields: str) -> str:
    """A text of others as HTML, in its own direction; `fields` as in `texts.others`."""
    return f'<bdi class="a-text">{escape(texts.others(text, *fields))}</bdi>'


def is_long(text: str, *fields: str) -> bool:
    """Whether only a part of it is shown at first."""
    return len(text) > texts.SHOWN_CHARACTERS and not any(map(privacy.hides, fields))


@dataclass(frozen=True, slots=True)
class Sheet:
    """HTML of ours that waits to be drawn in one piece."""

    parts: list[str] = field(default_factory=list)

    def put(self, html: str) -> None:
        """Add some."""
        self.parts.append(html)

    def chips(self, chips: Iterable[tuple[str, str]]) -> None:
        """Add short words in frames, each after its kind; with the focus here the keyboard scrolls the box that holds them."""
        spans = (f'<span class="a-chip {kind}"><bdi>{escape(words)}</bdi></span>' for kind, words in chips)
        self.put(f"<p class='a-chips' tabindex='0'>{' '.join(spans)}</p>")

    def heading(self, words: str) -> None:
        """Add what the lines below it are."""
        self.put(f"<h2 class='a-heading'>{escape(words)}</h2>")

    def note(self, words: str) -> None:
        """Add a line of ours in small letters."""
        self.put(f"<p class='a-line a-small'>{escape(words)}</p>")

    def line(self, head: str, text: str, key: str, *fields: str) -> None:
        """Add a text of others after our HTML that says what it is; a long one is drawn by itself, in part."""
        if not is_long(text, *fields):
            self.put(f'<p class="a-line">{head} {markup(text, *fields) if text else ""}</p>')
            return
        self.put(f'<p class="a-line">{head}</p>')
        self.draw()
        texts.show(text, key, *fields)

    def draw(self) -> None:
        """Draw what waits."""
        if self.parts:
            st.html(f"<div class='a-sheet'>{''.join(self.parts)}</div>")
            self.parts.clear()
