"""What was fixed and what broke: the questions that annotators call differently, each a link to the new answer."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.pages.kit import layout, texts
from annotate.pages.kit.messages import render, say
from annotate.present import comparison

MOST, LONGEST = 5, 90


def show(result: ComparedSystems) -> None:
    """Both lists side by side."""
    if not result.shared.pairs:
        st.caption(say("systems.listed_unlabelled"))
        return
    for column, is_broken in zip(st.columns(2, gap="small"), (False, True), strict=True):
        with column, st.container(border=True, height="stretch", gap=None, key=f"card-broken-{is_broken}"):
            _list(result, is_broken=is_broken)


def _list(result: ComparedSystems, *, is_broken: bool) -> None:
    texts.heading(render(comparison.changed(result, broken=is_broken)))
    pairs = [listed for listed in result.listed if listed.is_broken is is_broken]
    for listed in pairs[:MOST]:
        question = texts.others(listed.second.question)
        shown = question if len(question) <= LONGEST else f"{question[:LONGEST]}…"
        layout.link("disagreements", shown, item=listed.second.id)
    if len(pairs) > MOST:
        st.caption(say("systems.changes_more", count=len(pairs) - MOST))
