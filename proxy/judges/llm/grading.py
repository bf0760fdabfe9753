"""Judge an answer by a few fixed questions: relevance, correctness from 1 to 5, aspects, and a plain yes or no.

Each judge gives one score from one call. It shows the model only what its question needs; the reference is shown only
by the judge that is named after it.

Define questions that are answered in points, and turn the points into a share. A reading has a verdict such as "1.5". Points
are those that were given, not a mean over probabilities, because "on the subject, cannot answer" has to be 0.5 exactly and
not slightly above a rule's threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.base import (
    Setup,
    Steps,
    not_applicable,
    scored,
    unreadable,
)
from proxy.judges.llm.form import Question
from proxy.judges.llm.reading import QuestionAnswer
from proxy.judges.llm.shown_item import ShownItem
from proxy.records import Item

Readings = Mapping[str, QuestionAnswer]
GRADES = Question(key="grade", choices=("1", "2", "3", "4", "5"))
YES_NO = ("no", "yes")
# Two questions on the passages, two points each: on the subject? enough for a full answer?
HALF_POINTS = ("0", "0.5", "1", "1.5", "2")
RELEVANCE = (Question(key="subject", choices=HALF_POINTS), Question(key="answerable", choices=HALF_POINTS))


@dataclass(frozen=True, kw_only=True)
class Grader:
    """A judge of one call: its parts of the item, its questions, and how the replies become a value and a reason.

    `shows` are the parts of the item in the user message; without any of them the judge does not apply, but for `may_show`.
    """

    setup: Setup
    name: str
    prompt: str
    shows: tuple[str, ...]
    questions: tuple[Question, ...]
    value: Callable[[Readings], float]
    reason: Callable[[Readings], str]
    may_show: tuple[str, ...] = ()
    own: Mapping[str, object] = field(default_factory=dict)
    version: int = 1

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The single score of an item."""
        return ((self.name, self.setup.signature(self.name, self.prompt, self.version, **self.own)),)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signature's digest stands for."""
        return self.setup.settings(self.prompt, **self.own)

    def steps(self, item: Item) -> Steps:
        """Ask once, and once more where the reply cannot be read."""
        shown, parts = ShownItem(setup=self.setup, item=item), (*self.shows, *self.may_show)
        if reason := shown.missing(self.shows):
            return not_applicable(self, item, reason)
        places = {"aspect": str(self.own["aspect"])} if "aspect" in self.own else {}
        try:
            readings = yield from shown.asked(self.prompt, self.questions, shown.parts(parts), **places)
        except Unreadable as fault:
            return unreadable(self, item, fault)
        return (scored(item, self.judges[0], self.value(readings), self.reason(readings) + shown.note(parts)),)


def answer_relevance(setup: Setup) -> Grader:
    """Make a judge of answer relevance: points of two questions / 2, on the subject and on what is asked of it."""
    questions = tuple(Question(key=key, choices=("0", "0.5", "1")) for key in ("subject", "focus"))
    return Grader(
        setup=setup,
        name="answer_relevance",
        prompt="answer_relevance",
        shows=("question", "answer"),
        questions=questions,
        value=lambda readings: share(readings, questions),
        reason=lambda readings: describe(readings, questions),
    )


def correctness(setup: Setup, *, right_from: int = 4, with_reference: bool = False) -> Grader:
    """Make a judge of correctness, a grade from 1 to 5 scaled so that 0.5 lies just below `right_from` (4 or 5).

    `right_from` is the least grade that counts as right.
    """
    name = "correctness_vs_reference" if with_reference else "correctness"
    return Grader(
        setup=setup,
        name=name,
        prompt=name,
        shows=("question", "answer", "reference") if with_reference else ("question", "answer"),
        questions=(GRADES,),
        value=lambda readings: scaled_grade(points(readings["grade"]), right_from),
        reason=lambda readings: describe(readings, (GRADES,)),
        own={"right_from": right_from},
    )


def scaled_grade(grade: float, right_from: int) -> float:
    """Scale linearly from 1 (0) to right_from - 1/2 (0.5), and on to 5 (1): a threshold of 0.5 parts right from wrong."""
    middle = right_from - 0.5
    return (grade - 1) / (middle - 1) / 2 if grade <= middle else 0.5 + (grade - middle) / (5 - middle) / 2


def grade_of(value: float, right_from: int) -> float:
    """Return the grade from 1 to 5 behind a scaled value."""
    middle = right_from - 0.5
    return 1 + 2 * value * (middle - 1) if value <= 0.5 else middle + 2 * (value - 0.5) * (5 - middle)


def aspect(setup: Setup, name: str, definition: str) -> Grader:
    """Make a judge of an aspect: P(yes) to "does the answer show this aspect?", or 1 and 0 where no probabilities come."""
    return Grader(
        setup=setup,
        name=name,
        prompt="aspect",
        shows=("question", "answer"),
        may_show=("passages",),
        questions=(Question(key="aspect", choices=YES_NO),),
        value=lambda readings: yes(readings["aspect"]),
        reason=lambda readings: verdict_reason(readings["aspect"]),
        own={"aspect": definition},
    )


def faithfulness_yes_no(setup: Setup) -> Grader:
    """Make a judge of whether any passage supports the whole answer: 1 or 0.

    This is another quantity than faithfulness by sentences.
    """
    return Grader(
        setup=setup,
        name="faithfulness_yes_no",
        prompt="faithfulness_yes_no",
        shows=("passages", "answer"),
        questions=(Question(key="faithful", choices=YES_NO),),
        value=lambda readings: yes(readings["faithful"]),
        reason=lambda readings: verdict_reason(readings["faithful"]),
    )


def overall(setup: Setup) -> Grader:
    """Make a judge of whether an answer is right as a whole, by the passages where there are some: P(yes), or 1 and 0.

    It needs no reference, and is asked what experts are asked.
    """
    return Grader(
        setup=setup,
        name="overall",
        prompt="overall",
        shows=("question", "answer"),
        may_show=("passages",),
        questions=(Question(key="right", choices=YES_NO),),
        value=lambda readings: yes(readings["right"]),
        reason=lambda readings: verdict_reason(readings["right"]),
    )


def yes(reading: QuestionAnswer) -> float:
    """Return P(yes), or 1 and 0 without probabilities."""
    return reading.chances["yes"] if reading.chances else float(reading.verdict == "yes")


def verdict_reason(reading: QuestionAnswer) -> str:
    """Format the verdict with the model's reason."""
    words = " ".join(reading.note.split())
    return f"{reading.verdict}: {words[:300]}" if words else reading.verdict


def points(reading: QuestionAnswer) -> float:
    """Return the points given."""
    return float(reading.verdict)


def describe(readings: Mapping[str, QuestionAnswer], questions: tuple[Question, ...]) -> str:
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
