"""Both answers to a question that annotators call differently, side by side."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems, ListedPair
from annotate.domain.message import Value, message
from annotate.pages.comparison.sides import labels
from annotate.pages.kit import draw, texts
from annotate.pages.kit.messages import render, say
from annotate.present import comparison
from proxy.records import Item


def show(result: ComparedSystems) -> None:
    """The table, and below it what was selected."""
    if not result.listed:
        st.caption(say("systems.listed_none" if result.shared.pairs else "systems.listed_unlabelled"))
        return
    both = labels(result)
    place = draw.table(comparison.listed(result, both), message("systems.listed"), select="systems-listed")
    if place is not None:
        _read(result.listed[place], both)


def _read(listed: ListedPair, both: tuple[str, str]) -> None:
    """The question with both answers, side by side."""
    with st.container(border=True):
        texts.show_conversation(listed.first.history, "systems-before")
        texts.heading(say("systems.question"))
        texts.show(listed.first.question, "systems-question")
        sides = ((listed.first, listed.pair.first), (listed.second, listed.pair.second))
        for column, label, (item, answered) in zip(st.columns(2), both, sides, strict=True):
            with column:
                _answer(label, item, comparison.called(answered))


def _answer(label: str, item: Item, called: Value) -> None:
    texts.small([f"{label} · {texts.others(item.id)}", render(called)])
    texts.show(item.answer, f"systems-answer-{label}")
