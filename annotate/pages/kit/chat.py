"""The conversation that led to an answer: the earlier turns folded, the last ones and the question in sight."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from annotate.pages.kit import texts
from annotate.pages.kit.messages import say
from annotate.pages.kit.sheet import Sheet, is_long, markup
from proxy.records import Item, Turn
from proxy.text.turns import ASSISTANT, USER, known_role

LATEST = 2
LONG_TURN = 400


def show(item: Item, sheet: Sheet, key: str) -> None:
    """The earlier turns behind an expander, the last ones and the question in sight."""
    earlier, last = item.history[:-LATEST], item.history[-LATEST:]
    if earlier:
        sheet.draw()
        words = say("texts.earlier", count=len(earlier))
        with st.expander(words, key=f"{key}-earlier", on_change="rerun") as folded:
            if folded.open:
                turns = Sheet()
                _bubbles(earlier, turns, f"{key}-turn")
                turns.draw()
    _bubbles(last, sheet, f"{key}-last")
    _bubbles([Turn(role=USER, text=item.question)], sheet, f"{key}-question", is_question=True)


def bubble(kind: str, who: str, html: str) -> str:
    """One turn of the conversation."""
    return f"<div class='a-turn {kind}'><b class='a-who'>{who}</b>{html}</div>"


def answer(text: str, who: str, sheet: Sheet, key: str) -> None:
    """The answer as the last turn; a long one in part."""
    if is_long(text):
        sheet.put(f"<b class='a-who'>{escape(who)}</b>")
        sheet.draw()
        texts.show(text, f"{key}-answer")
    else:
        answer_box(_whole(text), who, sheet)


def answer_box(html: str, who: str, sheet: Sheet) -> None:
    """The frame of the answer, with our HTML in it."""
    sheet.put(bubble("app answer", escape(who), f"<div class='a-text' dir='auto'>{html}</div>"))


def _bubbles(turns: Sequence[Turn], sheet: Sheet, key: str, *, is_question: bool = False) -> None:
    """Turns one below the other; a long one in part."""
    fields = () if is_question else ("history",)
    for place, turn in enumerate(turns):
        kind = "user" if known_role(turn.role) == USER else "app"
        who = _speaker(turn.role)
        if is_long(turn.text, *fields):
            sheet.put(f"<b class='a-who'>{who}</b>")
            sheet.draw()
            texts.show(turn.text, f"{key}-{place}", *fields)
        else:
            html = _turn(turn.text, *fields) if fields else _whole(turn.text)
            sheet.put(bubble(f"{kind}{' now' if is_question else ''}", who, html))


def _whole(text: str, *fields: str) -> str:
    return markup(text, *fields) if text.strip() else f"<i>{escape(say('texts.empty'))}</i>"


def _turn(text: str, *fields: str) -> str:
    """An earlier turn: of one that would push the question out of sight the beginning, in whose place all of it opens."""
    shown = texts.others(text, *fields)
    if len(shown) <= LONG_TURN:
        return _whole(text, *fields)
    beginning = f"<bdi class='a-text'>{escape(shown[:LONG_TURN])} …</bdi>"
    return f"<details class='a-fold'><summary>{beginning}</summary>{markup(text, *fields)}</details>"


def _speaker(role: str) -> str:
    """Who speaks: in our words where it is the user or the app."""
    known = known_role(role)
    if known in (USER, ASSISTANT):
        return escape(say(f"texts.speaker_{known}"))
    return markup(role, "history") if role else ""
