"""Define questions that are answered in points, and turn the points into a share.

A reading has a verdict such as "1.5". Points are those that were given, not a mean over probabilities, because "on the
subject, cannot answer" has to be 0.5 exactly and not slightly above a rule's cut.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from proxy.judges.llm.form import Question
from proxy.judges.llm.reading import QuestionAnswer

# Two questions on the passages, two points each: on the subject? enough for a full answer?
HALF_POINTS = ("0", "0.5", "1", "1.5", "2")
RELEVANCE = (Question(key="subject", choices=HALF_POINTS), Question(key="answerable", choices=HALF_POINTS))


def points(reading: QuestionAnswer) -> float:
    """Return the points given."""
    return float(reading.verdict)


def told(readings: Mapping[str, QuestionAnswer], questions: tuple[Question, ...]) -> str:
    """Format each question's points with the model's reason."""
    return "; ".join(
        f"{question.key} {points(readings[question.key]):g} of {float(question.choices[-1]):g}{_why(readings[question.key])}"
        for question in questions
    )


def share(readings: Mapping[str, QuestionAnswer], questions: tuple[Question, ...]) -> float:
    """Compute points given / points possible."""
    possible = math.fsum(float(question.choices[-1]) for question in questions)
    return math.fsum(points(readings[question.key]) for question in questions) / possible


def _why(reading: QuestionAnswer) -> str:
    """Format the model's reason on one line."""
    words = " ".join(reading.note.split())
    return f" ({words[:200]})" if words else ""
