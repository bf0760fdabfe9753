"""How often each of the two is right, their difference, and the questions that both answered."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.charts.intervals import Bar, intervals
from annotate.pages.kit import draw, layout, texts
from annotate.pages.kit.messages import say, told
from annotate.present import comparison
from annotate.present.document import Document


def show(result: ComparedSystems, document: Document) -> None:
    """Both rates and the difference as cards, the rates as dots with intervals, the pairs as a table."""
    layout.heading("systems.rates")
    draw.cards(comparison.figures(result))
    bars = [
        Bar(texts.others(side.name), say("measures.long_run"), side.rate.estimate, side.rate.low, side.rate.high)
        for side in result.sides
        if side.rate.low is not None and side.rate.high is not None
    ]
    left, right = st.columns([3, 2], gap="large")
    with left:
        if bars:
            st.altair_chart(intervals(bars), width="stretch", alt=texts.others(told(comparison.picture(result))))
    with right:
        draw.section(document.section("systems.pairs"))
