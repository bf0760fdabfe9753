"""Compare a judge's scores on the answers of two systems: both means and their difference.

It is a judge's word, no annotator's. Grades from 1 to 5 are shown as such, whatever scale they were kept on; several answers to a
question are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from proxy.evaluation.estimate import Estimate
from proxy.judges.llm.grading import grade_of
from proxy.stats.intervals import CONFIDENCE
from proxy.stats.sampling.clusters import Members
from proxy.stats.testing.paired_power import MeanWithin, alike, mean_of, welch

GRADERS = ("correctness", "correctness_vs_reference")
# Grades go from 1 to 5, as the LLM judges ask for them.
GRADED = 5
# Most questions are in common.
HALF = 0.5
T = "t interval, questions of one group counted together"
WELCH = "Welch, questions of one group counted together"
ALL_ALIKE = "exact bounds, as all values agree"
# The five grades on [0, 1].
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
    first: Estimate
    second: Estimate
    difference: Estimate
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


def compared(judge: str, signature: str, scale: GradeScale, scores_of_both: tuple[Scores, Scores]) -> GradesCompared:
    """Compare the scores of both systems by question; each has some."""
    shared = sorted(scores_of_both[0].keys() & scores_of_both[1].keys())
    is_paired = len(shared) >= HALF * min(map(len, scores_of_both))
    asked = (shared, shared) if is_paired else (list(scores_of_both[0]), list(scores_of_both[1]))
    means, other_means = (
        [_mean(scale, scores[question].values) for question in questions]
        for scores, questions in zip(scores_of_both, asked, strict=True)
    )
    first, second = (
        _Values(values, tuple(scores[question].groups for question in questions), scale.span)
        for values, scores, questions in zip((means, other_means), scores_of_both, asked, strict=True)
    )
    low, high = scale.span
    if is_paired:
        both = tuple(a | b for a, b in zip(first.groups, second.groups, strict=True))
        gaps = [b - a for a, b in zip(means, other_means, strict=True)]
        difference = _Values(gaps, both, (low - high, high - low)).mean()
    else:
        difference = _apart(first, second)
    return GradesCompared(
        judge=judge,
        signature=signature,
        scale=scale,
        first=first.mean(),
        second=second.mean(),
        difference=difference,
        is_paired=is_paired,
        questions=[OfQuestion(*grades) for grades in zip(shared, means, other_means, strict=True)] if is_paired else [],
    )


class _Values(NamedTuple):
    """A value a question, the groups that it lies in, and the least and the most that it can be."""

    values: Sequence[float]
    groups: Sequence[frozenset[str]]
    span: tuple[float, float]

    @property
    def is_alike(self) -> bool:
        return max(self.values) == min(self.values)

    @property
    def members(self) -> Members:
        return Members.of([sorted(names) for names in self.groups])

    def mean(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return the mean; where all values agree, its exact bounds."""
        if self.is_alike:
            bounds = alike(self.values[0], _without_common_group(self.groups), self.span, confidence)
            return Estimate(
                estimate=self.values[0], low=bounds.low, high=bounds.high, n=len(self.values), method=ALL_ALIKE
            )
        return _estimate(mean_of(self.values, self.members, confidence), T, self.span, (self,))

    @property
    def reason(self) -> str | None:
        """Why the groups give no interval; None where they do."""
        return self.members.effective(np.ones(len(self.values))).reason


def _apart(first: _Values, second: _Values) -> Estimate:
    """Compare the means of different questions.

    Welch's variance of values that all agree would be 0: then the ends of both sides' intervals are set against each other, each
    at half the error, so that both hold at once (Bonferroni).
    """
    low, high = first.span
    if not (first.is_alike or second.is_alike):
        difference = welch(first.values, second.values, (first.members, second.members))
        return _estimate(difference, WELCH, (low - high, high - low), (first, second))
    a, b = (values.mean(1 - (1 - CONFIDENCE) / 2) for values in (first, second))
    gap = Estimate(estimate=(b.estimate or 0.0) - (a.estimate or 0.0), n=a.n + b.n, method=f"{ALL_ALIKE}, Bonferroni")
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return replace(gap, reason=a.reason or b.reason)
    return replace(gap, low=b.low - a.high, high=b.high - a.low)


def _estimate(mean: MeanWithin, method: str, span: tuple[float, float], both: Sequence[_Values]) -> Estimate:
    """Make the estimate of a mean, its interval cut to what can be; the reason where the groups give none."""
    known = Estimate(estimate=mean.mean, n=mean.n, method=method)
    if mean.low is None or mean.high is None:
        return replace(known, reason=next((values.reason for values in both if values.reason), None))
    return replace(known, low=max(span[0], mean.low), high=min(span[1], mean.high))


def _without_common_group(groups: Iterable[frozenset[str]]) -> int:
    """Count questions of which no two share a group, so that their values are independent: a greedy choice."""
    seen: set[str] = set()
    count = 0
    for names in groups:
        if seen.isdisjoint(names):
            seen |= names
            count += 1
    return count


def _mean(scale: GradeScale, values: Sequence[float]) -> float:
    return sum(map(scale.shown, values)) / len(values)
