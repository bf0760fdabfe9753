"""Score a system's answers to test items by RGB's four abilities: as RGB does, and with the faults of its code fixed.

Items of one source passage succeed and fail together, so intervals count source passages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from proxy.evaluation.estimate import Estimate
from proxy.questions.marking import AnswerMarks, Marking, fixed_marks, rgb_is_corrected, rgb_marks
from proxy.questions.records import Ability, QuestionItem
from proxy.reason import Reason
from proxy.stats.components import components
from proxy.stats.effective import effective_n
from proxy.stats.intervals import wilson
from proxy.stats.sampling.clusters import Ways, clustered, effective

METHOD = "share of items, Wilson at the effective sample size, items of one source passage together"
NO_ITEM = "no answer to an item of this kind was given"
NO_DETECTION = "undefined: no error was detected"
TOGETHER = "no interval: all of these items share source passages"


class AbilityQuantity(StrEnum):
    """What is measured of a system."""

    NOISE_ROBUSTNESS = "noise_robustness"
    NEGATIVE_REJECTION = "negative_rejection"
    INFORMATION_INTEGRATION = "information_integration"
    ERROR_DETECTION = "error_detection"
    ERROR_CORRECTION = "error_correction"


class GivenAnswer(NamedTuple):
    """An answer of a system to a test item."""

    item: QuestionItem
    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AbilityScore:
    """One quantity by both ways of marking; `noise_rate` where it is measured at each, `passages` counts source passages."""

    quantity: AbilityQuantity
    noise_rate: float | None
    rgb: Estimate
    fixed: Estimate
    passages: int


class _Marked(NamedTuple):
    """An answer with its marks."""

    group: int
    marks: AnswerMarks


def ability_scores(answers: Sequence[GivenAnswer]) -> tuple[AbilityScore, ...]:
    """Score answers by every ability: noise robustness at each noise rate, lowest first, then the others.

    Parameters
    ----------
    answers : Sequence of GivenAnswer
        Each with its item; an empty answer is a wrong one.

    Returns
    -------
    tuple of AbilityScore
        Noise robustness is the share with every expected text at that rate, as is information integration. Negative rejection is
        the share that refuses where no passage holds the answer. Error detection is the share that names an error in changed
        passages, error correction the share of those that give the true answer.
    """
    by_ability = {ability: [given for given in answers if given.item.ability is ability] for ability in Ability}
    noise = by_ability[Ability.NOISE]
    rates = sorted({given.item.noise_rate for given in noise})
    changed = by_ability[Ability.COUNTERFACTUAL]
    return (
        *(
            _score(AbilityQuantity.NOISE_ROBUSTNESS, [given for given in noise if given.item.noise_rate == rate], rate)
            for rate in rates or (None,)
        ),
        _score(AbilityQuantity.NEGATIVE_REJECTION, by_ability[Ability.REJECTION]),
        _score(AbilityQuantity.INFORMATION_INTEGRATION, by_ability[Ability.INTEGRATION]),
        _score(AbilityQuantity.ERROR_DETECTION, changed),
        _score(AbilityQuantity.ERROR_CORRECTION, changed),
    )


def _score(quantity: AbilityQuantity, answers: Sequence[GivenAnswer], rate: float | None = None) -> AbilityScore:
    # Items that share a source passage, by themselves or through others, are one group.
    groups = components(given.item.sources for given in answers)
    estimates = {marking: _estimate(quantity, _marked(answers, groups, marking), marking) for marking in Marking}
    return AbilityScore(
        quantity=quantity,
        noise_rate=rate,
        rgb=estimates[Marking.RGB],
        fixed=estimates[Marking.FIXED],
        passages=len({source for given in answers for source in given.item.sources}),
    )


def _marked(answers: Sequence[GivenAnswer], groups: Sequence[int], marking: Marking) -> list[_Marked]:
    return [_Marked(group, _marks(given, marking)) for given, group in zip(answers, groups, strict=True)]


def _marks(given: GivenAnswer, marking: Marking) -> AnswerMarks:
    item = given.item
    if marking is Marking.RGB:
        return rgb_marks(given.answer, item.expected)
    return fixed_marks(given.answer, item.expected, (item.question, *(passage.text for passage in item.contexts)))


def _estimate(quantity: AbilityQuantity, answers: Sequence[_Marked], marking: Marking) -> Estimate:
    if quantity is not AbilityQuantity.ERROR_CORRECTION:
        return _share(answers, _SUCCESS[quantity], NO_ITEM)
    detected = [answer for answer in answers if answer.marks.is_detection]
    is_corrected = rgb_is_corrected if marking is Marking.RGB else _is_right
    return _share(detected, is_corrected, NO_DETECTION if answers else NO_ITEM)


def _is_right(marks: AnswerMarks) -> bool:
    return marks.is_right


_SUCCESS: dict[AbilityQuantity, Callable[[AnswerMarks], bool]] = {
    AbilityQuantity.NOISE_ROBUSTNESS: _is_right,
    AbilityQuantity.INFORMATION_INTEGRATION: _is_right,
    AbilityQuantity.NEGATIVE_REJECTION: lambda marks: marks.is_rejection,
    AbilityQuantity.ERROR_DETECTION: lambda marks: marks.is_detection,
}


def _share(answers: Sequence[_Marked], is_success: Callable[[AnswerMarks], bool], undefined: str) -> Estimate:
    successes = [is_success(answer.marks) for answer in answers]
    return clustered_share(successes, [answer.group for answer in answers], undefined)


def clustered_share(successes: Sequence[bool], groups: Sequence[int], undefined: str) -> Estimate:
    """Estimate a share of items that come in groups.

    Wilson's interval at the effective sample size, with the variance between groups V = C / (C - 1) sum over groups of
    (sum of (y - p) / n)^2, and t with C - 1 degrees of freedom where a group has several items. A few errors say little of how
    alike the items of a group are: with the weight of one error they count as wholly alike.
    """
    if not successes:
        return Estimate(estimate=None, reason=Reason(undefined))
    number = np.unique(np.array(groups), return_inverse=True)[1]
    right, ways = np.array(successes, dtype=np.float64), Ways.of(number)
    count, p = len(right), float(right.mean())
    if number.max() == 0 and count > 1:
        return Estimate(estimate=p, n=count, method=METHOD, reason=Reason(TOGETHER))
    units = effective(ways, np.ones(count))
    variance = clustered((right - p) / count, ways).variance
    df = units.df if units.is_together else math.inf
    size = effective_n(p, variance, count, units.clusters, pull=count / units.clusters)
    interval = wilson(p, size, df=df)
    return Estimate(estimate=p, low=interval.low, high=interval.high, n=count, method=METHOD)
