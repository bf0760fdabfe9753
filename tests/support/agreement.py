"""Drawn and labelled items for the estimators: the worked example, waves made by hand, and what is read off a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.records import Judgement, Verdict

RIGHT, WRONG, UNSURE = Judgement
PASS, FAIL, UNSCORED = Verdict
BOTH_SIDES = tuple(DERIVED)
QUANTITIES = ("correctness", "pass_precision", "npv", *BOTH_SIDES)


def labelled(
    stratum: str, verdict: Verdict, right: int, wrong: int, unsure: int = 0, *, without: int = 0
) -> list[SampledItem]:
    """Drawn items of one cell, each in a group of its own."""
    said = [RIGHT] * right + [WRONG] * wrong + [UNSURE] * unsure + [None] * without
    return [SampledItem(stratum, verdict, judgement, f"{stratum}-{verdict}-{k}") for k, judgement in enumerate(said)]


def one_wave(totals: Sequence[Total], sample: Sequence[SampledItem], grouping: float = 1.0) -> Evidence:
    """The evidence of one wave of simple random samples: each item's chance is n_h / N_h times the share that came back.

    What no label came back from is out of reach.
    """
    sizes = {
        name: sum(total.size for total in totals if total.stratum == name)
        for name in sorted({t.stratum for t in totals})
    }
    asked = {name: sum(sampled.stratum == name for sampled in sample) for name in sizes}
    returned = {
        name: sum(sampled.stratum == name and sampled.judgement is not None for sampled in sample) for name in sizes
    }
    drawings = [Drawing(1, name, size, asked[name], asked[name], returned[name]) for name, size in sizes.items()]
    number = {drawing.stratum: n for n, drawing in enumerate(drawings)}
    chance = {drawing.stratum: drawing.chance * drawing.response for drawing in drawings}
    return Evidence(
        totals=[total._replace(is_reachable=chance[total.stratum] > 0) for total in totals],
        sample=[
            sampled._replace(drawing=number[sampled.stratum], chances=(chance[sampled.stratum],), own=0)
            for sampled in sample
        ],
        drawings=drawings,
        grouping=grouping,
    )


def wave(*rows: tuple[str, Verdict, int, int, int] | tuple[str, Verdict, int, int, int, int, int]) -> Evidence:
    """One wave from (stratum, verdict, size, right, wrong) rows, or with (unsure, open) after them."""
    whole = [(*row, 0, 0)[:7] for row in rows]
    totals = [Total(stratum, verdict, size) for stratum, verdict, size, *_ in whole]
    sample = [
        item
        for stratum, verdict, _, right, wrong, unsure, left in whole
        for item in labelled(stratum, verdict, right, wrong, unsure, without=left)
    ]
    return one_wave(totals, sample)


def estimates_of(report: AgreementReport) -> Mapping[str, Estimate]:
    return {name: getattr(report, name) for name in QUANTITIES}


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low


def long_width(estimate: Estimate) -> float:
    return estimate.long_run.high - estimate.long_run.low


# The worked example: 15,500 passed and 4,500 failed items, 172 of 200 and 22 of 50 right.
TOTALS = [Total("passed", PASS, 15_500), Total("failed", FAIL, 4_500)]
PASSED = labelled("passed", PASS, 172, 28)
FAILED = labelled("failed", FAIL, 22, 28)
EXAMPLE = one_wave(TOTALS, PASSED + FAILED)
