"""The answer: the verdict in one sentence, each limit with what was found, what to do next, and whether the gate opens."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.report.limits import held
from annotate.analysis.report.report import ProjectReport
from annotate.domain import gate_limits
from annotate.domain.message import message
from annotate.pages.kit import cache, draw, layout, texts
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.privacy import escaped
from annotate.present import report as present_report
from annotate.present.document import Document, Figures
from annotate.present.quantity import cells
from annotate.present.report.limits import limits
from annotate.present.rule_comparison import best_rule
from annotate.store import Store

PROXY = ("pass_precision", "sensitivity", "specificity", "kappa")


def say_verdict(report: ProjectReport, document: Document) -> None:
    """The answer, in words, with a sign and a colour; below it how sure that is, and the limits that it rests on."""
    draw.answer(document, say(f"overview.answer_{document.status.value}"))
    if not report.progress.labelled:
        return
    if shaky := present_report.shaky(report):
        draw.messages([shaky])
    draw.messages(present_report.how_sure(report))
    wanted = gate_limits.ReportLimits() if cache.limits_problem() else gate_limits.of_report()
    with st.container(border=True, gap="xsmall"):
        draw.section(limits(held(report, wanted)))
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


def show_proxy(report: ProjectReport) -> None:
    """The proxy against annotators: cards, chart, the 2x2 table, every quantity, and whether another rule does better."""
    layout.heading("overview.proxy")
    figures = Figures(tuple(present_report.figure(report, name) for name in PROXY), message("report.intervals"))
    draw.cards(figures, columns=4)
    picture, table = st.columns([3, 2], gap="large")
    with picture:
        texts.heading(say("overview.shares"))
        if chart := present_report.shares(report):
            draw.chart(chart)
        else:
            st.caption(say("overview.no_share"))
    with table:
        texts.heading(say("overview.against"))
        draw.table(cells(report.agreement), message("overview.against"))
    texts.heading(say("overview.quantities"))
    draw.table(present_report.quantities(report), message("overview.quantities"))
    if counts := present_report.label_counts(report):
        st.caption(escaped(told(counts)))
    st.markdown(f"**{say('overview.another_rule')}** {escaped(told(best_rule(report.best)))}")


def show_effective_labels(report: ProjectReport, document: Document) -> None:
    """How many labels of a plain random sample tell as much, and what each judge adds."""
    layout.heading("effective_labels.title")
    draw.section(document.section("effective_labels.title"), headed=False)


def show_feedback(document: Document) -> None:
    """What thumbs tell of right and wrong."""
    layout.heading("report.feedback")
    draw.section(document.section("report.feedback"), headed=False)


def show_strata(document: Document) -> None:
    """What was drawn from where."""
    layout.heading("overview.strata")
    draw.section(document.section("report.strata"), headed=False)
    st.caption(say("overview.strata_basis"))


def show_warnings(document: Document) -> None:
    """What a user must know before believing a number."""
    if document.notes:
        layout.heading("overview.warnings")
        draw.notes(document)
