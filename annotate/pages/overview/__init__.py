"""Can we trust the proxy? One screen: the answer, where work waits, four figures, two pictures, the limits.

All the rest is behind one expander, and computed when that is opened. What is slow (the weeks) is drawn last, into a place kept
free for it, so that nothing waits for it.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.judges import quadrants as judges_quadrants
from annotate.analysis.report import report as reports
from annotate.analysis.report.head import ReportHead
from annotate.analysis.report.limits import check_limits
from annotate.analysis.report.report import ProjectReport
from annotate.domain import gate_limits
from annotate.pages.kit import cache, draw, following, layout, quadrants, selection, texts
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.overview import course, everything, limits, tiles, work
from annotate.present import preview
from annotate.present import report as present_report
from annotate.present.document import Status
from annotate.present.report.tiles import tiles as tiles_of
from annotate.store import Store

PICTURE_HEIGHT = 310


def show(store: Store) -> None:
    """The page."""
    left, right = st.columns([3.1, 1.9], vertical_alignment="center")
    with left:
        head = layout.title("overview")
    if problem := cache.limits_problem():
        st.warning(escaped(problem))
    known = cache.head(store, selection.current())
    is_labelled, status = known.progress.labelled > 0, present_report.status(known)
    answer = present_report.shown_by(known) if is_labelled else present_report.answer(known)
    sentence = " ".join(
        draw.capital(render(words)) for words in filter(None, (answer, present_report.unexamined(known)))
    )
    tone = Tone.WARNING if status is Status.OPEN else draw.TONES[status]
    head.answer(tone, sentence, say(f"overview.answer_{status.value}"))
    if not is_labelled:
        _begin(store, _with_preview(store))
        return
    if known.selection is None:
        with right:
            work.show(store, known)
    tiles.show(tiles_of(known))
    weeks = _pictures(store, known)
    checks = check_limits(known, gate_limits.ReportLimits() if problem else gate_limits.of_report())
    limits.show(checks)
    rest = everything.show(store, checks)
    by_week = course.weeks_of(store)
    with weeks:
        course.show_precision(
            by_week,
            known.trust.limit,
            missing=known.evidence.draws.missing,
            height=PICTURE_HEIGHT,
            is_of_all=bool(known.selection),
        )
    if rest:
        with rest:
            course.show(by_week, missing=known.evidence.draws.missing, is_of_all=bool(known.selection))


def _begin(store: Store, report: ProjectReport) -> None:
    """What to do first, and what is here so far."""
    document = everything.document_of(store, report)
    if document.next:
        with st.container(border=True):
            following.show(document.next)
    if report.items:
        draw.cards(present_report.before_labels(report))
    if report.preview:
        draw.sections(preview.sections(report.preview, with_texts=True), "overview-preview")
    if report.hand_picked:
        layout.heading("overview.wrong")
        everything.show_wrong(report, document)


def _with_preview(store: Store) -> ProjectReport:
    """The report of the part that is chosen, with what the judges alone say."""
    part = selection.current()
    report = cache.report(store, part)
    return cache.kept(store, "preview", lambda: reports.with_preview(store, report, None), part)


def _pictures(store: Store, known: ReportHead) -> DeltaGenerator:
    """The labelled answers by two judges, and the place of the weeks beside it."""
    beside, picture = st.columns([3, 2], gap="small")
    weeks: DeltaGenerator = beside.container(border=True, height="stretch", key="card-weeks")
    rule = known.rule
    choice = cache.kept(store, "quadrants choice", lambda: judges_quadrants.choice(store, rule), rule.expression)
    with picture, st.container(border=True, height="stretch", key="card-quadrants"):
        texts.heading(say("overview.where"))
        if not choice.pairs:
            st.caption(say("overview.no_pair"))
            return weeks
        pair = choice.pairs[0]
        part = known.selection
        crossed = cache.kept(
            store, "quadrants", lambda: judges_quadrants.build(store, pair, selection=part), pair, part
        )
        quadrants.show(store, crossed, "overview-quadrants", height=PICTURE_HEIGHT)
    return weeks
