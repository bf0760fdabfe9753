"""Read everything that the printed report holds, as the store is at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.analysis.calibration.reliability import explain
from annotate.analysis.drift.trends import Courses, courses, over
from annotate.analysis.drift.windows import By
from annotate.analysis.report.limits import LimitCheck, check_limits
from annotate.analysis.report.report import ProjectReport, build
from annotate.domain.gate_limits import ReportLimits
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.evaluation.reliability_curve import ReliabilityCurve
from proxy.evaluation.trust import DEFAULT_LIMIT


@dataclass(frozen=True, kw_only=True, slots=True)
class Printed:
    """What the page is made of; `store` is the store's name, `now` when it was read.

    The weeks and the reliability curve are of all traffic: a report of a part has none.
    """

    report: ProjectReport
    limit_checks: tuple[LimitCheck, ...]
    courses: Courses | None
    curve: ReliabilityCurve | None
    store: str
    now: str


def gather(
    store: Store,
    *,
    now: str,
    limit: float = DEFAULT_LIMIT,
    limits: ReportLimits | None = None,
    selection: Selection | None = None,
) -> Printed:
    """Measure the report with its limits, the course of the weeks, and what the rule's value says of P(right)."""
    wanted = limits or ReportLimits()
    with store.snapshot():
        report = build(store, limit=limit, limits=wanted, selection=selection)
        return Printed(
            report=report,
            limit_checks=check_limits(report, wanted),
            courses=None if selection else courses(store, over(store, By.WEEK)),
            curve=None if selection else explain(store).curve,
            store=store.path.name,
            now=now,
        )
