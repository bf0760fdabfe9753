"""Drawn and labelled items for the estimators: the worked example, cells made by hand, and what is read off a report."""

from __future__ import annotations

from collections.abc import Mapping

from proxy.agreement import AgreementReport
from proxy.cells import SampledItem, Total
from proxy.derived import DERIVED
from proxy.estimate import Estimate
from proxy.records import Judgement, Verdict

RIGHT, WRONG, UNSURE = Judgement
PASS, FAIL, UNSCORED = Verdict
BOTH_SIDES = tuple(DERIVED)
QUANTITIES = ("correctness", "pass_precision", *BOTH_SIDES)


def labelled(
    stratum: str, verdict: Verdict, right: int, wrong: int, unsure: int = 0, *, without: int = 0
) -> list[SampledItem]:
    """Drawn items of one cell, each in a group of its own."""
    said = [RIGHT] * right + [WRONG] * wrong + [UNSURE] * unsure + [None] * without
    return [SampledItem(stratum, verdict, one, f"{stratum}-{verdict}-{k}") for k, one in enumerate(said)]


def found(report: AgreementReport) -> Mapping[str, Estimate]:
    return {name: getattr(report, name) for name in QUANTITIES}


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def long_width(estimate: Estimate) -> float:
    assert estimate.long_run is not None
    return estimate.long_run.high - estimate.long_run.low


# The worked example: 15,500 passed and 4,500 failed items, 172 of 200 and 22 of 50 right.
TOTALS = [Total("passed", PASS, 15_500), Total("failed", FAIL, 4_500)]
PASSED = labelled("passed", PASS, 172, 28)
FAILED = labelled("failed", FAIL, 22, 28)
