"""Three systems or more in order: ranks as ranges, rates with both intervals, and which two are told apart by a test of all."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison import rank
from annotate.analysis.comparison.candidates import Rivals
from annotate.analysis.comparison.rank import Ranked
from annotate.analysis.next_step import after_ranking, way_of
from annotate.charts.ranking import Ranked as Row
from annotate.charts.ranking import standings
from annotate.domain.message import message
from annotate.pages.kit import cache, draw, layout, texts
from annotate.pages.kit.messages import say, told
from annotate.pages.kit.quantities import span
from annotate.present import ranking
from annotate.store import Store
from proxy.evaluation.trust import percent

FEWEST = 3


def show(store: Store, known: Rivals) -> None:
    """The part of the page, where there are FEWEST systems."""
    if len(known.systems) < FEWEST:
        return
    layout.heading("systems.ranking")
    with st.spinner(say("systems.ranking_working")):
        found = cache.kept(store, "ranked", lambda: rank.rank(store, known.shown), known.shown)
    document = ranking.document(found, after_ranking(found, way_of(store.path)))
    layout.answer(draw.TONES[document.status], told(document.answer))
    if len(known.shown) < len(known.systems):
        st.caption(say("systems.ranking_some", shown=len(known.shown), n=len(known.systems)))
    _picture(found)
    for section in document.sections:
        draw.section(section, headed=section.title != message("systems.ranking"))
    draw.messages(document.notes)
    draw.steps(store, document.next)


def _picture(found: Ranked) -> None:
    """Both rates of each system with their intervals."""
    systems = found.standings.systems
    rows = [
        Row(texts.others(found.names[one.number]), told(ranking.ranks(one)), words, rate.estimate, rate.low, rate.high)
        for one in systems
        for words, rate in ((say("measures.window"), one.correctness), (say("measures.long_run"), one.long_run))
        if rate.estimate is not None and rate.low is not None and rate.high is not None
    ]
    if rows:
        bars = "; ".join(
            f"{one.ranks}: {one.system}, {one.interval} {percent(one.estimate)} ({span((one.low, one.high), percent)})"
            for one in rows
        )
        st.altair_chart(standings(rows), width="stretch", alt=say("systems.ranking_alt", bars=bars))
