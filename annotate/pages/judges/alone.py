"""Each judge alone against annotators: all in a table, sensitivity and specificity as a picture, one judge closely."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.judges.repeat_noise import RepeatNoise
from annotate.analysis.judges.table import JudgeRow, JudgesTable
from annotate.analysis.report.passages import PassageReport
from annotate.charts import intervals
from annotate.charts.intervals import Bar
from annotate.domain.message import message
from annotate.pages.kit import draw, layout, pictures, texts
from annotate.pages.kit.messages import marked, say
from annotate.present import judges
from annotate.store import Store

CHARTED = ("sensitivity", "specificity")
MOST_CHARTED = 12
CHOICE = "close"


def show(table: JudgesTable, passages: PassageReport) -> None:
    """The section; below it the judges of passages, where experts were asked about these."""
    layout.heading("judges.alone")
    draw.section(judges.alone(table.rows), headed=False)
    _picture(table.rows)
    _closely(table)
    if passages.judges:
        layout.heading("judges.passages")
        draw.section(judges.of_passages(passages), headed=False)


def _picture(rows: Sequence[JudgeRow]) -> None:
    """What each judge passes of the right answers and fails of the wrong ones."""
    bars = [
        Bar(texts.others(row.label), say(f"measures.{name}"), estimate.estimate, estimate.low, estimate.high)
        for row in rows[:MOST_CHARTED]
        for name in CHARTED
        for estimate in [getattr(row.alone.agreement, name)]
        if estimate.low is not None and estimate.high is not None
    ]
    if bars:
        texts.heading(say("judges.alone_chart"))
        pictures.show(intervals.intervals(bars), words=say("judges.chart_alt"))


def _closely(table: JudgesTable) -> None:
    """One judge with both intervals, labels and reasons."""
    rows = {row.label: row for row in table.rows}
    first = table.best.row.label if table.best else table.rows[0].label
    chosen = st.selectbox(
        marked("judges.choose"),
        list(rows),
        index=list(rows).index(first),
        key=CHOICE,
        bind="query-params",
        help=marked("judges.choose_help"),
    )
    draw.cards(judges.figures(rows.get(chosen or first, table.rows[0])), columns=4)


def show_repeats(store: Store, noise: RepeatNoise) -> None:
    """The section."""
    layout.heading("judges.noise")
    draw.section(judges.repeats(noise), headed=False)
    commands = [command for _, command in noise.unknown if command]
    if commands:
        draw.messages([message("judges.noise_make")])
        layout.commands(store, commands)
