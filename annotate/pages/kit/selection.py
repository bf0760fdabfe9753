"""The part of the traffic that pages show: a system and a period, chosen in the header.

It stands in the address, so that a link opens the same part for everybody; therefore days are those of UTC, as in the report.
What was chosen stays chosen on the next page.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple

import streamlit as st

from annotate.analysis.selected_items import selection
from annotate.domain.selection import WITHOUT_SYSTEM, Selection
from annotate.pages.kit import cache, days, reruns, texts, url_state
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store

SYSTEM, FROM, TO = "system", "from", "to"
ALL = (SYSTEM, FROM, TO)
# What is open in a list is of the part that was chosen before.
OPEN = ("item", "p")
CURRENT, PERIOD, OWN_DAYS = "selection-current", "selection-period", "selection-days"
LAST_DAYS = (7, 28, 90)
EVERY, OWN = "", "own"
# In the address, of the answers that name no system.
NO_SYSTEM = "~"


class Part(NamedTuple):
    """What the address asks for: a system as in `Selection`, and the first and the last day of a period, both of them in it."""

    system: str | None = None
    first: date | None = None
    last: date | None = None

    @property
    def selection(self) -> Selection | None:
        """As analyses take it; None for all traffic."""
        first = None if self.first is None else self.first.isoformat()
        return selection(self.system, first, None if self.last is None else _after(self.last))

    @property
    def words(self) -> str:
        """What it is, in the user's language."""
        words = [] if self.system is None else [_system_words(self.system)]
        if self.first or self.last:
            words.append(_period_words(self.first, self.last))
        return " · ".join(words)


class _Days:
    """Every day that can be written, as a text."""

    def __contains__(self, text: object) -> bool:
        return _day(str(text)) is not None


def choose(store: Store) -> None:
    """The choice in the header; what is chosen is the part for the rest of the run."""
    systems = cache.kept(store, "systems", lambda: store.traffic.partitions.sizes("system"))
    names = {system: texts.others(system) for system in systems if system is not None}
    if names and None in systems:
        names[NO_SYSTEM] = say("selection.without_system")
    part = _asked(names)
    st.session_state[CURRENT] = part
    with st.popover(say("selection.part" if part.selection else "selection.all"), icon=":material/filter_alt:"):
        if names:
            url_state.select(
                say("selection.system"), names, SYSTEM, default=EVERY, placeholder=say("selection.every"), then=_anew
            )
        _choose_period(store, part)


def current() -> Selection | None:
    """The part that is chosen; None for all traffic."""
    return _part().selection


def tell(*, follows: bool) -> None:
    """Say which part the page shows, with a key that clears it; or that this page shows all traffic whatever is chosen."""
    part = _part()
    if part.selection is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="selection"):
        words = say("selection.shown" if follows else "selection.not_followed", part=part.words)
        st.markdown(f":material/filter_alt: {escaped(words)}" if follows else f":gray[{escaped(words)}]")
        st.button(say("selection.clear"), on_click=clear, key="selection-clear", shortcut="Alt+0", type="tertiary")


def has_answers(store: Store) -> bool:
    """Whether any answer is in the part."""
    chosen = current()
    if chosen is None:
        return True
    return bool(cache.kept(store, "selected", lambda: store.traffic.selections.counted(chosen).items, chosen))


@reruns.whole
def clear() -> None:
    """Callback: all traffic."""
    for name in ALL:
        url_state.choose(name, EVERY, EVERY)
    _anew()


def _part() -> Part:
    part: Part = st.session_state.get(CURRENT) or Part()
    return part


def _asked(names: Mapping[str, str]) -> Part:
    code = url_state.chosen(SYSTEM, names, EVERY)
    system = WITHOUT_SYSTEM if code == NO_SYSTEM else code or None
    first, last = _asked_day(FROM), _asked_day(TO)
    if first is not None and last is not None and last < first:
        url_state.not_known(TO, last.isoformat())
        last = None
    return Part(system, first, last)


def _asked_day(name: str) -> date | None:
    code = url_state.chosen(name, _Days(), EVERY)
    # As a widget of this name would: it tells who stays on the page from who comes to it.
    st.session_state[name] = code
    return _day(code)


def _choose_period(store: Store, part: Part) -> None:
    """The periods that are asked for most, counted back from the last day of the traffic, or any days; where it has days."""
    counts = cache.kept(store, "dated", lambda: store.traffic.selections.counted(Selection()))
    if counts.last is None:
        return
    periods = _periods(date.fromisoformat(counts.last[:10]))
    chosen = next((name for name, span in periods.items() if span == (part.first, part.last)), OWN)
    key = url_state.show(PERIOD, chosen)
    words = {name: say(f"selection.period_{name or 'all'}") for name in (*periods, *([OWN] if chosen == OWN else []))}
    st.selectbox(
        say("selection.period"),
        list(words),
        format_func=words.__getitem__,
        key=key,
        on_change=_keep_period,
        args=(key, periods),
    )
    span = (part.first, part.last)
    days.choose(say("selection.days"), OWN_DAYS, span, _keep_days, help_words=say("selection.days_help"))


def _periods(last: date) -> dict[str, tuple[date | None, date | None]]:
    """The first and the last day of each, by name."""
    month = last.replace(day=1)
    before = month - timedelta(days=1)
    return {
        EVERY: (None, None),
        **{f"last_{count}": (last - timedelta(days=count - 1), last) for count in LAST_DAYS},
        "this_month": (month, last),
        "last_month": (before.replace(day=1), before),
    }


@reruns.whole
def _keep_period(key: str, periods: Mapping[str, tuple[date | None, date | None]]) -> None:
    """Callback: the days of the period into the address."""
    if (name := st.session_state[key]) in periods:
        _keep_days(*(None if day is None else day.isoformat() for day in periods[name]))


def _keep_days(first: str | None, last: str | None) -> None:
    for name, day in ((FROM, first), (TO, last)):
        url_state.choose(name, day or EVERY, EVERY)
    _anew()


def _anew() -> None:
    for name in OPEN:
        url_state.put(name, None, by_page=True)


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if date.min < day < date.max else None


def _after(day: date) -> str:
    return (day + timedelta(days=1)).isoformat()


def _system_words(system: str) -> str:
    if system == WITHOUT_SYSTEM:
        return say("selection.without_system")
    return say("selection.of_system", system=texts.others(system))


def _period_words(first: date | None, last: date | None) -> str:
    if first is None or last is None:
        return say("selection.from", day=first) if first else say("selection.to", day=last)
    return say("selection.between", first=first, last=last)
