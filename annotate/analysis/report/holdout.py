"""Correct the report of a rule whose threshold was chosen by labels, or that gave no verdict.

Labels that chose a threshold say nothing of it; of the answers themselves all labels speak.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace
from typing import TypeVar

from annotate.analysis.evidence import Traffic
from proxy.evaluation.agreement import NO_WAVE, AgreementReport
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.domains import UNLABELLED
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.feedback import FeedbackQuality
from proxy.reason import Reason

ALL_CHOSE = (
    "not measurable: every label so far chose the threshold; draw a fresh wave (`assay sample --labels N`) to score it"
)
Quantities = TypeVar("Quantities", AgreementReport, FeedbackQuality)
NONE_DRAWN = "not measurable: none of the {drawn} drawn answers is in this part; draw more (`assay sample --labels N`)"


def scored_by_others(scoring: AgreementReport, of_all: AgreementReport) -> AgreementReport:
    """Measure the threshold by the labels that did not choose it; correctness and response use all labels."""
    return replace(
        _with_reason(scoring, (UNLABELLED,), ALL_CHOSE),
        correctness=of_all.correctness,
        correctness_long_run=of_all.correctness_long_run,
        strata=of_all.strata,
    )


def never_drawn(measured: Quantities, traffic: Traffic) -> Quantities:
    """Say, where waves drew answers but none of this part of the traffic, that this is why nothing is known of it."""
    if traffic.whole is None or not traffic.whole.drawn or traffic.drawn:
        return measured
    return _with_reason(measured, (NO_WAVE, UNLABELLED), Reason(NONE_DRAWN, drawn=len(traffic.whole.drawn)))


def _with_reason(measured: Quantities, before: Collection[str], reason: str) -> Quantities:
    """Replace these reasons, wherever they stand, by another."""
    quantities = {field.name: getattr(measured, field.name) for field in fields(measured)}
    replaced = {
        name: replace(estimate, reason=reason)
        for name, estimate in quantities.items()
        if isinstance(estimate, Estimate) and estimate.reason in before
    }
    return replace(measured, **replaced)  # type: ignore[arg-type] # each is an Estimate in the place of one


def unscored(agreement: AgreementReport, reason: str) -> AgreementReport:
    """Give a reason in place of every measure of the proxy, as nothing has a verdict; correctness, of the answers, stays."""
    names = {"pass_precision", "npv", *DERIVED}
    return replace(agreement, **{name: Estimate(estimate=None, reason=reason) for name in names})  # type: ignore[arg-type]
