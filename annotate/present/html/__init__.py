"""The report as one HTML file to send or print: a store in, a page out that needs nothing else.

No script, no request, no text of questions, answers or readers; every text of others is escaped. The rule: each measured number
stands in a `<data>` element whose value is exactly that of `assay report --json`.
"""

from __future__ import annotations

from annotate.analysis.calibration.reliability import explain
from annotate.analysis.drift.trends import courses, over
from annotate.analysis.drift.windows import By
from annotate.analysis.report import report as reports
from annotate.analysis.report.limits import held
from annotate.domain.gate_limits import ReportLimits
from annotate.present.html.page import Made, page
from annotate.store import Store
from proxy.evaluation.trust import DEFAULT_LIMIT

__all__ = ["Made", "as_html", "gather"]


def gather(store: Store, *, now: str, limit: float = DEFAULT_LIMIT, limits: ReportLimits | None = None) -> Made:
    """Everything on the page, as the store is at one moment."""
    wanted = limits or ReportLimits()
    with store.snapshot():
        report = reports.build(store, limit=limit, limits=wanted)
        drift = over(store, By.WEEK)
        return Made(
            report=report,
            held=held(report, wanted),
            drift=drift,
            courses=courses(store, drift),
            meaning=explain(store).meaning,
            store=store.path.name,
            now=now,
        )


def as_html(found: Made) -> bytes:
    """The page as UTF-8."""
    return page(found).encode("utf-8", "replace")
