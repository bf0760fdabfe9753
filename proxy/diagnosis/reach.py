"""Say whether labels can compare the two sides of a threshold, and if not, what would help.

That is the labels that each side lacks, and another threshold.

Each system is compared with itself, so both sides need answers of one system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.evaluation.domains import FEWEST_LABELS

# The digits in which a person writes a threshold.
DIGITS = 2


class ReachedScore(NamedTuple):
    """An answer's score, and whether a drawn label says or may still say right or wrong of it."""

    value: float
    is_decided: bool
    is_open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Reach:
    """The facts about a comparison that the labels at hand do not allow; pairs are of the bad and the good side.

    `is_one_sided`: no system has answers enough on both sides. `needed` are the labels that the system nearest to a comparison
    lacks, None where no system can come to one. `threshold` is another one that leaves some system enough answers on both sides.
    """

    answers: tuple[int, int]
    lowest: float
    highest: float
    is_one_sided: bool
    needed: tuple[int, int] | None
    threshold: float | None


def reach(scores: Mapping[str | None, Sequence[ReachedScore]], threshold: float) -> Reach | None:
    """Compute the reach of a comparison at this threshold, the answers given by system; None where no answer has a score."""
    values = [answer.value for answers in scores.values() for answer in answers]
    if not values:
        return None
    pairs = [
        tuple([answer for answer in answers if (answer.value > threshold) is is_good] for is_good in (False, True))
        for answers in scores.values()
    ]
    lacking = [(_lacking(bad), _lacking(good)) for bad, good in pairs if _can_do(bad) and _can_do(good)]
    thresholds = (_other_threshold(answers) for answers in sorted(scores.values(), key=len, reverse=True))
    return Reach(
        answers=(sum(len(bad) for bad, _ in pairs), sum(len(good) for _, good in pairs)),
        lowest=min(values),
        highest=max(values),
        is_one_sided=all(min(len(bad), len(good)) < FEWEST_LABELS for bad, good in pairs),
        needed=min(lacking, key=sum, default=None),
        threshold=next((candidate for candidate in thresholds if candidate is not None), None),
    )


def _lacking(side: Sequence[ReachedScore]) -> int:
    return max(0, FEWEST_LABELS - sum(answer.is_decided for answer in side))


def _can_do(side: Sequence[ReachedScore]) -> bool:
    return sum(answer.is_decided or answer.is_open for answer in side) >= FEWEST_LABELS


def _other_threshold(scores: Sequence[ReachedScore]) -> float | None:
    """Return the median, or the highest score with enough answers above it; None where none leaves enough on both sides."""
    values = sorted(answer.value for answer in scores)
    if len(values) < 2 * FEWEST_LABELS or values[FEWEST_LABELS - 1] >= values[-FEWEST_LABELS]:
        return None
    least, below = values[FEWEST_LABELS - 1], values[-FEWEST_LABELS]
    exact = min(values[(len(values) - 1) // 2], max(value for value in values if value < below))
    rounded = round(exact, DIGITS)
    chosen = rounded if least <= rounded < below else exact
    return chosen if 0 <= chosen < 1 else None
