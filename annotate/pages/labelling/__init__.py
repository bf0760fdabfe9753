"""Is the human side healthy? One sentence, the numbers behind it, and one part of the page at a time, which alone is computed."""

from __future__ import annotations

from collections.abc import Callable

from annotate.analysis.labelling import status
from annotate.analysis.labelling.status import HumanSide
from annotate.pages.kit import actor, cache, draw, layout, url_state
from annotate.pages.kit.messages import say
from annotate.pages.labelling import adjudicating, annotators, drawing, sending, thumbs, waves
from annotate.present import labelling_status
from annotate.store import Store

PART = "lab"
Part = Callable[[Store, HumanSide, str], None]


def show(store: Store) -> None:
    """The page."""
    head = layout.title("labelling")
    who = actor.name_given()
    state = cache.kept(store, "human side", lambda: status.build(store))
    if state.is_empty and not store.traffic.items.count():
        layout.nothing(store, say("labelling.nothing"))
        return
    draw.answer(labelling_status.document(state), head=head)
    draw.cards(labelling_status.figures(state), columns=4)
    parts: dict[str, Part] = {
        "waves": waves.show,
        "adjudicate": _adjudicate,
        "annotators": annotators.show,
        "thumbs": thumbs.show,
        "draw": drawing.show,
        "send": sending.show,
    }
    words = {name: say(f"labelling.part_{name}") for name in parts}
    part = url_state.segmented(say("labelling.part"), words, PART, default="waves", label_visibility="collapsed")
    parts[part](store, state, who)


def _adjudicate(store: Store, human_side: HumanSide, who: str) -> None:
    """What waits for a person, and what was adjudicated."""
    layout.heading("labelling.adjudicate")
    adjudicating.show(store, who)
    adjudicating.show_adjudicated(store, human_side.adjudicated)
