"""Which two sides are compared: systems or windows of time, kept in the address."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison import compare
from annotate.analysis.comparison.candidates import Rivals
from annotate.analysis.comparison.selections import Names, selection_of
from annotate.analysis.next_step import after_one_system
from annotate.pages.kit import draw, layout, url_state
from annotate.pages.kit.messages import say
from annotate.pages.kit.texts import others
from annotate.store import Store
from proxy.errors import UsageError

FIRST, SECOND = "a", "b"


def sides(known: Rivals) -> tuple[str, str | None]:
    """The names of both; the two with most questions in common to begin with, None for a second that nobody named."""
    systems = {others(name): name for name in known.systems}
    start = known.pair or (next(iter(known.systems)), None)
    first, second = st.columns(2)
    with first:
        chosen = _side("first", known, FIRST, start[0])
    with second:
        other = _side("second", known, SECOND, start[1])
    return systems.get(chosen, chosen), systems.get(other, other) or None


def _side(words: str, known: Rivals, name: str, start: str | None) -> str:
    """A side by its name as it is shown; the empty text while nobody has named it."""
    side = url_state.select(
        say(f"systems.{words}"),
        {shown: shown for shown in map(others, known.systems)},
        name,
        default="" if start is None else others(start),
        accept_new_options=True,
        help=say("systems.side_help"),
        placeholder="NAME@FROM..TO",
    )
    if side == url_state.get(name) and not _is_known(known, side):
        url_state.not_known(name, side)
    return side


def _is_known(known: Rivals, shown: str) -> bool:
    """Whether it means something, a system or a window; what is wrong with one that does not stands where it is compared."""
    systems = {others(system): size for system, size in known.systems.items()}
    try:
        selection_of(shown, Names(systems=systems))
    except UsageError:
        return False
    return True


def alone(store: Store, known: Rivals, name: str) -> None:
    """What to do where there is one side only."""
    if len(known.systems) > 1:
        layout.answer(layout.Tone.UNKNOWN, say("systems.choose_second"))
        return
    layout.answer(layout.Tone.UNKNOWN, say("systems.only_one", name=others(name)))
    draw.steps(store, after_one_system(compare.Alone(name, ())))
