"""All that the report knows, behind one expander: what the answer rests on at once, each other part under its own title.

Each is computed when it is opened, and never cut short.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.report.limits import LimitCheck
from annotate.analysis.report.report import ProjectReport
from annotate.domain.gold.answers import answers_of
from annotate.domain.message import message
from annotate.pages.kit import cache, draw, following, layout, selection, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.steps import next_step
from annotate.pages.overview import download, wrongs
from annotate.present import report as present_report
from annotate.present.document import Document
from annotate.present.quantity import cells
from annotate.present.report.limits import limits
from annotate.present.rule_comparison import best_rule
from annotate.store import Store


def document_of(store: Store, report: ProjectReport) -> Document:
    """The document of the report; what is to be done is told of all traffic alone."""
    return present_report.document(report, () if report.selection else next_step(report, store.path))


def show(store: Store, checks: tuple[LimitCheck, ...]) -> DeltaGenerator | None:
    """The expander with all but the weeks, whose place comes back; None while that or the whole is closed."""
    with st.expander(say("overview.everything"), key="everything", on_change="rerun") as rest:
        if not rest.open:
            return None
        report = cache.report(store, selection.current())
        document = document_of(store, report)
        _how_sure(report, document, checks)
        if document.notes:
            layout.heading("overview.warnings")
            draw.notes(document)
        if document.next:
            _next(store, document)
        _proxy(report)
        weeks = _opened("overview.over_time")
        for key, show_part in _parts(report, document).items():
            if place := _opened(key):
                with place:
                    show_part()
        download.show(store, report.selection)
    return weeks


def _opened(title: str) -> DeltaGenerator | None:
    """Fold a part under its title; its place where it is open, else None."""
    part = st.expander(say(title), key=f"everything-{title.replace('.', '-')}", on_change="rerun")
    return part if part.open else None


def _parts(report: ProjectReport, document: Document) -> dict[str, Callable[[], None]]:
    """The parts that are folded, by the key of their title."""
    parts: dict[str, Callable[[], None]] = {"overview.wrong": partial(show_wrong, report, document)}
    if report.feedback.has_thumbs:
        parts["report.feedback"] = partial(_section, "report.feedback", document)
    if report.selection is None:
        parts["effective_labels.title"] = partial(_section, "effective_labels.title", document)
    return parts | {
        "overview.strata": partial(_strata, document),
        "overview.gate": partial(_section, "report.gate", document),
    }


def _how_sure(report: ProjectReport, document: Document, checks: tuple[LimitCheck, ...]) -> None:
    """What the answer rests on, and each limit with what was found."""
    if shaky := present_report.shaky(report):
        draw.messages([shaky])
    draw.section(document.basis)
    draw.section(limits(checks, report.evidence.draws.missing))
    st.caption(say("overview.limits_where"))


def _next(store: Store, document: Document) -> None:
    """What to do next, with its commands."""
    layout.heading("overview.next")
    following.show(document.next)
    if missing := cache.kept(store, "without_reference", store.gold.statistics.waiting):
        st.caption(marked("overview.without_reference", count=len(missing), answers=answers_of(missing)))


def _proxy(report: ProjectReport) -> None:
    """The proxy against annotators: every quantity, the 2x2 table, a chart, and whether another rule does better."""
    layout.heading("overview.quantities")
    draw.table(present_report.quantities(report), message("overview.quantities"))
    if counts := present_report.label_counts(report):
        draw.messages([counts])
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
    st.markdown(f"**{say('overview.another_rule')}** {escaped(render(best_rule(report.best)))}")


def show_wrong(report: ProjectReport, document: Document) -> None:
    """The answers marked as seriously harmful, where the wrong ones sit, and those that the proxy passed."""
    wrongs.show_harmful(report)
    wrongs.show(report, document)


def _strata(document: Document) -> None:
    """The groups that labels come from."""
    _section("report.strata", document)
    st.caption(say("overview.strata_basis"))


def _section(key: str, document: Document) -> None:
    draw.section(document.section(key), headed=False)
