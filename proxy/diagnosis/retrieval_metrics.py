"""Say what context recall and context precision tell of wrong answers: passages that were missed, noise, or neither.

Precision is compared only among answers of high recall, so that noise is never blamed for what was missed. What an interval does
not show is no advice.

What is low of a contrast is parted where the scores lie, so that both parts have answers; whether an answer was well retrieved
has bounds that hold for any traffic, since the upper half of poor passages is still poor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proxy.diagnosis.contrast import MATTERS, StageContrast
from proxy.evaluation.estimate import Estimate

# Both contrasts are made at once.
COMPARISONS = 2
# The share of the wrong answers from which on they are most of them.
MOST = 0.5


class RetrievalAdvice(StrEnum):
    """What retrieval metrics show to be worth trying."""

    FIND_MORE = "find_more"  # answers of low recall are wrong more often
    CLEAN = "clean"  # of those of high recall, answers of low precision are
    OTHER_MODEL = "other_model"  # most wrong answers were well retrieved


class Finding(StrEnum):
    """What an interval says of a claim."""

    SHOWN = "shown"
    RULED_OUT = "ruled_out"
    OPEN = "open"


class RetrievalThresholds(NamedTuple):
    """The highest value that counts as low, of recall and of precision."""

    recall: float
    precision: float


class RetrievalBounds(NamedTuple):
    """The lowest recall and the lowest precision of an answer that was well retrieved."""

    recall: float
    precision: float


# Every relevant passage, and no more noise than passages of use.
WELL_RETRIEVED = RetrievalBounds(recall=1.0, precision=0.5)


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalMetrics:
    """Wrong answers against context recall and precision, on `answers` that have both.

    `recall` is the contrast of low with high recall, `precision` that of low with high precision among answers of high recall,
    `well_retrieved` the share of the wrong answers within WELL_RETRIEVED. `objections` forbid any claim from the labels.
    """

    thresholds: RetrievalThresholds
    answers: int
    recall: StageContrast
    precision: StageContrast
    well_retrieved: Estimate
    objections: tuple[str, ...] = ()

    def of_contrast(self, contrast: StageContrast) -> Finding:
        """Say whether a contrast is shown, or shown to be smaller than one that matters."""
        if self.objections:
            return Finding.OPEN
        if contrast.is_shown:
            return Finding.SHOWN
        high = contrast.difference.high
        return Finding.RULED_OUT if high is not None and high < MATTERS else Finding.OPEN

    @property
    def of_most(self) -> Finding:
        """Say whether most wrong answers were well retrieved, in the long run."""
        ends = self.well_retrieved.long_run
        if self.objections or ends is None:
            return Finding.OPEN
        if ends.low > MOST:
            return Finding.SHOWN
        return Finding.RULED_OUT if ends.high < MOST else Finding.OPEN

    @property
    def of_model(self) -> Finding:
        """Say whether to try another model: ruled out only where low recall or precision is shown to make answers wrong.

        That few wrong answers were well retrieved shows nothing by itself: as few of the right ones may have been.
        """
        contrasts = (self.of_contrast(self.recall), self.of_contrast(self.precision))
        if self.of_most is Finding.RULED_OUT and Finding.SHOWN not in contrasts:
            return Finding.OPEN
        return self.of_most

    @property
    def advice(self) -> tuple[RetrievalAdvice, ...]:
        """What is shown to be worth trying, in the order of the pipeline."""
        findings = {
            RetrievalAdvice.FIND_MORE: self.of_contrast(self.recall),
            RetrievalAdvice.CLEAN: self.of_contrast(self.precision),
            RetrievalAdvice.OTHER_MODEL: self.of_model,
        }
        return tuple(advice for advice, finding in findings.items() if finding is Finding.SHOWN)


def halving(counts: Mapping[float, int]) -> float | None:
    """Return the value that parts the answers most evenly, itself on the low side; None where all have the same value.

    It reads scores and no label, so no contrast was chosen by what it shows.
    """
    values, total = sorted(counts), sum(counts.values())
    below, best = 0, list[tuple[float, float]]()
    for value in values[:-1]:
        below += counts[value]
        best.append((abs(below / total - 0.5), value))
    return min(best)[1] if best else None
