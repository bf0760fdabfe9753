"""Each judge alone against annotators: what it tells, how far it agrees by its threshold, one judge closely."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.judges.repeat_noise import RepeatNoise
from annotate.analysis.judges.table import JudgesTable
from annotate.analysis.report.passages import PassageReport
from annotate.domain.message import message
from annotate.pages.kit import draw, layout
from annotate.pages.kit.messages import marked
from annotate.present import judges

CHOICE = "close"


def show(table: JudgesTable, passages: PassageReport) -> None:
    """The section; below it the judges of passages, where experts were asked about these."""
    layout.heading("judges.alone")
    first, *others = judges.agreement(table)
    draw.section(first, headed=False)
    draw.sections(others, "judges-agreement")
    _closely(table)
    if passages.judges:
        layout.heading("judges.passages")
        draw.section(judges.of_passages(passages), headed=False)


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
    draw.cards(judges.figures(rows.get(chosen or first, table.rows[0])))


def show_repeats(noise: RepeatNoise) -> None:
    """The section."""
    layout.heading("judges.noise")
    draw.section(judges.repeats(noise), headed=False)
    commands = [command for _, command in noise.unknown if command]
    if commands:
        draw.messages([message("judges.noise_make")])
        layout.commands(commands)
