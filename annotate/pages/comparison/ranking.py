"""Three systems or more in order: ranks as ranges, rates with both intervals, and which two a test of all distinguishes."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison import rank
from annotate.analysis.comparison.rank import Ranked
from annotate.analysis.comparison.selections import Rivals
from annotate.analysis.next_step.comparison import after_ranking, labels_wanted, to_tell_apart
from annotate.charts.ranking import RankInterval, standings
from annotate.pages.comparison import drawing
from annotate.pages.kit import cache, draw, folded, following, pictures, texts
from annotate.pages.kit.messages import render, say
from annotate.present import ranking
from annotate.project.store_access import way_of
from annotate.store import Store


def show(store: Store, known: Rivals) -> None:
    """The part of the page."""
    with st.spinner(say("systems.ranking_working")):
        result = cache.kept(store, "ranked", lambda: rank.rank(store, known.shown), known.shown)
    document = ranking.document(result, after_ranking(result, way_of(store.path)))
    draw.answer(document)
    if len(known.shown) < len(known.systems):
        st.caption(say("systems.ranking_some", shown=len(known.shown), n=len(known.systems)))
    _picture(result)
    folded.show(document.sections, "systems-ranking")
    draw.messages(document.notes)
    following.show(document.next)
    wanted = to_tell_apart(result)
    if len(wanted) > 1:
        names = [result.names[number] for number in wanted]
        drawing.show(store, names, "ranking", stands_out=False, usual=labels_wanted(wanted))


def _picture(result: Ranked) -> None:
    """Both rates of each system with their intervals."""
    rows = [
        RankInterval(
            texts.others(result.names[standing.number]),
            render(ranking.ranks(standing)),
            say(f"measures.{basis}"),
            rate.estimate,
            rate.low,
            rate.high,
        )
        for standing in result.standings.systems
        for basis, rate in (("window", standing.correctness), ("long_run", standing.long_run))
        if rate.estimate is not None and rate.low is not None and rate.high is not None
    ]
    if rows:
        pictures.show(standings(rows), words=texts.others(render(ranking.picture(result))))
