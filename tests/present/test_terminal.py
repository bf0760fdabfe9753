"""What a terminal leaves out of a long answer: notes and sentences, whole, and never a measured figure."""

from __future__ import annotations

import re

import pytest

from annotate.domain.message import Kind, Quote, Step, message
from annotate.present.document import Column, Document, Figure, Figures, Section, Table
from annotate.present.messages import text
from annotate.present.report.figures import HEADLINE
from annotate.present.terminal import BRIEF_LINES, BRIEF_NOTES, render
from proxy.evaluation.estimate import Estimate
from support.learned_rule import ready_to_learn
from support.store import Assay

FIGURES = 8
COMMAND = "assay report"
HIDDEN = re.compile(r"(\d+) more lines?: `--full` shows (it|them)")


def document(*, sentences: int = 0, notes: int = 0, rows: int = 0) -> Document:
    """An answer with sentences, figures, a table and notes, each named and one line long."""
    measured = Estimate(estimate=0.5, low=0.4, high=0.6, n=9)
    figures = Figures(tuple(Figure(f"f{k}", Quote(f"figure {k}"), measured, Kind.SHARE) for k in range(FIGURES)))
    table = Table((Column(message("report.stratum")),), tuple((Quote(f"row {k}"),) for k in range(rows)))
    first = Section(None, tuple(f"sentence {k}" for k in range(sentences)))
    blocks = (figures, table) if rows else (figures,)
    return Document(
        message("report.unlabelled"),
        sections=(first, Section(message("report.quantities"), blocks)),
        notes=tuple(f"remark {k}" for k in range(notes)),
        next=(Step(message("steps.run"), (COMMAND,)),),
    )


def count(drawn: str, kind: str) -> int:
    return len(re.findall(rf"{kind} \d", drawn))


@pytest.mark.parametrize(
    ("sentences", "notes", "rows"),
    [(0, 0, 0), (3, 2, 0), (30, 9, 0), (0, 40, 0), (40, 0, 5), (5, 5, 100), (0, 0, 1_000), (1, 1, 11)],
)
def test_a_long_answer_keeps_its_figures_and_next_step_whole(sentences: int, notes: int, rows: int) -> None:
    """However much stands beside them; each line is shown or counted by the last one."""
    drawn = render(document(sentences=sentences, notes=notes, rows=rows))
    whole = render(document(sentences=sentences, notes=notes, rows=rows), full=True)

    assert len(drawn.splitlines()) <= BRIEF_LINES
    assert count(drawn, "figure") == FIGURES
    assert f"    {COMMAND}\n" in drawn
    hidden = HIDDEN.search(drawn.splitlines()[-1])
    left_out = sum(count(whole, kind) - count(drawn, kind) for kind in ("sentence", "remark", "row"))
    assert int(hidden[1] if hidden else 0) == left_out


def test_notes_go_before_sentences_and_long_tables_before_both_are_gone() -> None:
    """The answer, the figures and the next step take 15 of the 25 lines; what fills the others is the rule."""
    few = render(document(sentences=3, notes=9))
    many = render(document(sentences=9, notes=9))
    table = render(document(sentences=2, notes=2, rows=100))

    assert (count(few, "sentence"), count(few, "remark")) == (3, BRIEF_NOTES)
    assert "sentence 0" in many
    assert count(many, "remark") == 1
    assert 1 < count(many, "sentence") < 9
    assert count(table, "sentence") == 1
    assert "sentence 0" in table
    assert count(table, "row") > 1


@pytest.mark.slow
def test_a_report_shows_every_headline_while_a_second_wave_is_open(assay: Assay) -> None:
    """Two claims, a better judge, notes on the open wave and the threshold: what is measured still has all its rows."""
    ready_to_learn(assay)
    assay("sample", "--labels", "200", "--seed", "3")
    drawn, answer = assay("report").stdout, assay.json("report")

    assert len(answer["warnings"]) >= BRIEF_NOTES
    assert len(drawn.splitlines()) <= BRIEF_LINES
    assert all(f"\n{text(message(f'measures.{name}'))}" in drawn for name in HEADLINE), drawn
    assert drawn.splitlines()[-1].endswith("`--full` shows them")


def test_rows_that_break_over_lines_are_shown_or_counted_in_one_place() -> None:
    """21 rows, each of two lines or more at this width: those that are shown and those that are counted are all."""
    words = " ".join(["words"] * 30)
    columns = (Column(Quote("Entry")), Column(Quote("Question"), is_wide=True))
    table = Table(columns, tuple((Quote(f"row {k}"), Quote(words)) for k in range(21)), most=15)
    drawn = render(Document(message("report.unlabelled"), sections=(Section(None, (table,)),)))
    counted = re.search(r"and (\d+) more: `--full` shows them", drawn)

    assert counted
    assert 1 < count(drawn, "row") < 15
    assert count(drawn, "row") + int(counted[1]) == 21
    assert not HIDDEN.search(drawn)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_long_cells_never_squeeze_out_the_name(width: int) -> None:
    """Two cells of 60 columns beside a name: they break, and both the name and every word of theirs stay."""
    words = " ".join(["share"] * 10)
    columns = (Column(Quote("Name"), is_wide=True), *(Column(Quote(head), is_number=True) for head in ("A", "B")))
    table = Table(columns, ((Quote("system: v1"), Quote(words), Quote(words)),))
    drawn = render(Document(message("report.unlabelled"), sections=(Section(None, (table,)),)), width=width)

    assert "system: v1" in drawn
    assert "…" not in drawn
    assert drawn.count("share") == 20
    assert max(map(len, drawn.splitlines())) <= width
