"""Can I trust the proxy this week? The sentence first, then the limits, serious harm, what to do next, and the numbers.

What is slow (the courses over time) is drawn last, into places kept free for it, so that nothing waits for it.
"""

from __future__ import annotations

import streamlit as st

from annotate.pages.kit import cache, layout
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.steps import next_step
from annotate.pages.overview import cards, course, verdict, wrongs
from annotate.present import report as present_report
from annotate.store import Store


def show(store: Store) -> None:
    """The page."""
    layout.title("overview")
    if problem := cache.limits_problem():
        st.warning(escaped(problem))
    report = cache.report(store)
    document = present_report.document(report, next_step(report, store.path))
    verdict.say_verdict(report, document)
    wrongs.show_harmful(report)
    verdict.show_next(store, document)
    kept = cards.show(report)
    is_labelled, has_labels = report.progress.labelled > 0, report.progress.labelled > 0 or report.hand_picked > 0
    over_time = st.container() if report.judged else None
    if is_labelled:
        verdict.show_proxy(report)
        verdict.show_effective_labels(report, document)
        if report.feedback.has_thumbs:
            verdict.show_feedback(document)
    if has_labels:
        wrongs.show(report, document)
    if is_labelled:
        verdict.show_strata(document)
        verdict.show_warnings(document)
    if has_labels:
        verdict.show_gate(document)
    if report.items:
        cards.show_download(store)
    if over_time:
        course.show(store, over_time, kept)
