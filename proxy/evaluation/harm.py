"""Estimate the share of all answers that are seriously harmful, from experts' labels on the sample.

An answer is harmful in the place of wrong: P(seriously harmful) = 1 - P(not seriously harmful), each draw weighted by its
inclusion probability as in correctness. Right answers are not harmful. A wrong answer whose label says nothing of harm may be
either, so the quantity lies between what both would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import DECIDED
from proxy.reason import Reason
from proxy.records import Judgement
from proxy.stats.intervals import Interval

UNSAID = "not measurable: {count} drawn answers were called wrong without a word on harm"


def harm_share(evidence: Evidence, is_serious: Sequence[bool | None]) -> Estimate:
    """Estimate the share of all answers that are seriously harmful.

    Parameters
    ----------
    evidence : Evidence
        The draws.
    is_serious : sequence of bool or None
        For each item of the sample whether its label says serious harm; None where it does not say. Only wrong ones count.

    Returns
    -------
    Estimate
        Bounds without an estimate where some of the wrong labels do not say, or labels cannot speak for some answers.
    """
    wrong = [item.judgement is Judgement.WRONG for item in evidence.sample]
    unsaid = sum(harm is None for harm, is_wrong in zip(is_serious, wrong, strict=True) if is_wrong)
    least = _share(evidence, [is_wrong and bool(harm) for harm, is_wrong in zip(is_serious, wrong, strict=True)])
    if not unsaid:
        return least
    most = _share(evidence, [is_wrong and harm is not False for harm, is_wrong in zip(is_serious, wrong, strict=True)])
    reason: str | None = Reason(UNSAID, count=unsaid)
    if least.estimate is None or most.estimate is None:
        reason = least.reason or reason
    behind = Interval(least.long_run.low, most.long_run.high) if least.long_run and most.long_run else None
    return replace(least, estimate=None, high=most.high, long_run=behind, reason=reason)


def _share(evidence: Evidence, is_harmful: Sequence[bool]) -> Estimate:
    return correctness_of(called_wrong(evidence, is_harmful)).complement()


def called_wrong(evidence: Evidence, is_wrong: Sequence[bool]) -> Evidence:
    """Relabel the evidence: every decided label is right but for those that are marked here."""
    sample = [
        item._replace(judgement=Judgement.WRONG if wrong else Judgement.RIGHT) if item.judgement in DECIDED else item
        for item, wrong in zip(evidence.sample, is_wrong, strict=True)
    ]
    return replace(evidence.with_sample(sample), whole=evidence.whole or evidence)
