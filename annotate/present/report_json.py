"""A Report in, the JSON contract with other programs out.

Every measured quantity is {estimate, low, high, n, method}, with `estimate` null and a `reason` where the sampling design
cannot identify it.
"""

from __future__ import annotations

from annotate.analysis.report.report import Compared, JudgeReport, Report
from annotate.present import naming
from annotate.present.guarantee import certified
from proxy.diagnosis import Naming
from proxy.evaluation.annotator_agreement import freed_of_noise
from proxy.evaluation.discrimination import Calibration
from proxy.evaluation.estimate import as_dict
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.rule_comparison import Difference
from proxy.records import Verdict

OF_A_PROXY = ("pass_precision", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1")
CASES = ("correctness", *OF_A_PROXY, "auroc")
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
            "coverage": report.coverage,
            "signatures": dict(report.rule.signatures),
            "guarantee": guarantee_json(report.guarantee) if report.guarantee else None,
        },
        "pass_rate": as_dict(report.pass_rate),
        **{name: as_dict(getattr(agreement, name)) for name in measured},
        "auroc": as_dict(report.auroc),
        "let_through": as_dict(report.let_through),
        "thumbs_down": as_dict(report.thumbs_down),
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
        "response": report.evidence.response._asdict() if report.evidence.response else None,
        "evidence": evidence_json(report.evidence),
        "strata": [
            {name: getattr(one, name) for name in one.__slots__} | {name: getattr(one, name) for name in OF_A_STRATUM}
            for one in agreement.strata
        ],
        "stages": {
            "sentence": naming.comparison(list(report.stages.each.values()), report.stages.whole),
            "all": naming_json(report.stages.whole),
            "systems": [naming_json(one) for one in report.stages.each.values()],
        },
        "warnings": list(report.warnings),
    }


def naming_json(one: Naming) -> dict[str, object]:
    """The stage that is named, or the obstacle to naming one, and what it rests on."""
    return {
        "system": one.system,
        "stage": one.stage,
        "obstacle": one.obstacle,
        "sentence": naming.claim(one),
        "advice": naming.advice(one) or None,
        **{name: getattr(one, name) for name in ("right", "wrong", "unsure", "comparisons")},
        "areas": {
            stage.value: {"right": area.right, "wrong": area.wrong, "of_wrong": as_dict(area.share)}
            for stage, area in one.areas.items()
        },
        "tested": {
            stage.value: {
                "difference": as_dict(each.contrast.difference),
                "wrong_given_bad": each.contrast.bad,
                "wrong_given_good": each.contrast.good,
                "labels_needed": dict(zip(("bad", "good"), each.contrast.needed, strict=True)),
                "auroc": as_dict(each.auroc),
            }
            for stage, each in one.tested.items()
        },
    }


def evidence_json(ledger: EvidenceLedger) -> dict[str, object]:
    """The evidence ledger, flat: what became of the draws, the cases that follow, and what else a claim rests on."""
    alpha = ledger.people.alpha
    return {
        **_draws_json("", ledger.draws),
        **_draws_json("passed_", ledger.passed),
        **_draws_json("failed_", ledger.failed),
        "pending_waves": list(ledger.pending_waves),
        "worst_case": {name: as_dict(ledger.worst(name)) for name in CASES},
        "best_case": {name: as_dict(ledger.best(name)) for name in CASES},
        "annotators": ledger.people.reliability.value,
        "alpha": as_dict(alpha),
        "read_twice": ledger.people.n,
        "groups": ledger.clusters.groups,
        "questions": ledger.clusters.questions,
        "effective_clusters": ledger.clusters.effective,
        "clusters_in_traffic": ledger.clusters.there,
        "intraclass_correlation": ledger.clusters.alike,
        "without_passages": ledger.without_passages,
        "labelled_without_passages": ledger.labelled_without_passages,
        "judges": [
            {
                "judge": one.judge,
                "signature": one.signature,
                "scored": one.scored,
                "failed": one.failed,
                "abstained": one.abstained,
                "auroc": as_dict(one.auroc),
                "separation": one.separation.value,
            }
            for one in ledger.judges
        ],
        "chose": len(ledger.chose),
        "objections": [
            {"doubt": one.doubt.value, "reason": one.reason, "remedy": one.remedy} for one in ledger.against()
        ],
    }


def _draws_json(prefix: str, one: DrawCounts) -> dict[str, object]:
    """What became of draws, each count and share by its name."""
    return {f"{prefix}{name}": getattr(one, name) for name in one.__slots__}


def guarantee_json(one: Guarantee) -> dict[str, object]:
    """What a calibrated cut keeps, for which claims, and from how many labels."""
    found: dict[str, object] = {name: getattr(one, name) for name in one.__slots__ if name not in {"claims", "repeats"}}
    claims = [{name: getattr(each, name) for name in each.__slots__} for each in one.claims]
    return found | {"claims": claims, "is_withdrawn": one.is_void, "sentence": certified(one)}


def _judge_json(one: JudgeReport) -> dict[str, object]:
    """One judge as its own proxy."""
    names = ("judge", "signature", "scored", "failed", "mean")
    return {name: getattr(one.totals, name) for name in names} | _compared_json(one.alone)


def _compared_json(one: Compared) -> dict[str, object]:
    """A rule that is not in force."""
    return {
        "expression": one.rule.expression,
        "cut": one.rule.cut,
        "coverage": one.coverage,
        **{name: as_dict(getattr(one.agreement, name)) for name in OF_A_PROXY},
        "auroc": as_dict(one.auroc),
        "minus_rule_in_force": {name: _difference_json(each) for name, each in one.differences._asdict().items()},
    }


def _difference_json(one: Difference) -> dict[str, object]:
    """A difference, with the interval that holds for all rules at once."""
    at_once = {"for_all_rules": one.of_all._asdict()} if one.of_all else {}
    differ = {} if one.differ is None else {"labels_that_differ": one.differ}
    return as_dict(one.estimate) | at_once | differ


def _people_json(report: Report) -> dict[str, object]:
    """Agreement between readers, the ceiling that it puts on any proxy, and correctness freed of their errors."""
    people = report.people
    return {
        "items": people.n,
        "overlap": report.overlap._asdict(),
        **{name: as_dict(getattr(people, name)) for name in ("agreement", "alpha", "ac1", "error")},
        **{name: getattr(people, name) for name in ("prevalence", "ceiling", "kappa_ceiling", "warning")},
        "reliability": people.reliability.value,
        "correctness": as_dict(freed_of_noise(report.agreement.correctness, people.noise)),
        "pairs": [{name: getattr(pair, name) for name in pair.__slots__} for pair in people.pairs],
    }


def _calibration_json(one: Calibration | None) -> dict[str, float] | None:
    """Brier score and ECE, or null where the value is no probability."""
    return None if one is None else {name: getattr(one, name) for name in one.__slots__}
