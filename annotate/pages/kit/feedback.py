"""What end users said of an answer, complaints first; what is more than a few is folded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from annotate.domain.feedback import Feedback
from annotate.pages.kit import texts
from annotate.pages.kit.messages import say
from annotate.pages.kit.sheet import Sheet

SHOWN = 3
THUMBS = {-1: "down", 0: "neither", 1: "up"}


def show(given: Sequence[Feedback], sheet: Sheet, key: str) -> None:
    """What end users said of it, complaints first."""
    shown, folded = given[:SHOWN], given[SHOWN:]
    for place, thumb in enumerate(shown):
        _thumb(thumb, sheet, f"{key}-thumb-{place}")
    if folded:
        sheet.draw()
        words = say("texts.more_feedback", count=len(folded))
        with st.expander(words, key=f"{key}-thumbs", on_change="rerun") as rest:
            for place, thumb in enumerate(folded if rest.open else ()):
                _thumb(thumb, sheet, f"{key}-thumb-{SHOWN + place}")
            sheet.draw()


def _thumb(thumb: Feedback, sheet: Sheet, key: str) -> None:
    """A thumb with the user's comment and correction."""
    about = [say(f"texts.thumb_{THUMBS[thumb.sign]}"), texts.moment(thumb.at)]
    about += [texts.others(thumb.source, "source")] if thumb.source else []
    sheet.put(f"<p class='a-line a-muted a-said'>{escape(' · '.join(about))}</p>")
    for name, text in (("comment", thumb.comment), ("correction", thumb.correction)):
        if text:
            sheet.line(f"<b>{escape(say(f'texts.user_{name}'))}</b>", text, f"{key}-{name}", name)
