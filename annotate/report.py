"""The store's totals and labels in, one Report out: what `assay report` prints, writes as JSON and the app shows.

`as_json` is a contract with other programs: every measured quantity is {estimate, low, high, n, method}, with `estimate`
null and a `reason` where the sampling design cannot identify it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.evidence import Measured, Traffic, gather
from annotate.judging import knots, rule_in_force
from annotate.store import Store
from annotate.store.scores import JudgeTotals
from annotate.store.waves import Progress
from proxy.agreement import AgreementReport, measure, pass_rate
from proxy.candidates import JudgeKey, candidates, single
from proxy.diagnosis import LabelledScores, Quadrant, quadrants
from proxy.difference import differences
from proxy.estimate import Estimate
from proxy.ranking import Calibration, auroc_difference, auroc_of, calibration, valued
from proxy.records import Item, Label, Verdict
from proxy.trust import DEFAULT_LIMIT, TrustVerdict, judge_trust
from proxy.verdict import Rule

FEW_ERRORS = 5
SHOWN_MISSES = 20
COMPARED_BY = ("accuracy", "kappa")
OF_A_PROXY = ("pass_precision", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1")


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """An answer that the proxy passed and people call wrong, with what the judges said of it."""

    item: Item
    label: Label
    reasons: Sequence[tuple[str, float | None, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Another rule against people on the same labels; `differences` are its quantities minus those of the rule in force."""

    rule: Rule
    agreement: AgreementReport
    auroc: Estimate
    differences: Mapping[str, Estimate]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeReport:
    """One judge alone as the proxy, passing above 0.5."""

    totals: JudgeTotals
    alone: Compared


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Everything that is known of the proxy now."""

    items: int
    verdicts: Mapping[Verdict, int]
    progress: Progress
    hand_picked: int
    uncovered: int
    thumbs_down: int
    quarantined: int
    waves: int
    rule: Rule
    judges: Sequence[JudgeReport]
    candidates: Sequence[Compared]
    agreement: AgreementReport
    auroc: Estimate
    calibration: Calibration | None
    trust: TrustVerdict
    quadrants: Sequence[Quadrant]
    misses: Sequence[Miss]
    missed: int
    warnings: tuple[str, ...]

    @property
    def pass_rate(self) -> Estimate:
        """Passed among scored, of all items."""
        return pass_rate(self.verdicts[Verdict.PASS], self.verdicts[Verdict.FAIL])

    @property
    def judged(self) -> int:
        """Items that the rule gave a verdict."""
        return self.verdicts[Verdict.PASS] + self.verdicts[Verdict.FAIL]


def build(store: Store, *, now: str, limit: float = DEFAULT_LIMIT) -> Report:
    """Measure everything under the rule in force."""
    key, rule = rule_in_force(store, now=now)
    judges = [one for one in judge_totals(store) if one.scored]
    signatures = _signatures(rule, judges)
    alone = [single(JudgeKey(judge=one.judge, signature=one.signature)) for one in judges]
    others = _candidates(store, rule, signatures, alone)
    traffic = gather(store, key, [rule, *alone, *others])
    in_force = traffic.rules[0]
    evidence = traffic.evidence(in_force)
    agreement = measure(evidence)
    ranked = valued(evidence, in_force.values)[0]
    compared = [_compared(traffic, one) for one in traffic.rules[1:]]
    counts = traffic.rules[0].counts
    progress, waves = store.waves.progress(), store.waves.next_number() - 1
    labelled, passed_but_wrong = store.labels.with_scores(set(signatures.values())), store.labels.passed_but_wrong(key)
    return Report(
        items=sum(counts.values()),
        verdicts=counts,
        progress=progress,
        hand_picked=store.labels.hand_picked(),
        uncovered=traffic.rules[0].uncovered,
        thumbs_down=store.feedback.counts()[0],
        quarantined=store.quarantine.count(),
        waves=waves,
        rule=rule,
        judges=[JudgeReport(totals=one, alone=each) for one, each in zip(judges, compared, strict=False)],
        candidates=compared[len(alone) :],
        agreement=agreement,
        auroc=auroc_of(ranked),
        calibration=calibration(ranked),
        trust=judge_trust(agreement, limit),
        quadrants=quadrants(
            LabelledScores(label.judgement, scores.get("context_relevance"), scores.get("faithfulness"))
            for _, label, scores in labelled
        ),
        misses=_misses(
            store, passed_but_wrong[:SHOWN_MISSES], {row: label for row, label, _ in labelled}, signatures.values()
        ),
        missed=len(passed_but_wrong),
        warnings=(
            *_waiting(store),
            *_warnings(rule, agreement, progress, traffic.rules[0].uncovered if waves else 0),
        ),
    )


def judge_totals(store: Store) -> list[JudgeTotals]:
    """Each judge's work on the current items, counted once for each change of items and scores."""
    rows = store.rollups.get("judges", ("items", "scores"), "", store.scores.totals)
    return [JudgeTotals(*row) for row in rows]  # type: ignore[arg-type] # as they were counted


