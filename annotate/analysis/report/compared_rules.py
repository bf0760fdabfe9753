"""Measure the rules beside the one in force on the same labels: each judge alone, and other rules over the same judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.evidence import Measured, Traffic, gather
from annotate.analysis.report.holdout import never_drawn
from annotate.analysis.rule_in_force import knots
from annotate.analysis.selected_items import SelectedItems
from annotate.analysis.trained_judges.contrasts import silent_for
from annotate.analysis.trained_versions import taught_by_traffic
from annotate.store import Store
from annotate.store.scores.scores import JudgeTotals
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.candidates import JudgeKey, candidates
from proxy.evaluation.discrimination import auroc_difference, auroc_of, valued
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.rule_comparison import RuleDifference, differences
from proxy.records import Verdict
from proxy.rule import Rule

COMPARED_BY = ("accuracy", "kappa")


class Differences(NamedTuple):
    """A rule's quantities minus those of the rule in force."""

    accuracy: RuleDifference
    kappa: RuleDifference
    auroc: RuleDifference


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedRule:
    """Another rule against annotators, on the items that it scores, which are the share `coverage` of all.

    `differences` are its quantities minus those of the rule in force, both on the items that both score.
    """

    rule: Rule
    agreement: AgreementReport
    auroc: Estimate
    coverage: float
    differences: Differences


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeReport:
    """A judge alone as the proxy, passing above 0.5."""

    totals: JudgeTotals
    alone: ComparedRule


def other_candidates(store: Store, rule: Rule, signatures: Mapping[str, str], alone: Sequence[Rule]) -> list[Rule]:
    """Return the other rules over the same judges, without those that are a judge alone."""
    percentiles = {judge: knots(store, judge, signature) for judge, signature in signatures.items()}
    keys = [JudgeKey(judge=judge, signature=signature) for judge, signature in signatures.items()]
    measured = {(other.expression, *other.signatures.items()) for other in alone}
    proposed = candidates(rule, keys, {judge: points for judge, points in percentiles.items() if points})
    return [other for other in proposed if (other.expression, *other.signatures.items()) not in measured]


def coverage(verdicts: Mapping[Verdict, int]) -> float:
    """Return the share of the items that have a verdict."""
    return (verdicts[Verdict.PASS] + verdicts[Verdict.FAIL]) / max(1, sum(verdicts.values()))


def compare_rules(
    store: Store,
    key: int,
    traffic: Traffic,
    in_force: AgreementReport,
    silent: frozenset[int],
    within: SelectedItems | None,
) -> list[ComparedRule]:
    """Measure every rule beside the one in force, in row `key`, on the labels that score both.

    A trained judge that questions of the traffic taught is measured without their labels, and so is the rule in force beside it.
    """
    count = len(traffic.rules) - 1
    taught = taught_by_traffic(store)
    apart = [measured.rule for measured in traffic.rules[1:] if taught & set(measured.rule.signatures.values())]
    if not apart:
        return [compare_rule(traffic, measured, in_force, count) for measured in traffic.rules[1:]]
    never = silent | silent_for(store, taught)
    others = gather(store, key, [traffic.rules[0].rule, *apart], silent=never, within=within)
    beside = never_drawn(measure(others.evidence(others.rules[0])), others)
    compared = iter([compare_rule(others, measured, beside, count) for measured in others.rules[1:]])
    return [
        next(compared)
        if taught & set(measured.rule.signatures.values())
        else compare_rule(traffic, measured, in_force, count)
        for measured in traffic.rules[1:]
    ]


def compare_rule(traffic: Traffic, measured: Measured, in_force: AgreementReport, count: int) -> ComparedRule:
    """Measure one rule of so many on the labels of all, and against the rule in force."""
    evidence = traffic.evidence(measured)
    agreement = never_drawn(measure(evidence), traffic)
    # Each rule on its own items would compare the items, not the rules.
    common = traffic.in_common(measured)
    ours_common, theirs_common = (measure(part) for part in common) if common else (agreement, in_force)
    pairs = {name: (getattr(ours_common, name), getattr(theirs_common, name)) for name in COMPARED_BY}
    own, other = valued(evidence, measured.values, traffic.rules[0].values)
    quantities = differences(traffic.against(measured, evidence), pairs, count)
    return ComparedRule(
        rule=measured.rule,
        agreement=agreement,
        auroc=agreement.known(auroc_of(valued(evidence, measured.values)[0])),
        coverage=coverage(measured.counts),
        differences=Differences(
            **quantities, auroc=RuleDifference(in_force.known(agreement.known(auroc_difference(own, other))))
        ),
    )


def is_same(rule: Rule, other: Rule) -> bool:
    """Whether two rules read the same scores in the same way."""
    return rule.expression == other.expression and dict(rule.signatures) == dict(other.signatures)
