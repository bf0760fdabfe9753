"""Say what to do next with a plan or a simulation of a wave."""

from __future__ import annotations

from annotate.analysis.next_step.better_judge import confirm_or_use
from annotate.analysis.next_step.commands import JUDGE, PLAN, PUSH, REPORT, SAMPLE, Way
from annotate.analysis.next_step.labelling import ALL_LABELLED, adjudicate_or_label
from annotate.analysis.planning.plan import LabellingPlan
from annotate.analysis.planning.simulate import Simulated
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import Step, message
from proxy.planning.labels_needed import PlanStatus


def after_plan(plan: LabellingPlan, way: Way, report: ProjectReport | None = None) -> tuple[Step, ...]:
    """Say what a plan asks for: first what stands in the way, then labels of open draws, then draws.

    Parameters
    ----------
    plan : LabellingPlan
        What was planned.
    way : Way
        How draws come to annotators.
    report : ProjectReport or None
        What is known of the proxy: whether it has verdicts, and whether a fresh wave is to confirm that a judge is better.
    """
    if report is not None and report.items and not report.judged:
        return (Step(message("steps.judge"), (JUDGE,)),)
    match plan.status:
        case PlanStatus.DOUBT:
            return (_doubt(plan, way),)
        case PlanStatus.NEVER:
            return (_obstacle(plan, way),)
    if plan.open:
        return (Step(message("steps.label", count=plan.open), way.commands),)
    if step := confirm_or_use(report.better_judge if report else None, way, plan.further):
        return (step,)
    if plan.status is PlanStatus.MET:
        return (Step(message("steps.see_report"), (REPORT,)),)
    return (_draw(plan.further, plan.audit, way),)


def after_simulation(simulated: Simulated, way: Way) -> tuple[Step, ...]:
    """Draw so many labels, or plan how many to add to those there are, which a simulation leaves out."""
    request = simulated.request
    if not simulated.stage.labels:
        return (_draw(request.labels, request.audit, way),)
    return (Step(message("steps.plan_more"), (" ".join((PLAN, *_audit_option(request.audit))),)),)


def _draw(labels: int, audit: float | None, way: Way) -> Step:
    command = " ".join((SAMPLE, str(labels), *_audit_option(audit)))
    return Step(message("steps.draw_so_many", count=labels), (command, way.send))


def _audit_option(audit: float | None) -> tuple[str, ...]:
    return () if audit is None else ("--audit", f"{audit:g}")


def _doubt(plan: LabellingPlan, way: Way) -> Step:
    """What removes the doubt that more labels alone do not."""
    return adjudicate_or_label(plan.objection.doubt if plan.objection else None, plan.open, way)


def _obstacle(plan: LabellingPlan, way: Way) -> Step:
    """What makes the quantity measurable."""
    command = plan.obstacle.command if plan.obstacle else REPORT
    if command == PUSH:
        return Step(message("steps.label", count=plan.open), way.commands) if plan.open else ALL_LABELLED
    keys = {JUDGE: "steps.judge", PLAN: "steps.larger_audit", "assay rule list": "steps.other_threshold"}
    return Step(message(keys.get(command, "steps.see_report")), (command,))
