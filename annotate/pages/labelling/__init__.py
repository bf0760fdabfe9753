"""Is the human side healthy? One sentence, the numbers behind it, and one part of the page at a time, which alone is computed."""

from __future__ import annotations

from collections.abc import Callable

from annotate import human_side
from annotate.human_side import HumanSide
from annotate.pages import address, figures, frame
from annotate.pages.labelling import (
    adjudicating,
    answering,
    cards,
    drawing,
    readers,
    sending,
    settled,
    thumbs,
    waves,
)
from annotate.pages.say import say
from annotate.store import Store

PART = "lab"
Part = Callable[[Store, HumanSide, str], None]


def show(store: Store) -> None:
    """The page."""
    who = frame.title("labelling", acts=True)
    found = figures.kept(store, "human side", lambda: human_side.build(store))
    if found.is_empty and not store.items.count():
        frame.nothing(store, say("labelling.nothing"))
        return
    answering.show(found)
    cards.show(found)
    parts: dict[str, Part] = {
        "waves": waves.show,
        "settle": _settle,
        "readers": readers.show,
        "thumbs": thumbs.show,
        "draw": drawing.show,
        "send": sending.show,
    }
    words = {one: say(f"labelling.part_{one}") for one in parts}
    part = address.segmented(say("labelling.part"), words, PART, default="waves", label_visibility="collapsed")
    parts[part](store, found, who)


def _settle(store: Store, found: HumanSide, who: str) -> None:
    """What waits for a person, and what was settled."""
    frame.heading("labelling.settle")
    adjudicating.show(store, who)
    settled.show(store, found.settled)
