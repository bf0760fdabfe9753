"""Can we trust the proxy? One screen: the answer, where work waits, four figures, two pictures, the limits.

All the rest is behind one expander, and computed when that is opened. What is slow (the weeks) is drawn last, into a place kept
free for it, so that nothing waits for it.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.judges import quadrants as judges_quadrants
from annotate.analysis.report.limits import check_limits
from annotate.analysis.report.report import ProjectReport
from annotate.domain import gate_limits
from annotate.pages.kit import cache, draw, following, layout, quadrants, selection, texts
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.steps import next_step
from annotate.pages.overview import course, everything, limits, tiles, work
from annotate.present import report as present_report
from annotate.present.document import Document, Status
from annotate.present.report.tiles import tiles as tiles_of
from annotate.store import Store

PICTURE_HEIGHT = 330


def show(store: Store) -> None:
    """The page."""
    left, right = st.columns([3.1, 1.9], vertical_alignment="center")
    with left:
        head = layout.title("overview")
    if problem := cache.limits_problem():
        st.warning(escaped(problem))
    report = cache.report(store, selection.current())
    # What is to be done is told of all traffic.
    document = present_report.document(report, () if report.selection else next_step(report, store.path))
    sentence = draw.capital(render(present_report.shown_by(report) if report.progress.labelled else document.answer))
    tone = Tone.WARNING if document.status is Status.OPEN else draw.TONES[document.status]
    head.answer(tone, sentence, say(f"overview.answer_{document.status.value}"))
    if not report.progress.labelled:
        _begin(report, document)
        return
    if report.selection is None:
        with right:
            work.show(store, report)
    tiles.show(tiles_of(report))
    weeks = _pictures(store, report)
    checks = check_limits(report, gate_limits.ReportLimits() if problem else gate_limits.of_report())
    limits.show(checks)
    rest = everything.show(store, report, document, checks)
    by_week = course.weeks_of(store)
    with weeks:
        course.show_precision(
            by_week,
            report.trust.limit,
            missing=report.evidence.draws.missing,
            height=PICTURE_HEIGHT,
            is_of_all=bool(report.selection),
        )
    if rest:
        with rest:
            course.show(by_week, missing=report.evidence.draws.missing, is_of_all=bool(report.selection))


def _begin(report: ProjectReport, document: Document) -> None:
    """What to do first, and what is here so far."""
    if document.next:
        with st.container(border=True):
            following.show(document.next)
    if report.items:
        draw.cards(present_report.before_labels(report))
    if report.hand_picked:
        layout.heading("overview.wrong")
        everything.show_wrong(report, document)


def _pictures(store: Store, report: ProjectReport) -> DeltaGenerator:
    """The labelled answers by two judges, and the place of the weeks beside it."""
    beside, picture = st.columns([3, 2], gap="small")
    weeks: DeltaGenerator = beside.container(border=True, height="stretch", key="card-weeks")
    rule = report.rule
    choice = cache.kept(store, "quadrants choice", lambda: judges_quadrants.choice(store, rule), rule.expression)
    with picture, st.container(border=True, height="stretch", key="card-quadrants"):
        texts.heading(say("overview.where"))
        if not choice.pairs:
            st.caption(say("overview.no_pair"))
            return weeks
        pair = choice.pairs[0]
        part = report.selection
        crossed = cache.kept(
            store, "quadrants", lambda: judges_quadrants.build(store, pair, selection=part), pair, part
        )
        quadrants.show(store, crossed, "overview-quadrants", height=PICTURE_HEIGHT)
    return weeks
