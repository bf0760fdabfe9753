"""What a judge of correctness gave both: grades by question and system, means, their difference; a judge's word, not a label.

A dot opens both answers to its question, a cell lists its questions, and each of these opens both answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.analysis.comparison.graded import NAMED, GradedAnswers, JudgeGrades, graded_answers
from annotate.charts import heat_map
from annotate.charts.grades import Grade, GradeMean, grades
from annotate.domain.message import coefficient, message
from annotate.pages.comparison.sides import labels
from annotate.pages.kit import draw, pictures, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import graded
from annotate.store import Store
from proxy.comparison.grade_pairs import GradeTally, levels_of, tally
from proxy.comparison.graded import OfQuestion

BETWEEN = ","  # of the two levels of a cell


def show(store: Store, result: ComparedSystems) -> None:
    """Means as cards, then each question by system, all questions by both grades where they are many, and their answers."""
    judge_grades = result.judge_grades
    if judge_grades is None:
        st.caption(marked("systems.grades_none"))
        return
    both = labels(result)
    draw.messages(graded.basis(judge_grades))
    draw.cards(graded.figures(judge_grades, both))
    if not judge_grades.grades.questions:
        return
    if (dot := _by_question(judge_grades, both)) is not None:
        _read(_answers(store, result, judge_grades, [judge_grades.grades.questions[dot - 1]])[0], both, "dot")
    cell = None
    if len(judge_grades.grades.questions) > NAMED:
        cell = _table(tally(judge_grades.grades), both)
    _questions(store, result, judge_grades, both, cell)


def _by_question(judge_grades: JudgeGrades, both: tuple[str, str]) -> int | None:
    """Dots for the first NAMED questions, the means of all as lines; the number of the question whose dot was clicked."""
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
    picked = pictures.picked(chart, "systems-grades-dots", words=render(graded.picture(shown, both)))
    st.caption(say("systems.grades_first", shown=len(shown), n=len(measured.questions)))
    place = int(str(picked["place"])) if picked else 0
    return place if 1 <= place <= len(shown) else None


def _table(counted: GradeTally, both: tuple[str, str]) -> tuple[int, int] | None:
    """How many questions got which two grades; the levels of the cell that was clicked."""
    texts.heading(say("systems.grades_table"))
    cells = [
        heat_map.Cell(
            render(coefficient(pair.first)),
            render(coefficient(pair.second)),
            pair.questions,
            render(pair.questions) if pair.questions else "",
            f"{counted.levels.index(pair.first)}{BETWEEN}{counted.levels.index(pair.second)}" if pair.questions else "",
        )
        for pair in counted.pairs
    ]
    words = render(graded.tallied(counted))
    left, _ = st.columns([3, 2])
    with left:
        picked = pictures.picked(heat_map.heat_map(cells, both[0], both[1]), "systems-grades-cells", words=words)
    st.caption(escaped(words))
    if not picked or not picked.get("code"):
        return None
    first, second = str(picked["code"]).split(BETWEEN)
    return int(first), int(second)


def _questions(
    store: Store,
    result: ComparedSystems,
    judge_grades: JudgeGrades,
    both: tuple[str, str],
    cell: tuple[int, int] | None,
) -> None:
    """The questions of the cell that was clicked, else the first ones; one that is chosen opens both answers."""
    every = judge_grades.grades.questions
    wanted = [question for question in every if cell is None or levels_of(judge_grades.grades.scale, question) == cell]
    shown = wanted if cell else wanted[:NAMED]
    answers = _answers(store, result, judge_grades, shown) if cell else []
    known = {
        question.question: read.question for question, read in zip(shown, answers, strict=False)
    } or judge_grades.questions
    table = graded.questions(shown, known, both, len(wanted), has_link=True)
    place = draw.table(table, message("systems.grades_chart"), select="graded-of-cell" if cell else "graded")
    if place is not None:
        _read(answers[place] if answers else _answers(store, result, judge_grades, [shown[place]])[0], both, "row")


def _answers(
    store: Store, result: ComparedSystems, judge_grades: JudgeGrades, questions: Sequence[OfQuestion]
) -> list[GradedAnswers]:
    first, second = (side.selection for side in result.sides)
    return graded_answers(store, (first, second), judge_grades.grades, [question.question for question in questions])


def _read(answers: GradedAnswers, both: tuple[str, str], key: str) -> None:
    """The question with the answers of both, side by side."""
    with st.container(border=True):
        texts.show_conversation(answers.first[0].history, f"graded-{key}-before")
        texts.heading(say("systems.question"))
        texts.show(answers.question, f"graded-{key}-question")
        for column, label, items in zip(st.columns(2), both, (answers.first, answers.second), strict=True):
            with column:
                for place, item in enumerate(items):
                    texts.small([f"{label} · {texts.others(item.id)}"])
                    texts.show(item.answer, f"graded-{key}-{label}-{place}")
