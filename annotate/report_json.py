"""A Report in, the JSON contract with other programs out.

Every measured quantity is {estimate, low, high, n, method}, with `estimate` null and a `reason` where the sampling design
cannot identify it.
"""

from __future__ import annotations

from annotate.report import Compared, JudgeReport, Report
from proxy.difference import Difference
from proxy.estimate import Estimate
from proxy.guarantee import Guarantee
from proxy.people import freed_of_noise
from proxy.ranking import Calibration
from proxy.records import Verdict

OF_A_PROXY = ("pass_precision", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1")
OF_A_STRATUM = ("response", "rate", "share_wrong")


def as_json(report: Report) -> dict[str, object]:
    """The report as the JSON contract."""
    agreement = report.agreement
    measured = ("correctness", "correctness_long_run", *OF_A_PROXY)
    return {
        "verdict": {
            "status": report.trust.status.value,
            "sentence": report.trust.sentence,
            "limit": report.trust.limit,
        },
        "gate": report.gate.as_json(),
        "harmful": list(report.harmed),
        "harm_unsettled": list(report.unsettled),
        "disputed": report.disputed,
        "gold_flagged": report.flagged,
        "items": report.items,
        "judged": report.judged,
        "unscored": report.verdicts[Verdict.UNSCORED],
        "labels": report.progress.labelled,
        "label_counts": {
            **report.progress._asdict(),
            "open": report.progress.open,
            "hand_picked": report.hand_picked,
        },
        "rule": {
            "name": report.rule.name,
            "version": report.rule.version,
            "expression": report.rule.expression,
            "cut": report.rule.cut,
            "basis": report.rule.basis,
            "signatures": dict(report.rule.signatures),
            "guarantee": guarantee_json(report.guarantee) if report.guarantee else None,
        },
        "pass_rate": estimate_json(report.pass_rate),
        **{name: estimate_json(getattr(agreement, name)) for name in measured},
        "auroc": estimate_json(report.auroc),
        "let_through": estimate_json(report.let_through),
        "thumbs_down": estimate_json(report.thumbs_down),
        "calibration": _calibration_json(report.calibration),
        "cells": {name: getattr(agreement.counts, name) for name in agreement.counts.__slots__},
        "refusals": report.refusals,
        "judges": [_judge_json(one) for one in report.judges],
        "candidates": [_compared_json(one) for one in report.candidates],
        "best_rule": {
            "status": report.best.status.value,
            "sentence": report.best.sentence,
            "expression": report.best.expression,
        },
        "people": _people_json(report),
        "response": report.response._asdict() if report.response else None,
        "strata": [
            {name: getattr(one, name) for name in one.__slots__} | {name: getattr(one, name) for name in OF_A_STRATUM}
            for one in agreement.strata
        ],
        "warnings": list(report.warnings),
    }


def guarantee_json(one: Guarantee) -> dict[str, object]:
    """What a calibrated cut keeps, and from how many labels."""
    return {name: getattr(one, name) for name in one.__slots__}


def _judge_json(one: JudgeReport) -> dict[str, object]:
    """One judge as its own proxy."""
    names = ("judge", "signature", "scored", "failed", "mean")
    return {name: getattr(one.totals, name) for name in names} | _compared_json(one.alone)


def _compared_json(one: Compared) -> dict[str, object]:
    """A rule that is not in force."""
    return {
        "expression": one.rule.expression,
        "cut": one.rule.cut,
        **{name: estimate_json(getattr(one.agreement, name)) for name in OF_A_PROXY},
        "auroc": estimate_json(one.auroc),
        "minus_rule_in_force": {name: _difference_json(each) for name, each in one.differences._asdict().items()},
    }


def _difference_json(one: Difference) -> dict[str, object]:
    """A difference, with the interval that holds for all rules at once."""
    at_once = {"for_all_rules": one.of_all._asdict()} if one.of_all else {}
    return estimate_json(one.estimate) | at_once


def _people_json(report: Report) -> dict[str, object]:
    """Agreement between readers, the ceiling that it puts on any proxy, and correctness freed of their errors."""
    people = report.people
    return {
        "items": people.n,
        "overlap": report.overlap._asdict(),
        **{name: estimate_json(getattr(people, name)) for name in ("agreement", "alpha", "ac1", "error")},
        **{name: getattr(people, name) for name in ("prevalence", "ceiling", "kappa_ceiling", "warning")},
        "reliability": people.reliability.value,
        "correctness": estimate_json(freed_of_noise(report.agreement.correctness, people.noise)),
        "pairs": [{name: getattr(pair, name) for name in pair.__slots__} for pair in people.pairs],
    }


def _calibration_json(one: Calibration | None) -> dict[str, float] | None:
    """Brier score and ECE, or null where the value is no probability."""
    return None if one is None else {name: getattr(one, name) for name in one.__slots__}


def estimate_json(estimate: Estimate) -> dict[str, object]:
    """One measured quantity."""
    fields: dict[str, object] = {name: getattr(estimate, name) for name in ("estimate", "low", "high", "n", "method")}
    if estimate.reason:
        fields["reason"] = estimate.reason
    if estimate.long_run:
        fields["long_run"] = estimate.long_run._asdict()
    return fields
