"""A judge's scores on the answers of two systems: scores by question in, means and their difference out.

It is a judge's word, no person's. Grades from 1 to 5 are shown as such, whatever scale they were kept on; several answers to a
question are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.judges.llm.grading import grade_of
from proxy.stats.paired_power import MeanWithin, mean_of, welch

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

    group: str
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


Scores = Mapping[str, Sequence[float]]


def compared(judge: str, signature: str, scale: Scale, sides: tuple[Scores, Scores]) -> GradesCompared:
    """From the scores of either side by question; each side has some."""
    a, b = ({group: _mean(scale, values) for group, values in side.items()} for side in sides)
    shared = sorted(a.keys() & b.keys())
    is_paired = len(shared) >= HALF * min(len(a), len(b))
    if is_paired:
        a, b = ({group: side[group] for group in shared} for side in (a, b))
    ones, others = list(a.values()), list(b.values())
    difference = mean_of([b[group] - a[group] for group in shared]) if is_paired else welch(ones, others)
    low, high = scale.span
    return GradesCompared(
        judge=judge,
        signature=signature,
        scale=scale,
        first=_within(mean_of(ones), low, high),
        second=_within(mean_of(others), low, high),
        difference=_within(difference, low - high, high - low),
        is_paired=is_paired,
        questions=[OfQuestion(group, a[group], b[group]) for group in shared] if is_paired else [],
    )


def _mean(scale: Scale, values: Sequence[float]) -> float:
    return sum(map(scale.shown, values)) / len(values)


def _within(found: MeanWithin, low: float, high: float) -> MeanWithin:
    """No end beyond what the scale has."""
    if found.low is None or found.high is None:
        return found
    return found._replace(low=max(low, found.low), high=min(high, found.high))
