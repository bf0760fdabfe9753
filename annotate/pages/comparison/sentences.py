"""The answer in one sentence with what it rests on, and the names of both as headings show them."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison import compare
from annotate.analysis.comparison.compare import ComparedSystems
from annotate.analysis.comparison.selections import Names, Rivals, selection_of
from annotate.analysis.next_step.comparison import after_one_system
from annotate.charts.intervals import Bar, intervals
from annotate.pages.kit import draw, layout, pictures, texts, url_state
from annotate.pages.kit.layout import PageHead
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.texts import others
from annotate.present import comparison
from annotate.present.document import Document
from annotate.store import Store
from proxy.errors import UsageError

LONGEST = 60
FIRST, SECOND = "a", "b"


def show(head: PageHead, result: ComparedSystems, document: Document) -> None:
    """The sentence with its word and colour, what it rests on, and the rule that the proxy follows."""
    word = say(f"systems.word_{result.comparison.standing.name.lower()}")
    draw.answer(document, word, head=head)
    draw.section(document.basis)
    rule = result.rule
    st.caption(marked("systems.rule", rule=f"`{rule.expression}`", name=rule.name, version=rule.version))


def name(text: str) -> str:
    """The name of a system, short enough for a heading."""
    shown = others(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def names(result: ComparedSystems) -> tuple[str, str]:
    """Both names, each with its letter where they are the same as far as they are shown."""
    first, second = (name(side.name) for side in result.sides)
    return (first, second) if first != second else (f"A: {first}", f"B: {second}")


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


def show_rates(result: ComparedSystems, document: Document) -> None:
    """Both rates and the difference as cards, the rates as dots with intervals, the pairs as a table."""
    layout.heading("systems.rates")
    draw.cards(comparison.figures(result))
    bars = [
        Bar(texts.others(side.name), say("measures.long_run"), side.rate.estimate, side.rate.low, side.rate.high)
        for side in result.sides
        if side.rate.low is not None and side.rate.high is not None
    ]
    left, right = st.columns([3, 2], gap="large")
    with left:
        if bars:
            pictures.show(intervals(bars), words=texts.others(told(comparison.picture(result))))
    with right:
        draw.section(document.section("systems.pairs"))