def _candidates(store: Store, rule: Rule, signatures: Mapping[str, str], alone: Sequence[Rule]) -> list[Rule]:
    """The other rules over the same judges, without those that are a judge alone."""
    percentiles = {judge: knots(store, judge, signature) for judge, signature in signatures.items()}
    keys = [JudgeKey(judge=judge, signature=signature) for judge, signature in signatures.items()]
    measured = {(one.expression, *one.signatures.items()) for one in alone}
    found = candidates(rule, keys, {judge: each for judge, each in percentiles.items() if each})
    return [one for one in found if (one.expression, *one.signatures.items()) not in measured]


def _compared(traffic: Traffic, measured: Measured) -> Compared:
    """One rule on the labels of all, and against the rule in force."""
    evidence = traffic.evidence(measured)
    ours, theirs = valued(evidence, measured.values, traffic.rules[0].values)
    found = differences(traffic.against(measured), COMPARED_BY) | {"auroc": auroc_difference(ours, theirs)}
    return Compared(
        rule=measured.rule,
        agreement=measure(evidence),
        auroc=auroc_of(valued(evidence, measured.values)[0]),
        differences=found,
    )


def _signatures(rule: Rule, judges: Sequence[JudgeTotals]) -> dict[str, str]:
    """One signature for each judge: the rule's where it names the judge, else the newest."""
    return {one.judge: one.signature for one in judges} | dict(rule.signatures)


def _misses(store: Store, rows: Sequence[int], labels: Mapping[int, Label], signatures: Iterable[str]) -> list[Miss]:
    """The proxy's misses with their texts."""
    items, names = store.items.read(rows), set(signatures)
    return [Miss(item=items[row], label=labels[row], reasons=store.scores.of_item(row, names)) for row in rows]


def _waiting(store: Store) -> list[str]:
    """The waves that do not count yet."""
    last = store.ledger.last_counted()
    return [
        f"wave {wave} counts once half of its draws have labels ({labels:,} of {drawn:,} have)"
        for wave, drawn, labels in store.ledger.answered()
        if wave > last
    ]


def _warnings(rule: Rule, agreement: AgreementReport, progress: Progress, uncovered: int) -> tuple[str, ...]:
    """What a reader must know before believing a number, in plain words."""
    found = [] if rule.is_calibrated else [f"{rule.basis} ({rule.expression})"]
    if uncovered:
        found.append(
            f"{uncovered:,} items came or changed after the last wave that counts: no estimate speaks of them; draw a wave"
        )
    if progress.open and progress.labelled:
        found.append(
            f"{progress.open:,} of {progress.drawn:,} drawn items have no label yet: if those differ, so does the truth"
        )
    if progress.unsure:
        found.append(f"{progress.unsure:,} labels left out: unsure, or two readers disagree")
    counts = agreement.counts
    wrong = counts.wrong_pass + counts.wrong_fail
    if progress.labelled and wrong < FEW_ERRORS:
        answers = "answer" if wrong == 1 else "answers"
        found.append(
            f"only {wrong} wrong {answers} among the labels of scored items: specificity and kappa rest on them"
        )
    return tuple(found)


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
        },
        "pass_rate": estimate_json(report.pass_rate),
        **{name: estimate_json(getattr(agreement, name)) for name in measured},
        "auroc": estimate_json(report.auroc),
        "calibration": _calibration_json(report.calibration),
        "cells": {name: getattr(agreement.counts, name) for name in agreement.counts.__slots__},
        "judges": [_judge_json(one) for one in report.judges],
        "candidates": [_compared_json(one) for one in report.candidates],
        "strata": [{name: getattr(one, name) for name in one.__slots__} for one in agreement.strata],
        "warnings": list(report.warnings),
    }


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
        "minus_rule_in_force": {name: estimate_json(each) for name, each in one.differences.items()},
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
