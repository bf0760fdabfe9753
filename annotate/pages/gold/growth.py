"""How the gold set has grown, what its entries are used for, and what of the traffic and the wrong answers it covers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.gold import coverage as coverage_counts
from annotate.analysis.gold.coverage import Coverage, GoldSetDay, TrafficPart
from annotate.charts import coverage as coverage_chart
from annotate.domain.gold import GoldRole
from annotate.domain.message import Listing, Message, Name, message
from annotate.pages.kit import background, cache, draw, layout, pictures, reruns, texts, url_state
from annotate.pages.kit.messages import render, say
from annotate.present.gold import coverage as gold_coverage
from annotate.store import Store

WHOLE, SLICES = "all", "slices"
WORKED_OUT = "gold-slices"
SHOWN_BARS = 8


def points(store: Store) -> list[GoldSetDay]:
    """The gold set by day, in the user's time zone."""
    zone = texts.zone()
    return cache.kept(store, "gold growth", lambda: coverage_counts.growth(store, zone), str(zone))


def coverage(store: Store) -> Coverage:
    """What of the traffic and of the wrong answers is covered."""
    return cache.kept(store, "gold coverage", lambda: coverage_counts.coverage(store))


def show(store: Store) -> None:
    """Growth, roles, coverage."""
    layout.heading("gold.growth")
    _growth(points(store))
    layout.heading("gold.roles")
    _roles(store)
    layout.heading("gold.coverage")
    st.caption(say("gold.coverage_how"))
    _coverage(store, coverage(store))


def _growth(shown: Sequence[GoldSetDay]) -> None:
    """The course of accepted entries by role, and of candidates."""
    if not shown:
        st.caption(say("gold.growth_none"))
        return
    used = [role for role in (*GoldRole, None) if any(point.accepted.get(role) for point in shown)]
    series = {role: render(message("gold.series", role=gold_coverage.role(role))) for role in used}
    waiting = say("gold.series_waiting")
    counts = [
        coverage_chart.SeriesCount(point.day, words, point.accepted.get(role, 0))
        for role, words in series.items()
        for point in shown
    ]
    counts += [coverage_chart.SeriesCount(point.day, waiting, point.candidates) for point in shown]
    first, last = shown[0], shown[-1]
    ends = {words: last.accepted.get(role, 0) for role, words in series.items()} | {waiting: last.candidates}
    end_counts = [message("values.colon", label=Name(words), words=count) for words, count in ends.items()]
    alt = message(
        "gold.growth_alt", first=Name(first.day.isoformat()), last=Name(last.day.isoformat()), counts=_list(end_counts)
    )
    pictures.show(
        coverage_chart.growth(counts, day=say("gold.day"), entries=say("gold.entries"), series=say("gold.what")),
        words=render(alt),
    )
    st.caption(say("gold.growth_how"))


def _roles(store: Store) -> None:
    """What the accepted entries are used for."""
    rows = coverage_counts.roles(store)
    if rows:
        draw.table(gold_coverage.roles(rows))
    else:
        st.caption(say("gold.accepted_none"))


def _coverage(store: Store, covered: Coverage) -> None:
    """The whole, and the parts by the field that the user chooses."""
    fields = {WHOLE: gold_coverage.WHOLE, **{name: name for name in covered.parts}}
    options = {name: render(gold_coverage.field_name(field)) for name, field in fields.items()}
    options[SLICES] = say("gold.by_slices")
    chosen = url_state.segmented(say("gold.by"), options, "by", default=WHOLE, label_visibility="collapsed")
    if chosen == SLICES:
        _slices(store)
    else:
        _parts([covered.whole] if chosen == WHOLE else covered.parts[chosen], fields[chosen])


def _slices(store: Store) -> None:
    """The parts by what is known of questions before anyone reads them; worked out when the user asks for it."""
    now = cache.version(store)
    if st.session_state.get(WORKED_OUT) != now:
        st.button(say("gold.slices_work_out"), key="slices-work-out", on_click=_ask, args=(store,))
        st.caption(say("gold.slices_why"))
        return
    with st.spinner(say("gold.slices_working")):
        by_slice = background.awaited(store, "gold slices", coverage_counts.by_slices)
    if not by_slice:
        st.caption(say("gold.slices_none"))
        return
    name = st.selectbox(say("gold.field"), list(by_slice), format_func=texts.others, key="field")
    if name:
        _parts(by_slice[name], name)


@reruns.whole
def _ask(store: Store) -> None:
    st.session_state[WORKED_OUT] = cache.version(store)


def _parts(parts: Sequence[TrafficPart], field: str) -> None:
    """A table of all parts, and a chart of the wrong answers of the largest."""
    name = gold_coverage.field_name(field)
    _bars(parts, field)
    draw.table(gold_coverage.parts(parts, field), message("gold.coverage_alt", field=name, rows=len(parts)))


def _bars(parts: Sequence[TrafficPart], field: str) -> None:
    """The wrong answers of the largest parts by what became of them."""
    shown = [part for part in parts if part.wrong][:SHOWN_BARS]
    if not shown:
        st.caption(say("gold.no_wrong"))
        return
    bars = [
        coverage_chart.CoverageBar(
            texts.others(render(gold_coverage.part_name(part, field))),
            say(f"gold.state_{state.value}"),
            part.states.get(state, 0),
            part.wrong,
        )
        for part in shown
        for state in gold_coverage.STATES
    ]
    chart = coverage_chart.coverage(
        bars,
        part=render(gold_coverage.field_name(field)),
        state=say("gold.what"),
        count=say("gold.answers"),
        of=say("gold.wrong"),
    )
    bar_counts = [
        message("gold.bar", part=Name(bar.part), state=Name(bar.state), count=bar.answers, of=bar.of) for bar in bars
    ]
    pictures.show(chart, words=render(message("gold.bars_alt", bars=_list(bar_counts))))


def _list(parts: Sequence[Message]) -> Listing:
    return Listing(tuple(parts), "values.semicolon")
