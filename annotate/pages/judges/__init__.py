"""Which judge can be believed, and has it drifted? The answer, then one part at a time: only what is looked at is worked out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from annotate.analysis.judges import repeat_noise, table
from annotate.analysis.judges.table import JudgesTable
from annotate.analysis.next_step.judges import after_judges
from annotate.analysis.next_step.loop import StepState
from annotate.analysis.report.report import ProjectReport
from annotate.pages.judges import alone, drift, quadrants, score_agreement, teach
from annotate.pages.kit import cache, draw, following, layout, selection, texts, url_state
from annotate.pages.kit.messages import render, say
from annotate.present import judges
from annotate.project.store_access import way_of
from annotate.store import Store

PART = "judges"
# The parts of the page that show the part of the traffic that is chosen.
FOLLOWING = ("agreement", "quadrants")


def show(store: Store) -> None:
    """The page; its answer is drawn at once without the drift, which takes longer, and again when that is known."""
    head = layout.title("judges")
    report = cache.report(store, selection.current())
    if not report.judges:
        layout.nothing(store, say("judges.none"))
        return
    known = _table(store, report)
    headline = texts.others(render(judges.headline(known, None)))
    draw.answer(judges.of_part(known) if report.selection else judges.document(known, None), headline, head=head)
    if report.selection is None:  # what is to be done is told of all traffic
        following.show_one(after_judges(known, StepState(report=report, way=way_of(store.path))))
    parts: dict[str, Callable[[], object]] = {
        "agreement": partial(alone.show, known, report.passages),
        "quadrants": partial(quadrants.show, store, report.rule, report.selection),
        "drift": partial(drift.show, store),
        "scores": partial(score_agreement.show, store),
        "teach": partial(teach.show, store),
        "work": partial(_work, store),
    }
    words = {name: say(f"judges.part_{name}") for name in parts}
    part = url_state.segmented(say("judges.part"), words, PART, default="agreement", label_visibility="collapsed")
    with st.container(key=f"judges-{part}"):
        if report.selection and part not in FOLLOWING:
            st.caption(say("selection.of_all"))
        parts[part]()
    layout.rule_in_force(store)
    if report.selection is None:
        watched = drift.of(store)
        headline = texts.others(render(judges.headline(known, watched)))
        draw.answer(judges.document(known, watched), headline, head=head)


def _table(store: Store, report: ProjectReport) -> JudgesTable:
    return cache.kept(store, "judges", lambda: table.build(store, report), report.selection)


def _work(store: Store) -> None:
    """What each judge costs, its versions, any two judges, and how far a judge agrees with itself."""
    known = _table(store, cache.report(store))
    layout.heading("judges.work")
    draw.section(judges.work(known.rows), headed=False)
    between = cache.kept(store, "judge pairs", lambda: table.paired_judges(store, known.rows))
    layout.heading("judges.versions")
    draw.section(judges.versions(known.rows, between, texts.moment), headed=False)
    layout.heading("judges.pairs")
    draw.section(judges.between(between), headed=False)
    alone.show_repeats(cache.kept(store, "judge noise", lambda: repeat_noise.build(store, known.rows)))
