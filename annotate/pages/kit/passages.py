"""The passages that the app had found for an answer, in its order."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.pages.kit import texts
from annotate.pages.kit.messages import say
from annotate.pages.kit.sheet import Sheet, markup
from proxy.records import Context


def show(contexts: Sequence[Context], sheet: Sheet, key: str) -> None:
    """The passages in the order in which the app had found them; those after the first ones on demand."""
    sheet.heading(say("texts.passages"))
    if not contexts:
        sheet.note(say("texts.no_passage"))
    _ranked(contexts[: texts.SHOWN_PASSAGES], 1, sheet, key)
    if folded := contexts[texts.SHOWN_PASSAGES :]:
        sheet.draw()
        words = say("texts.passages_below", count=len(folded))
        with st.expander(words, key=f"{key}-passages", on_change="rerun") as rest:
            _ranked(folded if rest.open else (), texts.SHOWN_PASSAGES + 1, sheet, key)
            sheet.draw()


def _ranked(contexts: Sequence[Context], first: int, sheet: Sheet, key: str) -> None:
    for rank, context in enumerate(contexts, start=first):
        title = context.title or context.id or ""
        name = f" · {markup(title, 'title')}" if title else ""
        sheet.line(f"<b>{rank}{name}</b><br>", context.text, f"{key}-passage-{rank}")
