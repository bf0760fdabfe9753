"""Count how many questions got which two grades from a judge.

Grades are counted at the nearest of five levels; the means and the difference are not made from these counts.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from proxy.comparison.graded import GRADED, GradeScale, GradesCompared, OfQuestion


class GradePair(NamedTuple):
    """The number of questions with about this grade for the first answer and that for the second."""

    first: float
    second: float
    questions: int


class GradeTally(NamedTuple):
    """Every pair of the five levels, and how many questions have a higher, lower or equal grade for the second."""

    levels: tuple[float, ...]
    pairs: tuple[GradePair, ...]
    higher: int
    lower: int
    equal: int


def levels_of(scale: GradeScale, question: OfQuestion) -> tuple[int, int]:
    """Return the nearest of the five levels to each of the two grades, counted from 0."""
    low, high = scale.span
    step = (high - low) / (GRADED - 1)
    first, second = (
        min(GRADED - 1, max(0, round((grade - low) / step))) for grade in (question.first, question.second)
    )
    return first, second


def tally(compared: GradesCompared) -> GradeTally:
    """Count the questions by their two grades; nothing where the systems were not asked the same questions."""
    low, high = compared.scale.span
    step = (high - low) / (GRADED - 1)
    levels = tuple(low + step * place for place in range(GRADED))
    counts = Counter(levels_of(compared.scale, question) for question in compared.questions)
    signs = Counter(
        (question.second > question.first) - (question.second < question.first) for question in compared.questions
    )
    return GradeTally(
        levels=levels,
        pairs=tuple(GradePair(levels[a], levels[b], counts[a, b]) for a in range(GRADED) for b in range(GRADED)),
        higher=signs[1],
        lower=signs[-1],
        equal=signs[0],
    )
