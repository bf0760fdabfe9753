"""Which system is better? Two systems, or windows of time, in one table of differences; what was fixed and what broke.

The rest is in tabs, each worked out when it is opened: both answers to a question, what the difference rests on, the order of
all systems, where the proxy errs, and what a judge says.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.comparison import compare
from annotate.analysis.comparison.compare import ComparedSystems
from annotate.analysis.comparison.selections import rivals
from annotate.analysis.next_step.comparison import after_comparison
from annotate.pages.comparison import basis, changes, drawing, grades, listed, ranking, sides, slices
from annotate.pages.kit import cache, draw, layout, url_state
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import say
from annotate.present import comparison
from annotate.present.document import Document
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.errors import UsageError

TAB, FEWEST_RANKED = "systems", 3


def show(store: Store) -> None:
    """The page."""
    head = layout.title("systems")
    known = cache.kept(store, "rivals", lambda: rivals(store))
    if not known.systems:
        layout.nothing(store, say("systems.none" if cache.head(store).items else "systems.no_answers"))
        return
    new, old, beside = st.columns([2, 2, 2], gap="small", vertical_alignment="bottom")
    names = sides.choose(known, new, old)
    result = _compared(store, head, names)
    parts: dict[str, Callable[[], None]] = {}
    if result is None:
        sides.say_what_is_missing(known, names[0])
    else:
        document = comparison.document(result, after_comparison(result, way_of(store.path)))
        _answer(head, result, document)
        with beside:
            drawing.offer(store, result)
        draw.table(comparison.differences(result))
        parts = _parts(store, result, document)
    if len(known.systems) >= FEWEST_RANKED:
        parts["ranking"] = lambda: ranking.show(store, known)
    parts["slices"] = lambda: slices.show(store)
    words = {name: say(f"systems.tab_{name}") for name in parts}
    opened, place = url_state.tabs(words, TAB, default=next(iter(parts)))
    with place:
        parts[opened]()


def _parts(store: Store, result: ComparedSystems, document: Document) -> dict[str, Callable[[], None]]:
    """What there is to see of two systems."""
    return {
        "changes": lambda: changes.show(result),
        "answers": lambda: listed.show(result),
        "basis": lambda: basis.show(result, document),
        "grades": lambda: grades.show(store, result),
    }


def _compared(store: Store, head: PageHead, names: tuple[str, str | None]) -> ComparedSystems | None:
    """The comparison; None where there is no second side, or none to compare, which is said."""
    first, second = names
    if second is None:
        return None
    try:
        return cache.kept(store, "compared", lambda: compare.compare(store, (first, second)), first, second)
    except UsageError as error:
        head.answer(Tone.UNKNOWN, f"{error}.", say("systems.failed"))
        return None


def _answer(head: PageHead, result: ComparedSystems, document: Document) -> None:
    """The better one by its name, and how large the difference is."""
    old, new = sides.labels(result)
    headline = say(f"systems.word_{result.comparison.standing.name.lower()}", new=new, old=old)
    draw.answer(document, headline, head=head)
