"""What the verdict rests on: the proxy against annotators, every quantity, where the labels come from, and notes."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.report.report import Report
from annotate.domain.message import message
from annotate.pages.kit import draw, layout, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say, told
from annotate.present import effective_labels
from annotate.present import report as present_report
from annotate.present.document import Document, Figures
from annotate.present.quantity import cells
from annotate.present.rule_comparison import best_rule

PROXY = ("pass_precision", "sensitivity", "specificity", "kappa")


def show_proxy(report: Report) -> None:
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


def show_effective_labels(report: Report, document: Document) -> None:
    """What the labels are worth beside a plain random sample, and what each judge adds."""
    layout.heading("effective_labels.title")
    if report.effective_labels.effective is not None:
        draw.messages([effective_labels.sentence(report.effective_labels)])
    draw.section(document.section("effective_labels.title"), headed=False)


def show_strata(document: Document) -> None:
    """What was drawn from where."""
    layout.heading("overview.strata")
    draw.section(document.section("report.strata"), headed=False)
    st.caption(say("overview.strata_basis"))


def show_warnings(document: Document) -> None:
    """What a reader must know before believing a number."""
    if document.notes:
        layout.heading("overview.warnings")
        draw.notes(document)
