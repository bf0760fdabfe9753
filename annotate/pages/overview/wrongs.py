"""Answers to read: those that annotators call seriously harmful, where the wrong ones sit, and those that the proxy passed."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.diagnosis import Miss
from annotate.analysis.report.report import ProjectReport
from annotate.domain.annotation import SERIOUS
from annotate.domain.counted import HARMFUL
from annotate.domain.message import coefficient
from annotate.domain.privacy import redaction
from annotate.pages.kit import draw, layout, sign_in, texts
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import marked, render, say
from annotate.present.document import Document
from annotate.present.report.sections import harm_share
from annotate.store.labels.disagreements import DisagreementKind

SHOWN_HARMFUL = 3


def show_harmful(report: ProjectReport) -> None:
    """The answers that annotators mark as seriously harmful, before anything else."""
    if not report.harmed:
        return
    layout.answer(Tone.BAD, say("overview.harmful", count=len(report.harmed)), say("overview.harm"))
    if share := harm_share(report):
        draw.messages([share])
    shown = report.harmful[:SHOWN_HARMFUL]
    for place, miss in enumerate(shown, start=1):
        _miss(miss, f"harm-{place}")
    words = say("overview.read_harmful", count=len(report.harmed))
    layout.link("disagreements", words, counted=HARMFUL)


def show(report: ProjectReport, document: Document) -> None:
    """Where the wrong answers sit, and those that the proxy missed."""
    draw.section(document.section("report.where"), headed=False)
    st.caption(say("overview.quadrants_basis", picked=report.hand_picked))
    layout.heading("overview.missed")
    if not report.misses:
        st.caption(say("overview.no_miss"))
    elif report.missed > len(report.misses):
        st.caption(marked("overview.first_misses", shown=len(report.misses), count=report.missed))
    for place, miss in enumerate(report.misses, start=1):
        _miss(miss, f"miss-{place}")
    if report.misses:
        layout.link("disagreements", say("overview.all_misses", count=report.missed), kind=DisagreementKind.MISS.value)


@sign_in.fragment
def _miss(miss: Miss, key: str) -> None:
    """One missed answer: the question in sight, the rest on demand."""
    harm = miss.label.harm == SERIOUS
    with st.container(border=True, gap="xsmall"):
        texts.show(miss.item.question, f"{key}-question")
        opened = st.expander(
            say("overview.more_of_it_harm" if harm else "overview.more_of_it"), key=f"{key}-more", on_change="rerun"
        )
        if not opened.open:
            return
        with opened:
            _details(miss, key)


def _details(miss: Miss, key: str) -> None:
    """What was answered, what annotators and judges say, and which item it is."""
    parts = [
        (say("overview.answered"), miss.item.answer, ()),
        (say("overview.why_wrong"), miss.label.rationale, ("rationale",)),
        (say("overview.should_have"), miss.label.reference, ("reference",)),
    ]
    texts.show_conversation(miss.item.history, key)
    for place, (words, text, fields) in enumerate(parts):
        texts.heading(words)
        texts.show(text or "", f"{key}-{place}", *fields)
    texts.heading(say("overview.judges_say"))
    for place, (judge, value, reason) in enumerate(miss.reasons):
        score = say("overview.no_score") if value is None else render(coefficient(value))
        masked_reason = redaction.about(miss.item, reason)
        texts.show(f"{judge.replace('_', ' ')} {score}: {masked_reason}", f"{key}-judge-{place}")
    texts.show(say("overview.item", id=miss.item.id), f"{key}-id")
