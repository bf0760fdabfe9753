"""Where should the threshold be? The one in force and what it lets through, an instrument to try any other, the rest in tabs."""

from __future__ import annotations

from collections.abc import Callable

from annotate.pages.calibration import curves, guarantee, instrument, looking, reliability, scatter, using
from annotate.pages.kit import actor, cache, draw, layout, url_state
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import render, say
from annotate.present import explore
from annotate.present import report as present_report
from annotate.store import Store

TAB = "tab"


def show(store: Store) -> None:
    """The page; a tab is computed when it is opened."""
    head = layout.title("calibration")
    report = cache.head(store)
    if not report.judged:
        layout.nothing(store, say("calibration.no_values"))
        return
    in_force, who = looking.in_force(store), actor.name_given()
    verdict, why = present_report.status(report), present_report.beside_precision(report)
    sentence = explore.right_among_passed(in_force, report.trust.limit, verdict, why)
    head.answer(Tone.UNKNOWN, draw.capital(render(sentence)), render(explore.answer(in_force)))
    using.is_tried()  # this run draws everything
    instrument.show(store, who)
    using.say_outcome(using.BY_EYE)
    parts: dict[str, Callable[[], None]] = {
        "reliability": lambda: reliability.show(store),
        "guarantee": lambda: guarantee.show(store, who),
        "rules": lambda: curves.show_rules(store),
        "curves": lambda: curves.show(store),
        "labels": lambda: scatter.show(store),
    }
    words = {name: say(f"calibration.tab_{name}") for name in parts}
    opened, place = url_state.tabs(words, TAB, default="reliability")
    with place:
        parts[opened]()
