"""A judge's scores on the answers of two systems: scores by question in, means and their difference out.

It is a judge's word, no person's. Grades from 1 to 5 are shown as such, whatever scale they were kept on; several answers to a
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


class Scale(NamedTuple):
    """How a judge's scores in [0, 1] are shown: as they are, or as grades up to `top`."""

    top: int | None
    shown: Callable[[float], float]

    @property
    def span(self) -> tuple[float, float]:
        """The least and the most that can be shown."""
        return self.shown(0.0), self.shown(1.0)


class OfQuestion(NamedTuple):
    """What the judge gave the two answers to a question."""

    question: str
    first: float
    second: float


@dataclass(frozen=True, kw_only=True, slots=True)
class GradesCompared:
    """The means of both, and of the differences, second minus first.

    Where they answered the same questions (`is_paired`), all of it is on these; else each mean is over the system's own.
    """

    judge: str
    signature: str
    scale: Scale
    first: MeanWithin
    second: MeanWithin
    difference: MeanWithin
    is_paired: bool
    questions: Sequence[OfQuestion]


def scale_of(judge: str, right_from: int | None, values: Sequence[float]) -> Scale:
    """Grades where a model's judge says which is the least right, or where a grader's values are quarters, not 0 and 1 alone."""
    if right_from is not None:
        least = right_from
        return Scale(GRADED, lambda value: grade_of(value, least))
    found = {round(value, 6) for value in values}
    if judge in GRADERS and found <= QUARTERS and found - {0.0, 1.0}:
        return Scale(GRADED, lambda value: 1 + (GRADED - 1) * value)
    return Scale(None, lambda value: value)


class Scored(NamedTuple):
    """A judge's scores on the answers of one side to a question, and the groups that these lie in."""

    values: Sequence[float]
    groups: frozenset[str]


Scores = Mapping[str, Scored]


def compared(judge: str, signature: str, scale: Scale, sides: tuple[Scores, Scores]) -> GradesCompared:
    """From the scores of either side by question; each side has some."""
    shared = sorted(sides[0].keys() & sides[1].keys())
    is_paired = len(shared) >= HALF * min(map(len, sides))
    asked = (shared, shared) if is_paired else (list(sides[0]), list(sides[1]))
    ones, others = ([_mean(scale, side[one].values) for one in each] for side, each in zip(sides, asked, strict=True))
    members = [_members(side[one].groups for one in each) for side, each in zip(sides, asked, strict=True)]
    if is_paired:
        both = _members(sides[0][one].groups | sides[1][one].groups for one in shared)
        difference = mean_of([b - a for a, b in zip(ones, others, strict=True)], both)
    else:
        difference = welch(ones, others, (members[0], members[1]))
    low, high = scale.span
    return GradesCompared(
        judge=judge,
        signature=signature,
        scale=scale,
        first=_within(mean_of(ones, members[0]), low, high),
        second=_within(mean_of(others, members[1]), low, high),
        difference=_within(difference, low - high, high - low),
        is_paired=is_paired,
        questions=[OfQuestion(*one) for one in zip(shared, ones, others, strict=True)] if is_paired else [],
    )


def _members(groups: Iterable[frozenset[str]]) -> Members:
    return Members.of([sorted(each) for each in groups])


def _mean(scale: Scale, values: Sequence[float]) -> float:
    return sum(map(scale.shown, values)) / len(values)


def _within(found: MeanWithin, low: float, high: float) -> MeanWithin:
    """No end beyond what the scale has."""
    if found.low is None or found.high is None:
        return found
    return found._replace(low=max(low, found.low), high=min(high, found.high))
