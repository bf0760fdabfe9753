"""Questions that are answered in points, and what the points come to.

In come readings with a verdict such as "1.5", out come points and reasons. The rule: points are those that were given, not a mean
over probabilities, because "on the subject, cannot answer" has to be 0.5 exactly and not a shade above a rule's cut.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from proxy.judges.llm.form import Question
from proxy.judges.llm.reading import Answered

# Two questions on the passages, two points each: on the subject? enough for a full answer?
HALF_POINTS = ("0", "0.5", "1", "1.5", "2")
RELEVANCE = (Question(key="subject", choices=HALF_POINTS), Question(key="answerable", choices=HALF_POINTS))


def points(reading: Answered) -> float:
    """The points given."""
    return float(reading.verdict)


def told(readings: Mapping[str, Answered], questions: tuple[Question, ...]) -> str:
    """Each question's points with the model's reason."""
    return "; ".join(
        f"{one.key} {points(readings[one.key]):g} of {float(one.choices[-1]):g}{_why(readings[one.key])}"
        for one in questions
    )


def share(readings: Mapping[str, Answered], questions: tuple[Question, ...]) -> float:
    """Points given / points possible."""
    possible = math.fsum(float(one.choices[-1]) for one in questions)
    return math.fsum(points(readings[one.key]) for one in questions) / possible


def _why(reading: Answered) -> str:
    """The model's reason, on one line."""
    words = " ".join(reading.note.split())
    return f" ({words[:200]})" if words else ""
