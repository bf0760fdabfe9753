"""Three systems or more in order: ranks as ranges, rates with both intervals, and which two are told apart by a test of all."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison import rank
from annotate.analysis.comparison.candidates import Rivals
from annotate.analysis.comparison.rank import Ranked
from annotate.charts.ranking import Ranked as Row
from annotate.charts.ranking import standings
from annotate.pages.kit import cache, layout, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import language, say
from annotate.pages.kit.quantities import sentence, span
from annotate.pages.kit.steps import words_in_reach
from annotate.present import numbers, ranking
from annotate.store import Store
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent

FEWEST = 3


def show(store: Store, known: Rivals) -> None:
    """The part of the page, where there are FEWEST systems."""
    if len(known.systems) < FEWEST:
        return
    layout.heading("systems.ranking")
    with st.spinner(say("systems.ranking_working")):
        found = cache.kept(store, "ranked", lambda: rank.rank(store, known.shown), known.shown)
    layout.answer(_tone(found), _sentence(found))
    if len(known.shown) < len(known.systems):
        st.caption(say("systems.ranking_some", shown=len(known.shown), n=len(known.systems)))
    _systems(found)
    _pairs(found)
    texts.small([f"{sentence(note)}." for note in ranking.notes(found)])
    step = ranking.next_step(found)
    st.markdown(escaped(f"{sentence(words_in_reach(step.words, store.path))}."))
    layout.commands(store, step.commands)


def _tone(found: Ranked) -> Tone:
    """Good news where one leads and some are clearly worse."""
    if not found.standings.measured:
        return Tone.UNKNOWN
    return Tone.GOOD if found.standings.clear and len(found.standings.leaders) == 1 else Tone.OPEN


def _sentence(found: Ranked) -> str:
    """Who is best, or who cannot be told apart."""
    if language() == "en" or found.objections:
        return ranking.sentence(found)
    ranks = found.standings
    leaders = ranks.leaders
    names = ", ".join(texts.others(found.names[one.number]) for one in leaders)
    if not ranks.measured:
        return say("systems.rank_none")
    if len(ranks.measured) == 1:
        return say("systems.rank_alone", names=texts.others(found.names[ranks.measured[0].number]))
    if len(leaders) > 1:
        return say("systems.rank_tied", names=names)
    return say("systems.rank_best" if leaders[0].worst == 1 else "systems.rank_leads", names=names)


def _systems(found: Ranked) -> None:
    """A row a system, as a picture and as a table."""
    systems = found.standings.systems
    rows = [
        Row(texts.others(found.names[one.number]), ranking.ranks(one), words, rate.estimate, rate.low, rate.high)
        for one in systems
        for words, rate in ((say("measures.window"), one.correctness), (say("measures.long_run"), one.long_run))
        if rate.estimate is not None and rate.low is not None and rate.high is not None
    ]
    if rows:
        told = "; ".join(
            f"{one.ranks}: {one.system}, {one.interval} {percent(one.estimate)} ({span((one.low, one.high), percent)})"
            for one in rows
        )
        st.altair_chart(standings(rows), width="stretch", alt=say("systems.ranking_alt", bars=told))
    columns = ("rank", "system", "answers", "labels_column", "share_right", "these_answers", "long_run", "why_not")
    layout.table(
        [
            (
                ranking.ranks(one),
                texts.others(found.names[one.number]),
                one.answers,
                one.labels,
                "—" if one.correctness.estimate is None else percent(one.correctness.estimate),
                _ends(one.correctness),
                _ends(one.long_run),
                one.correctness.reason or "—",
            )
            for one in systems
        ],
        [say(f"systems.{name}") for name in columns],
        alt=say("systems.ranking"),
    )
    st.caption(say("systems.ranking_note"))


def _ends(rate: Estimate) -> str:
    if rate.low is None or rate.high is None:
        return "—"
    return span((rate.low, rate.high), percent)


def _points(one: Estimate) -> str:
    """Both ends in points."""
    return say("measures.span", low=numbers.points(one.low, "+"), high=numbers.points(one.high, "+"))


def _pairs(found: Ranked) -> None:
    """Every two systems with their difference, and whether they are told apart."""
    if not found.standings.pairs:
        return
    with st.expander(say("systems.every_pair"), on_change="rerun", key="systems-pairs") as part:
        if not part.open:
            return
        words = say("systems.no"), say("systems.yes")
        rows = [
            (
                texts.others(found.names[one.better]),
                texts.others(found.names[one.worse]),
                f"{numbers.points(one.difference.estimate, '+')} ({_points(one.difference)})",
                one.difference.n,
                numbers.p_value(one.p_value),
                numbers.p_value(one.p_long_run),
                words[one.is_clear],
            )
            for one in found.standings.pairs
        ]
        columns = ("better", "worse", "difference_points", "labels_column", "p_here", "p_long_run", "told_apart")
        layout.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.every_pair"))
