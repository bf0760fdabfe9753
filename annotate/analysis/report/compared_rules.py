"""Measure the rules beside the one in force on the same labels: each judge alone, and other rules over the same judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.evidence import Measured, Traffic, gather
from annotate.analysis.excluded_draws import excluded_from_judges
from annotate.analysis.own_references import own_references
from annotate.analysis.report.holdout import never_drawn
from annotate.analysis.rule_in_force import frozen_knots
from annotate.analysis.selected_items import SelectedItems
from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.candidates import JudgeKey, candidates
from proxy.evaluation.discrimination import (
    ONE_VALUE,
    Separation,
    auroc_difference,
    auroc_of,
    aurocs_of_all,
    separation_of,
    valued,
)
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.rule_comparison import RuleDifference, differences
from proxy.judges.taught import is_taught
from proxy.records import Verdict
from proxy.rule import Rule
from proxy.stats.intervals import Interval

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
    """A judge alone as the proxy, passing above 0.5, and whether its score separates right from wrong answers.

    `auroc_of_all` is the long-run interval of its AUROC that holds for all judges at once, None where there is none;
    `objections` forbid any claim from these labels, and so do `own_references`, the scores that rest on a reference which was
    written with the answer's own label.
    """

    totals: JudgeTotals
    alone: ComparedRule
    auroc_of_all: Interval | None
    objections: tuple[Objection, ...]
    own_references: int

    @property
    def separation(self) -> Separation:
        """The separation, read from the interval that holds for all judges at once."""
        if self.objections or self.own_references:
            return Separation.UNMEASURABLE
        return Separation.CONSTANT if self.alone.auroc.reason == ONE_VALUE else separation_of(self.auroc_of_all)


def other_candidates(store: Store, rule: Rule, signatures: Mapping[str, str], alone: Sequence[Rule]) -> list[Rule]:
    """Return the other rules over the same judges, without those that are a judge alone."""
    percentiles = {judge: frozen_knots(store, judge, signature) for judge, signature in signatures.items()}
    keys = [JudgeKey(judge=judge, signature=signature) for judge, signature in signatures.items()]
    measured = {(other.expression, *other.signatures.items()) for other in alone}
    proposed = candidates(rule, keys, {judge: points for judge, points in percentiles.items() if points})
    return [other for other in proposed if (other.expression, *other.signatures.items()) not in measured]


def coverage(verdicts: Mapping[Verdict, int]) -> float:
    """Return the share of the items that have a verdict."""
    return (verdicts[Verdict.PASS] + verdicts[Verdict.FAIL]) / max(1, sum(verdicts.values()))


class ScoredRule(NamedTuple):
    """A rule beside the one in force, the traffic whose labels may score both, and what these say of the one in force."""

    measured: Measured
    traffic: Traffic
    in_force: AgreementReport


def scored_rules(
    store: Store,
    key: int,
    traffic: Traffic,
    in_force: AgreementReport,
    excluded_draws: frozenset[int],
    within: SelectedItems | None,
) -> list[ScoredRule]:
    """Return every rule beside the one in force, in row `key`, with the labels that score it.

    A rule that reads a taught judge is measured without labels of questions that may teach; so is the rule in force beside it.
    """
    apart = [measured.rule for measured in traffic.rules[1:] if _reads_taught(measured.rule)]
    if not apart:
        return [ScoredRule(measured, traffic, in_force) for measured in traffic.rules[1:]]
    never = excluded_draws | excluded_from_judges(store, [name for rule in apart for name in rule.signatures.values()])
    others = gather(store, key, [traffic.rules[0].rule, *apart], excluded_draws=never, within=within)
    beside = never_drawn(measure(others.evidence(others.rules[0])), others)
    measured_apart = iter(others.rules[1:])
    return [
        ScoredRule(next(measured_apart), others, beside)
        if _reads_taught(measured.rule)
        else ScoredRule(measured, traffic, in_force)
        for measured in traffic.rules[1:]
    ]


def _reads_taught(rule: Rule) -> bool:
    return any(map(is_taught, rule.signatures.values()))


def judge_reports(
    store: Store,
    scored: Sequence[ScoredRule],
    totals: Sequence[JudgeTotals],
    compared: Sequence[ComparedRule],
    objections: Sequence[Objection],
) -> list[JudgeReport]:
    """Report each judge; the rules that are scored begin with each alone, as do those compared."""
    known = [place for place in range(len(totals)) if compared[place].auroc.estimate is not None]
    # Which draws have a label, and what each stands for, is the same under any rule of the same traffic.
    ranked = [
        valued(rule.traffic.evidence(rule.traffic.rules[0]), rule.measured.values)[0]
        for rule in (scored[place] for place in known)
    ]
    of_all = dict(zip(known, aurocs_of_all(ranked), strict=True))
    return [
        JudgeReport(
            totals=judge,
            alone=compared[place],
            auroc_of_all=of_all.get(place),
            objections=tuple(objections),
            own_references=own_references(store, judge),
        )
        for place, judge in enumerate(totals)
    ]


def compare_rule(scored: ScoredRule, count: int) -> ComparedRule:
    """Measure one rule of `count` on the labels that may score it, and against the rule in force."""
    measured, traffic, in_force = scored
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
