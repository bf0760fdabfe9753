"""Compare a judge's scores on the answers of two systems: both means and their difference.

It is a judge's word, no annotator's. Grades from 1 to 5 are shown as such, whatever scale they were kept on; several answers to a
question are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.judges.llm.grading import grade_of
from proxy.stats.sampling.clusters import Members
from proxy.stats.testing.paired_power import MeanWithin, mean_of, welch

GRADERS = ("correctness", "correctness_vs_reference")
GRADED = 5
HALF = 0.5
QUARTERS = frozenset({0.0, 0.25, 0.5, 0.75, 1.0})


class GradeScale(NamedTuple):
    """How a judge's scores in [0, 1] are shown: as they are, or as grades up to `top`."""

    top: int | None
    shown: Callable[[float], float]

    @property
    def span(self) -> tuple[float, float]:
        """The least and the most that can be shown."""
        return self.shown(0.0), self.shown(1.0)


class OfQuestion(NamedTuple):
    """A judge's mean scores of the two answers to a question."""

    question: str
    first: float
    second: float


@dataclass(frozen=True, kw_only=True, slots=True)
class GradesCompared:
    """The mean scores of both systems, and of the differences, second minus first.

    Where they answered the same questions (`is_paired`), all of it is on these; else each mean is over the system's own.
    """

    judge: str
    signature: str
    scale: GradeScale
    first: MeanWithin
    second: MeanWithin
    difference: MeanWithin
    is_paired: bool
    questions: Sequence[OfQuestion]


def scale_of(judge: str, right_from: int | None, values: Sequence[float]) -> GradeScale:
    """Choose the scale to show.

    Grades where an LLM judge says which is the least right, or where a grader's values are quarters, not 0 and 1 alone.
    """
    if right_from is not None:
        least = right_from
        return GradeScale(GRADED, lambda value: grade_of(value, least))
    rounded = {round(value, 6) for value in values}
    if judge in GRADERS and rounded <= QUARTERS and rounded - {0.0, 1.0}:
        return GradeScale(GRADED, lambda value: 1 + (GRADED - 1) * value)
    return GradeScale(None, lambda value: value)


class ScoredAnswers(NamedTuple):
    """A judge's scores on the answers of one side to a question, and the groups that these lie in."""

    values: Sequence[float]
    groups: frozenset[str]


Scores = Mapping[str, ScoredAnswers]


def compared(judge: str, signature: str, scale: GradeScale, sides: tuple[Scores, Scores]) -> GradesCompared:
    """Compare the scores of both systems by question; each has some."""
    shared = sorted(sides[0].keys() & sides[1].keys())
    is_paired = len(shared) >= HALF * min(map(len, sides))
    asked = (shared, shared) if is_paired else (list(sides[0]), list(sides[1]))
    means, other_means = (
        [_mean(scale, scores[question].values) for question in questions]
        for scores, questions in zip(sides, asked, strict=True)
    )
    members = [
        _members(scores[question].groups for question in questions)
        for scores, questions in zip(sides, asked, strict=True)
    ]
    if is_paired:
        both = _members(sides[0][question].groups | sides[1][question].groups for question in shared)
        difference = mean_of([b - a for a, b in zip(means, other_means, strict=True)], both)
    else:
        difference = welch(means, other_means, (members[0], members[1]))
    low, high = scale.span
    return GradesCompared(
        judge=judge,
        signature=signature,
        scale=scale,
        first=_within(mean_of(means, members[0]), low, high),
        second=_within(mean_of(other_means, members[1]), low, high),
        difference=_within(difference, low - high, high - low),
        is_paired=is_paired,
        questions=[OfQuestion(*grades) for grades in zip(shared, means, other_means, strict=True)] if is_paired else [],
    )


def _members(groups: Iterable[frozenset[str]]) -> Members:
    return Members.of([sorted(names) for names in groups])


def _mean(scale: GradeScale, values: Sequence[float]) -> float:
    return sum(map(scale.shown, values)) / len(values)


def _within(mean: MeanWithin, low: float, high: float) -> MeanWithin:
    """Limit the interval to the scale."""
    if mean.low is None or mean.high is None:
        return mean
    return mean._replace(low=max(low, mean.low), high=min(high, mean.high))
