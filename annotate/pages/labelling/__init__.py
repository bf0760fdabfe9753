"""What should we label next? Three rows of work with a button each, then one part at a time, which alone is computed."""

from __future__ import annotations

from collections.abc import Callable

from annotate.analysis.labelling import status
from annotate.analysis.labelling.status import HumanSide
from annotate.domain.identity import is_among
from annotate.pages.kit import actor, cache, layout, url_state
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import render, say
from annotate.pages.labelling import adjudicating, annotators, drawing, rows, sending, thumbs, waves
from annotate.pages.labelling.parts import FIRST, PART
from annotate.present import labelling_status
from annotate.present.document import Status
from annotate.store import Store
from proxy.evaluation.trust import Trust

Part = Callable[[Store, HumanSide, str], None]


def show(store: Store) -> None:
    """The page."""
    head = layout.title("labelling")
    who = actor.name_given()
    state = cache.kept(store, "human side", lambda: status.build(store))
    report = cache.head(store)
    if state.is_empty and not report.judged:
        layout.nothing(store, say("labelling.nothing"))
        return
    needed = report.trust.needed if report.trust.status is Trust.OPEN else None
    document = labelling_status.document(state, needed, report.trust.limit)
    can_draw = cache.kept(store, "has undrawn", store.sampling.waves.has_undrawn)
    own = _own(store, who) if state.waiting and who else 0
    # What waits is no warning; labels that cannot be relied on, or harm that waits, are.
    tone = Tone.BAD if document.status is Status.MISSED else Tone.UNKNOWN
    headline = render(labelling_status.headline(state, can_draw=can_draw, own=own))
    head.answer(tone, render(document.answer), headline)
    rows.show(store, state, report, can_draw=can_draw, own=own)
    parts: dict[str, Part] = {
        "annotators": annotators.show,
        "waves": waves.show,
        "adjudicate": _adjudicate,
        "thumbs": thumbs.show,
        "draw": drawing.show,
        "send": sending.show,
    }
    words = {name: say(f"labelling.part_{name}") for name in parts}
    part, place = url_state.tabs(words, PART, default=FIRST)
    with place:
        parts[part](store, state, who)


def _own(store: Store, who: str) -> int:
    """How many of the answers to decide the user has labelled: somebody else has to decide those."""
    return sum(is_among(who, case.annotators) for case in store.labels.adjudication.waiting())


def _adjudicate(store: Store, human_side: HumanSide, who: str) -> None:
    """What waits for a person, and what was adjudicated."""
    adjudicating.show(store, who)
    adjudicating.show_adjudicated(store, human_side.adjudicated)
