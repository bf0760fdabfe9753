"""Two judges crossed at their thresholds, coloured by what annotators say: where the wrong answers lie, and what to mend first.

What `assay diagnose` says: the stage of each system or why none is named, counts, and causes of a named stage. What it says
of each system by itself is on this page already, and its misses on the page of disagreements.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.judges import quadrants as judges_quadrants
from annotate.analysis.judges.quadrants import CrossedJudges, PairChoice
from annotate.analysis.next_step.diagnosis import after_diagnosis
from annotate.domain.message import message
from annotate.domain.selection import Selection
from annotate.pages.kit import cache, draw, following, layout, texts, url_state
from annotate.pages.kit import quadrants as kit_quadrants
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import diagnosis as present_diagnosis
from annotate.present import quadrants as present_quadrants
from annotate.present.document import Detail
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.rule import Rule

PAIR = "cross"


def show(store: Store, rule: Rule, selection: Selection | None) -> None:
    """The section."""
    layout.heading("judges.quadrants")
    choice = cache.kept(store, "quadrants choice", lambda: judges_quadrants.choice(store, rule), rule.expression)
    if not choice.pairs:
        draw.messages([message("judges.quadrants_none", reason=choice.reason)])
        return
    pair = _choose(choice)
    crossed = cache.kept(
        store, "quadrants", lambda: judges_quadrants.build(store, pair, selection=selection), pair, selection
    )
    picture, words = st.columns([1, 1], gap="medium")
    with picture:
        kit_quadrants.show(store, crossed, "corners-picture")
        if crossed.points:
            draw.messages(present_quadrants.chart_notes(crossed))
    with words:
        for quadrant in crossed.quadrants:
            if quadrant.place is not None or quadrant.answers or quadrant.wrong:
                with st.container(border=True, gap="xsmall"):
                    draw.section(present_quadrants.quadrant(crossed, quadrant))
    draw.messages([message("judges.quadrants_basis", picked=crossed.hand_picked)])
    if pair.tells_stages:
        _show_diagnosis(store, selection or Selection())


def _choose(choice: PairChoice) -> CrossedJudges:
    """The pair that the user wants, kept in the address."""
    pairs = {f"{pair.across}-{pair.up}": pair for pair in choice.pairs}
    code = next(iter(pairs))
    if len(pairs) > 1:
        with st.columns(2)[0]:
            words = {code: crossing(pair) for code, pair in pairs.items()}
            code = url_state.select(marked("judges.quadrants_pair"), words, PAIR, default=code)
    return pairs[code]


def crossing(pair: CrossedJudges) -> str:
    """Both judges in words."""
    return say("judges.crossed", across=texts.others(pair.across), up=texts.others(pair.up))


def _show_diagnosis(store: Store, selection: Selection) -> None:
    """What can be named in a sentence, then counts by part and the causes of named stages, of the systems looked at.

    A diagnosis is of all days.
    """
    result = cache.kept(store, "diagnoses", lambda: diagnosis.build(store, thresholds=Thresholds()))
    if selection.system is not None:
        own = [crossed for crossed in result.each if crossed.system == (selection.system or None)]
        result = replace(result, each=own, unlabelled=() if own else (selection.system,))
    document = present_diagnosis.document(result, after_diagnosis(result, way_of(store.path)))
    texts.heading(say("judges.mend"))
    if selection.is_window:
        st.caption(say("judges.mend_all_days"))
    st.markdown(escaped(render(document.answer)))
    of_all = [part for part in document.sections if not part.title or part.title.key != "diagnosis.system"]
    counts = message("diagnosis.parts")  # a row for every part of each system: many, and no evidence by themselves
    draw.sections(
        [part._replace(detail=Detail.FULL) if part.title == counts else part for part in of_all], "judges-diagnosis"
    )
    if document.notes:
        draw.notes(document)
    following.show(document.next)
