"""How the gold set has grown, what its entries are used for, and what of the traffic and the wrong answers it covers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.gold import coverage as gold_coverage
from annotate.analysis.gold.coverage import Coverage, Part, Point, State
from annotate.charts import coverage as coverage_chart
from annotate.charts import growth as growth_chart
from annotate.domain.gold import GoldRole
from annotate.pages.gold import entries
from annotate.pages.kit import background, cache, layout, reruns, texts, times, url_state
from annotate.pages.kit.messages import say
from annotate.store import Store
from proxy.evaluation.trust import percent

WHOLE, SLICES = "all", "slices"
WORKED_OUT = "gold-slices"
SHOWN_BARS = 8
COUNTED = (State.ACCEPTED, State.REVIEW, State.MISSING, State.ASIDE)


def points(store: Store) -> list[Point]:
    """The gold set by day, in the reader's zone."""
    zone = times.zone()
    return cache.kept(store, "gold growth", lambda: gold_coverage.growth(store, zone), str(zone))


def coverage(store: Store) -> Coverage:
    """What of the traffic and of the wrong answers is covered."""
    return cache.kept(store, "gold coverage", lambda: gold_coverage.coverage(store))


def show(store: Store) -> None:
    """Growth, roles, coverage."""
    layout.heading("gold.growth")
    _growth(points(store))
    layout.heading("gold.roles")
    _roles(store)
    layout.heading("gold.coverage")
    st.caption(say("gold.coverage_how"))
    _coverage(store, coverage(store))


def _growth(shown: Sequence[Point]) -> None:
    """The course of accepted entries by role, and of candidates."""
    if not shown:
        st.caption(say("gold.growth_none"))
        return
    used = [role for role in (*GoldRole, None) if any(point.accepted.get(role) for point in shown)]
    series: dict[GoldRole | str | None, str] = {role: say("gold.series", role=entries.role(role)) for role in used}
    waiting = say("gold.series_waiting")
    counts = [
        growth_chart.Count(point.day, words, point.accepted.get(role, 0))  # type: ignore[arg-type]
        for role, words in series.items()
        for point in shown
    ]
    counts += [growth_chart.Count(point.day, waiting, point.candidates) for point in shown]
    last = shown[-1]
    said = "; ".join(f"{words}: {last.accepted.get(role, 0):,}" for role, words in series.items())  # type: ignore[arg-type]
    st.altair_chart(
        growth_chart.growth(counts, day=say("gold.day"), entries=say("gold.entries"), series=say("gold.what")),
        alt=say(
            "gold.growth_alt",
            first=str(shown[0].day),
            last=str(last.day),
            counts="; ".join(filter(None, [said, f"{waiting}: {last.candidates:,}"])),
        ),
    )
    st.caption(say("gold.growth_how"))


def _roles(store: Store) -> None:
    """What the accepted entries are used for."""
    rows = [
        (entries.role(one.role), one.accepted, f"{one.clusters:,}" if one.role else times.UNKNOWN)
        for one in gold_coverage.roles(store)
    ]
    if not rows:
        st.caption(say("gold.accepted_none"))
        return
    columns = [say("gold.role"), say("gold.accepted_entries"), say("gold.clusters")]
    layout.table(rows, columns, alt=say("gold.roles_alt", rows="; ".join(f"{role}: {n:,}" for role, n, _ in rows)))
    st.caption(say("gold.roles_how"))


def _coverage(store: Store, found: Coverage) -> None:
    """The whole, and the parts by the field that the reader chooses."""
    by = {name: say(f"gold.by_{name}") for name in found.parts}
    options = {WHOLE: say("gold.by_none"), **by, SLICES: say("gold.by_slices")}
    chosen = url_state.segmented(say("gold.by"), options, "by", default=WHOLE, label_visibility="collapsed")
    if chosen == SLICES:
        _slices(store)
    elif chosen == WHOLE:
        _parts([found.whole], say("gold.by_none"), say("gold.everything"))
    else:
        is_cause = chosen == "cause"
        _parts(found.parts[chosen], by[chosen], say("gold.not_given"), is_cause=is_cause)


def _slices(store: Store) -> None:
    """The parts by what is known of questions before anyone reads them; worked out when the reader asks for it."""
    now = cache.version(store)
    if st.session_state.get(WORKED_OUT) != now:
        st.button(say("gold.slices_work_out"), key="slices-work-out", on_click=_ask, args=(store,))
        st.caption(say("gold.slices_why"))
        return
    with st.spinner(say("gold.slices_working")):
        found = background.awaited(store, "gold slices", gold_coverage.by_slices)
    if not found:
        st.caption(say("gold.slices_none"))
        return
    name = st.selectbox(say("gold.field"), list(found), format_func=texts.others, key="field")
    if name:
        _parts(found[name], texts.others(name), say("gold.not_given"))


@reruns.whole
def _ask(store: Store) -> None:
    st.session_state[WORKED_OUT] = cache.version(store)


def _parts(parts: Sequence[Part], field: str, none: str, *, is_cause: bool = False) -> None:
    """A table of all parts, and a chart of the wrong answers of the largest."""
    names = [entries.cause(one.value) if is_cause else texts.others(one.value) if one.value else none for one in parts]
    _bars(parts, names, field)
    of_traffic = any(one.items is not None for one in parts)
    has_aside = any(one.states.get(State.ASIDE) for one in parts)
    states = COUNTED if has_aside else COUNTED[:-1]
    columns = [
        field,
        *([say("gold.traffic"), say("gold.covered"), say("gold.share")] if of_traffic else []),
        say("gold.wrong"),
        *(say(f"gold.state_{state.value}") for state in states),
    ]
    rows = [
        (
            name,
            *((one.items, one.covered, _share(one)) if of_traffic else ()),
            one.wrong,
            *(one.states.get(state, 0) for state in states),
        )
        for name, one in zip(names, parts, strict=True)
    ]
    counts = {
        name: st.column_config.NumberColumn(format="localized") for name in columns[1:] if name != say("gold.share")
    }
    layout.table(rows, columns, alt=say("gold.coverage_alt", field=field, rows=len(rows)), config=counts)


def _share(one: Part) -> str:
    return percent((one.covered or 0) / one.items) if one.items else times.UNKNOWN


def _bars(parts: Sequence[Part], names: Sequence[str], field: str) -> None:
    """The wrong answers of the largest parts by what became of them."""
    shown = [(name, one) for name, one in zip(names, parts, strict=True) if one.wrong][:SHOWN_BARS]
    if not shown:
        st.caption(say("gold.no_wrong"))
        return
    bars = [
        coverage_chart.Bar(name, say(f"gold.state_{state.value}"), one.states.get(state, 0), one.wrong)
        for name, one in shown
        for state in COUNTED[:3]
    ]
    chart = coverage_chart.coverage(
        bars, part=field, state=say("gold.what"), count=say("gold.answers"), of=say("gold.wrong")
    )
    said = "; ".join(f"{bar.part}, {bar.state}: {bar.answers:,}/{bar.of:,}" for bar in bars)
    st.altair_chart(chart, alt=say("gold.bars_alt", bars=said))
