"""Measure the verdict on the proxy, what it rests on, and what waits for a person: what pages say first.

A report begins with it, and measures far more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotate.analysis.evidence_ledger import Basis, evidence_ledger
from annotate.analysis.report.compared_rules import coverage, is_same
from annotate.analysis.report.harm import marked_harmful, serious_harm
from annotate.analysis.report.labels import ReportedLabels, read_labels
from annotate.analysis.report.measured import (
    MeasuredRules,
    MeasuredTraffic,
    agreement_in_force,
    measure_traffic,
    measured_rules,
)
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.selected_items import SelectedItems, selected_items
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.evaluation.agreement import AgreementReport, pass_rate
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, agreement_between
from proxy.evaluation.discrimination import Valued, auroc_of, valued
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import EvidenceLedger
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.trust import DEFAULT_LIMIT, TrustVerdict, judge_trust
from proxy.records import Verdict
from proxy.rule import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportHead:
    """The verdict on the proxy, its evidence and what waits, on all traffic or on the part that `selection` names.

    Of a part, what is counted is counted among its answers and what is estimated is a domain estimate, and so is the verdict: a
    part is held to the limit that holds for all, and has no guarantee of its threshold. How far annotators agree where that
    forbids a claim is of all traffic, because it is a property of the annotators.
    """

    selection: Selection | None
    items: int
    verdicts: Mapping[Verdict, int]
    progress: DrawProgress
    uncovered: int
    rule: Rule
    guarantee: Guarantee | None
    agreement: AgreementReport
    auroc: Estimate
    false_passes: Estimate
    serious_harm: Estimate | None
    marked_harmful: Estimate
    annotator_agreement: AnnotatorAgreement
    trust: TrustVerdict
    disputed: int
    flagged: int
    harmed: Sequence[str]
    unadjudicated: Sequence[str]
    evidence: EvidenceLedger

    def is_in_force(self, rule: Rule) -> bool:
        """Whether a rule is the one in force by another name."""
        return is_same(rule, self.rule)

    @property
    def pass_rate(self) -> Estimate:
        """Passed among scored, of all items."""
        rate = pass_rate(self.verdicts[Verdict.PASS], self.verdicts[Verdict.FAIL])
        return rate if self.judged else replace(rate, reason=self.agreement.pass_precision.reason)

    @property
    def coverage(self) -> float:
        """The share of all items that the rule in force scores."""
        return coverage(self.verdicts)

    @property
    def judged(self) -> int:
        """Items that the rule gave a verdict."""
        return self.verdicts[Verdict.PASS] + self.verdicts[Verdict.FAIL]


class MeasuredHead(NamedTuple):
    """The head of a report, and what the rest of it is measured from.

    `agreement` is that of the rule in row `key` before doubts and missing labels, `ranked` the labels with its value.
    """

    key: int
    head: ReportHead
    rules: MeasuredRules
    traffic: MeasuredTraffic
    agreement: AgreementReport
    labels: ReportedLabels
    ranked: Valued


def head(store: Store, *, limit: float = DEFAULT_LIMIT, selection: Selection | None = None) -> ReportHead:
    """Measure the verdict under the rule in force, as the store is at one moment.

    Parameters
    ----------
    store : Store
    limit : float
        The least share of right answers among passed ones.
    selection : Selection, optional
        The part of the traffic to measure; all where there is none.

    Raises
    ------
    UsageError
        Where no answer is in the selection.
    """
    with store.snapshot():
        return measure(store, limit, selected_items(store, selection) if selection else None).head


def measure(store: Store, limit: float, within: SelectedItems | None) -> MeasuredHead:
    """Measure the verdict on all items or on those within; call inside one snapshot."""
    key, rule = rule_in_force(store)
    selection = None if within is None else within.selection
    rules = measured_rules(store, rule, selection)
    traffic = measure_traffic(store, key, rule, rules, within)
    agreement = agreement_in_force(store, rule, traffic)
    ranked = valued(traffic.scoring, traffic.traffic.rules[0].values)[0]
    labels = read_labels(store, key, within)
    annotator_agreement = agreement_between(labels.readings)
    agreement_of_all = annotator_agreement if within is None else agreement_between(store.labels.readings())
    basis = Basis(traffic.traffic, agreement, agreement_of_all, within)
    ledger = replace(evidence_ledger(store, key, rule, basis), among=agreement, auroc=agreement.known(auroc_of(ranked)))
    report_head = ReportHead(
        selection=selection,
        items=sum(traffic.counts.values()),
        verdicts=traffic.counts,
        progress=store.sampling.waves.progress(selection),
        uncovered=traffic.uncovered,
        rule=rule,
        guarantee=store.scores.guarantees.of(key) if within is None else None,
        agreement=ledger.over_cases(),
        auroc=ledger.spanned("auroc"),
        false_passes=ledger.spanned("false_passes"),
        serious_harm=serious_harm(labels.by_item, traffic.whole, traffic.everything),
        marked_harmful=marked_harmful(store, key, rule, labels.by_item, traffic.whole, within),
        annotator_agreement=annotator_agreement,
        trust=judge_trust(agreement, limit, evidence=ledger, left=_passed_without_label(traffic)),
        disputed=len(labels.disputed),
        flagged=labels.flagged,
        harmed=labels.harmed,
        unadjudicated=labels.unadjudicated,
        evidence=ledger,
    )
    return MeasuredHead(key, report_head, rules, traffic, agreement, labels, ranked)


def _passed_without_label(measured: MeasuredTraffic) -> int:
    """Count the passed answers that could still be labelled right or wrong."""
    labelled = measured.by_all.counts
    return max(0, measured.counts[Verdict.PASS] - labelled.right_pass - labelled.wrong_pass)
