"""Measure what a judge's new signature changes, on labelled answers that it scored under both signatures.

The answers are the same and so are their labels, so whatever differs is the judge's. The bounds hold at every look,
because anchors are added as labels come; the k-th change may spend 1 / (k (k + 1)) of the stated rate, half on each
question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.drift.drift import sequence_at
from proxy.evaluation.estimate import Estimate
from proxy.stats.testing.paired import Pairs, mcnemar_mid_p
from proxy.stats.testing.sequential import two_sided

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
FEWEST = 20
PLANNED = 100
SPREAD = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeComparison:
    """The differences that the new signature makes on `n` anchors.

    `shift` and `agreement` are after minus before, with bounds valid at every look. `passes_more` and `passes_less` count
    verdicts that flip. Agreement is the share of verdicts that say what annotators say; `mid_p` is McNemar's, of this look alone.
    """

    n: int
    shift: Estimate
    passes_more: int
    passes_less: int
    agreement_before: float
    agreement_after: float
    agreement: Estimate
    mid_p: float

    @property
    def is_shown(self) -> bool:
        """Whether scores or agreement are shown to have changed."""
        return self.shift.excludes_zero or self.agreement.excludes_zero


def compare(
    before: Numbers, after: Numbers, right: Mask, threshold: float, false_alarms: float
) -> JudgeComparison | None:
    """Compare the scores of the same anchors under two signatures with their labels; None with fewer than FEWEST."""
    if right.size < FEWEST:
        return None
    passed, passes = before > threshold, after > threshold
    agreed, agrees = passed == right, passes == right
    difference = after - before
    # one more difference of SPREAD keeps scores that hardly differ from looking certain
    spread = float(np.sqrt((np.sum((difference - difference.mean()) ** 2) + SPREAD**2) / right.size))
    won, lost = (int(np.sum(agrees & ~agreed)), int(np.sum(agreed & ~agrees)))
    gain, loss = (won + 1) / (right.size + 2), (lost + 1) / (right.size + 2)
    return JudgeComparison(
        n=int(right.size),
        shift=_moved(difference, spread, false_alarms / 2),
        passes_more=int(np.sum(passes & ~passed)),
        passes_less=int(np.sum(passed & ~passes)),
        agreement_before=float(agreed.mean()),
        agreement_after=float(agrees.mean()),
        agreement=_moved(
            agrees.astype(np.float64) - agreed, float(np.sqrt(gain + loss - (gain - loss) ** 2)), false_alarms / 2
        ),
        mid_p=mcnemar_mid_p(Pairs(int(np.sum(agreed & agrees)), lost, won, int(np.sum(~agreed & ~agrees)))),
    )


def share_of(number: int, false_alarms: float) -> float:
    """Allot the rate of false alarms of change `number`, from 1: 1 / (k (k + 1)) adds up to 1 over all changes to come."""
    return false_alarms / (number * (number + 1))


def _moved(difference: Numbers, spread: float, alpha: float) -> Estimate:
    """Compute the mean with its confidence sequence, each anchor a batch."""
    sequence = two_sided(
        difference, np.full(difference.size, spread), tightest_at=PLANNED, planned_se=spread, alpha=alpha
    )
    return Estimate(
        estimate=float(difference.mean()),
        low=float(sequence.low[-1]),
        high=float(sequence.high[-1]),
        n=difference.size,
        method=sequence_at(alpha),
    )
