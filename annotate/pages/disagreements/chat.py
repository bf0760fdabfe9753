"""Texts of others as our own HTML: short ones in one piece, so that a click on a row sends little; and the conversation.

The rule: what reaches the browser is built from escaped text; nothing that others wrote is read as HTML or markdown. What is
long is shown in part at first, as on every page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import streamlit as st

from annotate.pages.kit import privacy, texts
from annotate.pages.kit.messages import say
from proxy.records import Item, Turn
from proxy.text.turns import ASSISTANT, USER, known_role

LATEST = 2


def markup(text: str, *fields: str) -> str:
    """A text of others as HTML, in its own direction; `fields` as in `texts.others`."""
    return f'<bdi class="d-text">{escape(texts.others(text, *fields))}</bdi>'


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

    def heading(self, words: str) -> None:
        """Add what the lines below it are."""
        self.put(f"<h2 class='d-heading'>{escape(words)}</h2>")

    def note(self, words: str) -> None:
        """Add a line of ours in small letters."""
        self.put(f"<p class='d-line d-small'>{escape(words)}</p>")

    def line(self, head: str, text: str, key: str, *fields: str) -> None:
        """Add a text of others after our HTML that says what it is; a long one is drawn by itself, in part."""
        if not is_long(text, *fields):
            self.put(f'<p class="d-line">{head} {markup(text, *fields) if text else ""}</p>')
            return
        self.put(f'<p class="d-line">{head}</p>')
        self.draw()
        texts.show(text, key, *fields)

    def draw(self) -> None:
        """Draw what waits."""
        if self.parts:
            st.html(f"<div class='d-sheet'>{''.join(self.parts)}</div>")
            self.parts.clear()


def show(item: Item, sheet: Sheet, key: str) -> None:
    """The earlier turns behind an expander, the last ones and the question in sight."""
    earlier, last = item.history[:-LATEST], item.history[-LATEST:]
    if earlier:
        sheet.draw()
        words = say("disagreements.earlier", count=len(earlier))
        with st.expander(words, key=f"{key}-earlier", on_change="rerun") as folded:
            if folded.open:
                turns = Sheet()
                _bubbles(earlier, turns, f"{key}-turn")
                turns.draw()
    _bubbles(last, sheet, f"{key}-last")
    _bubbles([Turn(role=USER, text=item.question)], sheet, f"{key}-question", is_question=True)


def bubble(kind: str, who: str, html: str) -> str:
    """One turn of the conversation."""
    return f"<div class='d-turn {kind}'><b class='d-who'>{who}</b>{html}</div>"


def _bubbles(turns: Sequence[Turn], sheet: Sheet, key: str, *, is_question: bool = False) -> None:
    """Turns one below the other; a long one in part."""
    fields = () if is_question else ("history",)
    for place, turn in enumerate(turns):
        kind = "user" if known_role(turn.role) == USER else "app"
        who = _speaker(turn.role)
        if is_long(turn.text, *fields):
            sheet.put(f"<b class='d-who'>{who}</b>")
            sheet.draw()
            texts.show(turn.text, f"{key}-{place}", *fields)
        else:
            html = markup(turn.text, *fields) if turn.text.strip() else f"<i>{escape(say('texts.empty'))}</i>"
            sheet.put(bubble(f"{kind}{' now' if is_question else ''}", who, html))


def _speaker(role: str) -> str:
    """Who speaks: in our words where it is the user or the app."""
    known = known_role(role)
    if known in (USER, ASSISTANT):
        return escape(say(f"disagreements.speaker_{known}"))
    return markup(role, "history") if role else ""
