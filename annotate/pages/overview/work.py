"""Where work waits for a person: one link that stands out, the others beside it, each with how much there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import streamlit as st

from annotate.analysis.report.head import ReportHead
from annotate.domain.counted import HARMFUL
from annotate.pages.kit import cache, layout
from annotate.pages.kit.messages import say
from annotate.store import Store
from proxy.evaluation.trust import Trust


class Work(NamedTuple):
    """What a link is called, its page, what is asked of that page, and what is said where it is pointed at."""

    words: str
    page: str
    asked: dict[str, str]
    about: str | None = None


def show(store: Store, report: ReportHead) -> None:
    """The links, the most urgent one last and standing out: it is nearest to where pages end their line."""
    every = list(_waiting(store, report))
    if not every:
        return
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"):
        for work in reversed(every[1:]):
            layout.link(work.page, work.words, about=work.about, **work.asked)
        with st.container(key="primary", width="content"):
            layout.link(every[0].page, every[0].words, about=every[0].about, **every[0].asked)


def _waiting(store: Store, report: ReportHead) -> Iterator[Work]:
    """What waits, the most urgent first: harm to read, then what people disagree on, labels, references; else what would help."""
    if report.harmed:
        words = say("overview.read_harmful", count=len(report.harmed))
        yield Work(words, "disagreements", {"counted": HARMFUL}, say("overview.read_harmful_help"))
    if report.disputed:
        yield Work(say("overview.decide", count=report.disputed), "labelling", {"lab": "adjudicate"})
    if report.progress.open:
        yield Work(_labels(report), "labelling", {"lab": "waves"})
    if missing := len(cache.kept(store, "without_reference", store.gold.statistics.waiting)):
        yield Work(say("overview.write", count=missing), "gold", {"part": "write"})
    if report.trust.status is Trust.NO:
        yield Work(say("overview.choose_threshold"), "calibration", {})
    elif not report.progress.open and report.progress.drawn < report.items:
        yield Work(say("overview.draw_more"), "labelling", {"lab": "draw"})


def _labels(report: ReportHead) -> str:
    """How many open draws there are to label, and how many labels the verdict needs where that is known and more."""
    count, needed = report.progress.open, report.trust.needed
    if needed and needed.more and not needed.is_early and needed.more > count:
        return say("overview.label_needed", count=count, needed=needed.more)
    return say("overview.label", count=count)
