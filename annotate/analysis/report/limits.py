"""Check a report against each limit that the team set.

These are the conditions of the verdict (`limit` in [report]) and of `assay report --gate` ([gate.report]) in a list. All are met,
or not examined, exactly where the gate passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from annotate.analysis.report.head import ReportHead
from annotate.domain.gate_limits import ReportLimits
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability
from proxy.evaluation.estimate import Estimate

VERDICT, BEYOND_CHANCE, ANNOTATORS, HARM = "pass_precision", "beyond_chance", "annotators", "serious_harm"


class LimitStatus(StrEnum):
    """The state of a limit: shown to be met, shown to be missed, not decided by the labels so far, or nothing to be known.

    UNEXAMINED is a count of 0 marks of harm where no label speaks of harm: none was found, and nobody need have looked. So is
    the agreement of annotators where no answer has a right or wrong from two of them.
    """

    MET = "met"
    MISSED = "missed"
    OPEN = "open"
    UNMEASURABLE = "unmeasurable"
    UNEXAMINED = "unexamined"


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitCheck:
    """One limit and what was found: a quantity by its name in the report, or a count, which has no interval.

    `behind` is the share of all answers that a count of labels stands for.
    """

    name: str
    limit: float
    standing: LimitStatus
    estimate: Estimate | None = None
    count: int = 0
    behind: Estimate | None = None


def check_limits(report: ReportHead, limits: ReportLimits) -> tuple[LimitCheck, ...]:
    """Check every limit; `limits` are those that the report was built under. Low ends of long-run intervals are compared.

    Those intervals hold whatever the drawn answers without a right or wrong are.
    """
    evidence = report.evidence
    rows = [
        _precision(evidence.spanned(VERDICT), report.trust.limit),
        _beyond_chance(evidence.spanned("kappa")),
    ]
    rows += _annotators(evidence.annotators)
    rows += [_at_least(name, evidence.spanned(name), limit) for name, limit in limits.at_least.items()]
    return (*rows, _harm(report, limits))


def _annotators(agreement: AnnotatorAgreement) -> Iterator[LimitCheck]:
    """Check that annotators are not shown to agree no better than chance, on all traffic, as the verdict does."""
    if not agreement.n:
        yield LimitCheck(name=ANNOTATORS, limit=0.0, standing=LimitStatus.UNEXAMINED, estimate=agreement.alpha)
    elif agreement.reliability is Reliability.UNRELIABLE:
        yield LimitCheck(name=ANNOTATORS, limit=0.0, standing=LimitStatus.UNMEASURABLE, estimate=agreement.alpha)


def _precision(estimate: Estimate, limit: float) -> LimitCheck:
    """Check the verdict's own limit: bounds alone do not meet it."""
    if estimate.estimate is None:
        return LimitCheck(name=VERDICT, limit=limit, standing=LimitStatus.UNMEASURABLE, estimate=estimate)
    return _at_least(VERDICT, estimate, limit)


def _at_least(name: str, estimate: Estimate, limit: float) -> LimitCheck:
    """Check that a quantity is shown to be at least its limit."""
    if estimate.long_run is None:
        return LimitCheck(name=name, limit=limit, standing=LimitStatus.UNMEASURABLE, estimate=estimate)
    low, high = estimate.long_run
    standing = LimitStatus.MET if low >= limit else LimitStatus.MISSED if high < limit else LimitStatus.OPEN
    if estimate.estimate is None and standing is not LimitStatus.MET:
        standing = LimitStatus.UNMEASURABLE
    return LimitCheck(name=name, limit=limit, standing=standing, estimate=estimate)


def _beyond_chance(kappa: Estimate) -> LimitCheck:
    """Check that the verdict is shown to agree with annotators better than chance."""
    if kappa.estimate is None or kappa.long_run is None:
        return LimitCheck(name=BEYOND_CHANCE, limit=0.0, standing=LimitStatus.UNMEASURABLE, estimate=kappa)
    low, high = kappa.long_run
    standing = LimitStatus.MET if low > 0 else LimitStatus.MISSED if high <= 0 else LimitStatus.OPEN
    return LimitCheck(name=BEYOND_CHANCE, limit=0.0, standing=standing, estimate=kappa)


def _harm(report: ReportHead, limits: ReportLimits) -> LimitCheck:
    """Check that no more answers than allowed stand as seriously harmful; a mark not yet adjudicated counts too."""
    count = len(report.harmed) + len(report.unadjudicated)
    standing = LimitStatus.MET if count <= limits.serious_harm else LimitStatus.MISSED
    if not count and report.serious_harm is None:
        standing = LimitStatus.UNEXAMINED
    return LimitCheck(
        name=HARM,
        limit=limits.serious_harm,
        standing=standing,
        count=count,
        behind=report.marked_harmful,
    )
