"""The two that are compared: chosen by name, kept in the address, and what is missing where there is one only."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.analysis.comparison.selections import Names, Rivals, selection_of
from annotate.pages.kit import layout, url_state
from annotate.pages.kit.messages import say
from annotate.pages.kit.texts import others
from proxy.errors import UsageError

LONGEST = 60
FIRST, SECOND = "a", "b"


def name(text: str) -> str:
    """The name of a system, short enough for a heading."""
    shown = others(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def labels(result: ComparedSystems) -> tuple[str, str]:
    """Both names, each with its letter where they are the same as far as they are shown."""
    first, second = (name(side.name) for side in result.sides)
    return (first, second) if first != second else (f"A: {first}", f"B: {second}")


def choose(known: Rivals, new: DeltaGenerator, old: DeltaGenerator) -> tuple[str, str | None]:
    """The names of the old and the new one; the two newest that share questions to begin with, None where nobody named it."""
    systems = {others(name): name for name in known.systems}
    start = known.pair or (next(iter(known.systems)), None)
    with new:
        second = _choose("second", known, SECOND, start[1])
    with old:
        first = _choose("first", known, FIRST, start[0])
    return systems.get(first, first), systems.get(second, second) or None


def _choose(words: str, known: Rivals, name: str, start: str | None) -> str:
    """A side by its name as it is shown; the empty text while nobody has named it."""
    chosen = url_state.select(
        say(f"systems.{words}"),
        {shown: shown for shown in map(others, known.systems)},
        name,
        default="" if start is None else others(start),
        accept_new_options=True,
        help=say("systems.side_help"),
        placeholder="NAME@FROM..TO",
    )
    if chosen == url_state.get(name) and not _is_known(known, chosen):
        url_state.not_known(name, chosen)
    return chosen


def _is_known(known: Rivals, shown: str) -> bool:
    """Whether it means something, a system or a window; what is wrong with one that does not stands where it is compared."""
    systems = {others(system): size for system, size in known.systems.items()}
    try:
        selection_of(shown, Names(systems=systems))
    except UsageError:
        return False
    return True


def say_what_is_missing(known: Rivals, name: str) -> None:
    """What to do where there is one side only."""
    if len(known.systems) > 1:
        layout.answer(layout.Tone.UNKNOWN, say("systems.choose_second"))
    else:
        layout.answer(layout.Tone.UNKNOWN, say("systems.only_one", name=others(name)))
