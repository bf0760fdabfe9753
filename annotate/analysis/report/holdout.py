"""Correct the report of a rule whose threshold was chosen by labels, or that gave no verdict.

Labels that chose a threshold say nothing of it; of the answers themselves all labels speak.
"""

from __future__ import annotations

from dataclasses import fields, replace

from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.domains import UNLABELLED, Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.false_passes import false_passes

ALL_CHOSE = (
    "not measurable: every label so far chose the threshold; draw a fresh wave (`assay sample --labels N`) to score it"
)


def scored_by_others(scoring: AgreementReport, of_all: AgreementReport) -> AgreementReport:
    """Measure the threshold by the labels that did not choose it; correctness and response use all labels."""
    quantities = {field.name: getattr(scoring, field.name) for field in fields(scoring)}
    waiting = {
        name: replace(estimate, reason=ALL_CHOSE)
        for name, estimate in quantities.items()
        if isinstance(estimate, Estimate) and estimate.reason == UNLABELLED
    }
    scoring = replace(scoring, **waiting)  # type: ignore[arg-type] # each is an Estimate in the place of one
    return replace(
        scoring,
        correctness=of_all.correctness,
        correctness_long_run=of_all.correctness_long_run,
        strata=of_all.strata,
    )


def unscored(agreement: AgreementReport, reason: str) -> AgreementReport:
    """Give a reason in place of every measure of the proxy, as nothing has a verdict; correctness, of the answers, stays."""
    names = {"pass_precision", "npv", *DERIVED}
    return replace(agreement, **{name: Estimate(estimate=None, reason=reason) for name in names})  # type: ignore[arg-type]


def false_passes_of(evidence: Evidence, agreement: AgreementReport) -> Estimate:
    """Return the share of the judged answers that pass and are wrong; with the report's reason where no label is left to tell."""
    estimate = false_passes(evidence)
    if estimate.estimate is not None:
        return estimate
    return replace(estimate, reason=agreement.pass_precision.reason or estimate.reason)
