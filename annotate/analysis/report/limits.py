"""Check a report against each limit that the team set.

These are the conditions of the verdict (`limit` in [report]) and of `assay report --gate` ([gate.report]) in a list. All are met
exactly where the gate passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from annotate.analysis.report.report import Report
from annotate.domain.gate_limits import ReportLimits
from proxy.evaluation.annotator_agreement import Reliability
from proxy.evaluation.estimate import Estimate

BEYOND_CHANCE, PEOPLE, HARM = "beyond_chance", "people", "serious_harm"


class Standing(StrEnum):
    """The state of a limit: shown to be met, shown to be missed, not settled by the labels so far, or nothing to be known."""

    MET = "met"
    MISSED = "missed"
    OPEN = "open"
    UNMEASURABLE = "unmeasurable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """One limit and what was found: a quantity by its name in the report, or a count, which has no interval."""

    name: str
    limit: float
    standing: Standing
    found: Estimate | None = None
    count: int = 0


def held(report: Report, limits: ReportLimits) -> tuple[Held, ...]:
    """Check every limit; `limits` are those that the report was built under. Low ends of long-run intervals are compared.

    Those intervals hold whatever the drawn answers without a right or wrong are.
    """
    evidence = report.evidence
    rows = [
        _precision(evidence.spanned("pass_precision"), report.trust.limit),
        _beyond_chance(evidence.spanned("kappa")),
    ]
    if report.people.reliability is Reliability.UNRELIABLE:
        rows.append(Held(name=PEOPLE, limit=0.0, standing=Standing.UNMEASURABLE, found=report.people.alpha))
    rows += [_at_least(name, evidence.spanned(name), limit) for name, limit in limits.at_least.items()]
    return (*rows, _harm(report, limits))


def _precision(estimate: Estimate, limit: float) -> Held:
    """Check the verdict's own limit: bounds alone do not meet it."""
    if estimate.estimate is None:
        return Held(name="pass_precision", limit=limit, standing=Standing.UNMEASURABLE, found=estimate)
    return _at_least("pass_precision", estimate, limit)


def _at_least(name: str, estimate: Estimate, limit: float) -> Held:
    """Check that a quantity is shown to be at least its limit."""
    if estimate.long_run is None:
        return Held(name=name, limit=limit, standing=Standing.UNMEASURABLE, found=estimate)
    low, high = estimate.long_run
    standing = Standing.MET if low >= limit else Standing.MISSED if high < limit else Standing.OPEN
    if estimate.estimate is None and standing is not Standing.MET:
        standing = Standing.UNMEASURABLE
    return Held(name=name, limit=limit, standing=standing, found=estimate)


def _beyond_chance(kappa: Estimate) -> Held:
    """Check that the verdict is shown to agree with people better than chance."""
    if kappa.estimate is None or kappa.long_run is None:
        return Held(name=BEYOND_CHANCE, limit=0.0, standing=Standing.UNMEASURABLE, found=kappa)
    low, high = kappa.long_run
    standing = Standing.MET if low > 0 else Standing.MISSED if high <= 0 else Standing.OPEN
    return Held(name=BEYOND_CHANCE, limit=0.0, standing=standing, found=kappa)


def _harm(report: Report, limits: ReportLimits) -> Held:
    """Check that no more answers than allowed stand as seriously harmful; an unsettled mark of an annotator counts too."""
    count = len(report.harmed) + len(report.unsettled)
    return Held(
        name=HARM,
        limit=limits.serious_harm,
        standing=Standing.MET if count <= limits.serious_harm else Standing.MISSED,
        count=count,
    )
