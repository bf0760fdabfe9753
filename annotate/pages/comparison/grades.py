"""What a judge of correctness gave both: grades by question and system, means, their difference; a judge's word, not a label."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.analysis.comparison.graded import NAMED, JudgeGrades
from annotate.charts import heat_map
from annotate.charts.grades import Grade, GradeMean, grades
from annotate.domain.message import coefficient
from annotate.pages.comparison.sides import labels
from annotate.pages.kit import draw, pictures, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import graded
from proxy.comparison.grade_pairs import GradeTally, tally


def show(result: ComparedSystems) -> None:
    """Means as cards, then each question by system, and all questions by both grades where they are many."""
    judge_grades = result.judge_grades
    if judge_grades is None:
        st.caption(marked("systems.grades_none"))
        return
    both = labels(result)
    draw.messages(graded.basis(judge_grades))
    draw.cards(graded.figures(judge_grades, both))
    if not judge_grades.grades.questions:
        return
    _by_question(judge_grades, both)
    if len(judge_grades.grades.questions) > NAMED:
        _table(tally(judge_grades.grades), both)


def _by_question(judge_grades: JudgeGrades, both: tuple[str, str]) -> None:
    """Dots for the first NAMED questions, the means of all as lines."""
    measured = judge_grades.grades
    shown = measured.questions[:NAMED]
    given = [
        Grade(place, texts.others(judge_grades.questions.get(pair.question, pair.question))[:200], system, grade)
        for place, pair in enumerate(shown, start=1)
        for system, grade in zip(both, (pair.first, pair.second), strict=True)
    ]
    means = [
        GradeMean(system, within.estimate or 0.0, within.low, within.high)
        for system, within in zip(both, (measured.first, measured.second), strict=True)
    ]
    texts.heading(say("systems.grades_chart"))
    chart = grades(given, means, measured.scale.span, (say("systems.question"), say("systems.grade")))
    pictures.show(chart, words=render(graded.picture(shown, both)))
    st.caption(say("systems.grades_first", shown=len(shown), n=len(measured.questions)))


def _table(counted: GradeTally, both: tuple[str, str]) -> None:
    texts.heading(say("systems.grades_table"))
    cells = [
        heat_map.Cell(
            render(coefficient(pair.first)),
            render(coefficient(pair.second)),
            pair.questions,
            render(pair.questions) if pair.questions else "",
        )
        for pair in counted.pairs
    ]
    words = render(graded.tallied(counted))
    left, _ = st.columns([3, 2])
    with left:
        pictures.show(heat_map.heat_map(cells, both[0], both[1]), words=words)
    st.caption(escaped(words))
