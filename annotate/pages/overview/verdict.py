"""The answer: the verdict in one sentence, each limit with what was found, what to do next, and whether the gate opens."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.report.limits import held
from annotate.analysis.report.report import Report
from annotate.domain import gate_limits
from annotate.pages.kit import cache, draw, layout
from annotate.pages.kit.messages import marked, say
from annotate.present import printed_report
from annotate.present import report as present_report
from annotate.present.document import Document
from annotate.store import Store


def say_verdict(report: Report, document: Document) -> None:
    """The answer, in words, with a sign and a colour; below it how sure that is, and the limits that it rests on."""
    draw.answer(document, say(f"overview.answer_{document.status.value}"))
    if not report.progress.labelled:
        return
    if shaky := present_report.shaky(report):
        draw.messages([shaky])
    draw.messages(present_report.how_sure(report))
    wanted = gate_limits.ReportLimits() if cache.limits_problem() else gate_limits.of_report()
    with st.container(border=True, gap="xsmall"):
        draw.section(printed_report.limits(held(report, wanted)))
        st.caption(say("overview.limits_where"))


def show_next(store: Store, document: Document) -> None:
    """What to do next, with its commands."""
    with st.container(border=True):
        st.markdown(f"**{say('overview.next')}**")
        draw.steps(store, document.next)
        missing = cache.kept(store, "without_reference", lambda: len(store.gold.without_reference()))
        if missing:
            st.caption(marked("overview.without_reference", count=missing))


def show_gate(document: Document) -> None:
    """Whether `assay report --gate` lets this pass, and why not."""
    layout.heading("overview.gate")
    draw.section(document.section("report.gate"), headed=False)
