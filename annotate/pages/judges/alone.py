"""Each judge alone against people: all in a table, sensitivity and specificity as a picture, one judge closely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from annotate.analysis.judges.table import JudgeRow, JudgesTable
from annotate.charts import intervals
from annotate.charts.intervals import Bar
from annotate.pages.kit import layout, quantities, texts
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.quantities import AUROC, KAPPA, SENSITIVITY, SPECIFICITY, Measure
from proxy.evaluation.estimate import Estimate

SHOWN = (AUROC, KAPPA, SENSITIVITY, SPECIFICITY)
CHARTED = (SENSITIVITY, SPECIFICITY)
MOST_CHARTED = 12
NAME_WIDTH = 200
CHOICE = "close"


def show(found: JudgesTable) -> None:
    """The section."""
    layout.heading("judges.alone")
    rows = found.rows
    columns = [
        say("judges.col_judge"),
        *(one.words for one in SHOWN),
        *(say(f"judges.col_{name}") for name in ("labels", "notes")),
    ]
    layout.table([_row(one) for one in rows], columns, alt=say("judges.alone_alt"), config=_config())
    texts.small([*reasons(rows), say("judges.alone_basis", cut=f"{rows[0].alone.rule.threshold:g}")])
    _picture(rows)
    _closely(found)


def estimates(row: JudgeRow) -> list[tuple[Measure, Estimate]]:
    """What is shown of a judge, as the report measured it."""
    return [(one, row.alone.auroc if one is AUROC else getattr(row.alone.agreement, one.name)) for one in SHOWN]


def cell(measure: Measure, found: Estimate, *, whole: bool = False) -> str:
    """Estimate and interval as a table holds them; `whole`: every answer that it speaks of is labelled."""
    value = quantities.number(measure, found.estimate)
    if found.low is None or found.high is None:
        return value
    return f"{value} ({quantities.between(measure, (found.low, found.high), whole=whole)})"


def reasons(rows: Sequence[JudgeRow]) -> list[str]:
    """Why cells are empty, each reason once."""
    found = [one.reason for row in rows for _, one in estimates(row) if one.estimate is None and one.reason]
    return [f"—: {reason}" for reason in dict.fromkeys(found)]


def _row(row: JudgeRow) -> list[object]:
    return [
        row.label,
        *(cell(measure, found, whole=quantities.is_whole(row.alone.agreement)) for measure, found in estimates(row)),
        max(found.n for _, found in estimates(row)),
        ", ".join(_notes(row)),
    ]


def _notes(row: JudgeRow) -> list[str]:
    """What a reader must know before comparing this judge with others."""
    notes = [
        (row.is_read, "note_read"),
        (not row.is_in_use, "note_old"),
        (row.is_partial, "note_partial"),
        (row.needs_reference, "note_reference"),
    ]
    return [say(f"judges.{name}") for holds, name in notes if holds]


def _config() -> Mapping[str, object]:
    helped = {one.words: say("judges.help_share", term=one.help) for one in SHOWN}
    columns = {name: st.column_config.Column(help=words) for name, words in helped.items()}
    columns[say("judges.col_judge")] = st.column_config.Column(width=NAME_WIDTH)
    return columns


def _picture(rows: Sequence[JudgeRow]) -> None:
    """What each judge lets through of the right answers and stops of the wrong ones."""
    bars = [
        Bar(row.label, measure.words, found.estimate, found.low, found.high)
        for row in rows[:MOST_CHARTED]
        for measure, found in estimates(row)
        if measure in CHARTED and found.low is not None and found.high is not None
    ]
    if bars:
        texts.heading(say("judges.alone_chart"))
        st.altair_chart(intervals.intervals(bars), width="stretch", alt=quantities.in_words(bars))


def _closely(found: JudgesTable) -> None:
    """One judge with both intervals, labels and reasons."""
    rows = {one.label: one for one in found.rows}
    first = found.best.row.label if found.best else found.rows[0].label
    chosen = st.selectbox(
        marked("judges.choose"),
        list(rows),
        index=list(rows).index(first),
        key=CHOICE,
        bind="query-params",
        help=marked("judges.choose_help"),
    )
    row = rows.get(chosen or first, found.rows[0])
    with st.grid(4):
        for measure, estimate in estimates(row):
            quantities.show(measure, estimate, whole=quantities.is_whole(row.alone.agreement))
