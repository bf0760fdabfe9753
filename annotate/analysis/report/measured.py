"""Measure the rule in force, on the labels that may score it and on all, and say which rules are measured beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.analysis.evidence import Traffic, gather
from annotate.analysis.excluded_draws import excluded_from_rule
from annotate.analysis.report.compared_rules import other_candidates
from annotate.analysis.report.holdout import never_drawn, scored_by_others, unscored
from annotate.analysis.rule_in_force import why_unscored
from annotate.analysis.selected_items import SelectedItems
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.candidates import FLAGS, JudgeKey, single
from proxy.evaluation.domains import Evidence
from proxy.records import Verdict
from proxy.rule import Rule

REFUSAL = "refusal"


class MeasuredRules(NamedTuple):
    """The judges and flags with scores, and the rules that are measured beside the one in force.

    `alone` has a rule for each of the `judges`, `others` the candidates over the same judges. `signatures` has one signature for
    each judge: the rule's where it names the judge, else the newest.
    """

    totals: Sequence[JudgeTotals]
    judges: Sequence[JudgeTotals]
    signatures: Mapping[str, str]
    alone: Sequence[Rule]
    others: Sequence[Rule]

    @property
    def refusals(self) -> int | None:
        """How many answers refuse to answer; None where nobody has looked."""
        flags = [flag for flag in self.totals if flag.judge == REFUSAL]
        return round(flags[-1].scored * (flags[-1].mean or 0.0)) if flags else None


def measured_rules(store: Store, rule: Rule, selection: Selection | None) -> MeasuredRules:
    """Return the rules to measure beside the one in force, from the judges that scored something."""
    totals = [entry for entry in store.scores.by_judge(selection) if entry.scored]
    judges = [entry for entry in totals if entry.judge not in FLAGS]
    signatures = {judge.judge: judge.signature for judge in judges} | dict(rule.signatures)
    alone = [single(JudgeKey(judge=judge.judge, signature=judge.signature)) for judge in judges]
    return MeasuredRules(totals, judges, signatures, alone, other_candidates(store, rule, signatures, alone))


class MeasuredTraffic(NamedTuple):
    """The traffic under each rule, and what its labels say of the one in force.

    Labels that chose or taught the rule (`excluded_draws`) never score the proxy: `traffic`, `scoring` and `agreement` are
    without them. Of the answers themselves all labels speak: `whole`, `everything` and `by_all`.
    """

    traffic: Traffic
    scoring: Evidence
    agreement: AgreementReport
    whole: Traffic
    everything: Evidence
    by_all: AgreementReport
    excluded_draws: frozenset[int]

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """The number of answers with each verdict of the rule in force."""
        return self.traffic.rules[0].counts

    @property
    def uncovered(self) -> int:
        """The number of answers that no wave could draw."""
        return self.traffic.rules[0].uncovered


def measure_traffic(
    store: Store, key: int, rule: Rule, beside: MeasuredRules, within: SelectedItems | None
) -> MeasuredTraffic:
    """Measure the rule in force, in row `key`, on the traffic or on the items within."""
    excluded_draws = excluded_from_rule(store, key, rule)
    rules = [rule, *beside.alone, *beside.others]
    traffic = gather(store, key, rules, excluded_draws=excluded_draws, within=within)
    whole = gather(store, key, [rule], within=within) if excluded_draws else traffic
    scoring, everything = traffic.evidence(traffic.rules[0]), whole.evidence(whole.rules[0])
    by_all = never_drawn(measure(everything), whole)
    agreement = by_all
    if excluded_draws:
        agreement = scored_by_others(never_drawn(measure(scoring), traffic), by_all)
    return MeasuredTraffic(traffic, scoring, agreement, whole, everything, by_all, excluded_draws)


def agreement_in_force(store: Store, rule: Rule, measured: MeasuredTraffic) -> AgreementReport:
    """Return how the rule agrees with the labels; where nothing has a verdict, what to do first in place of each number."""
    counts = measured.counts
    if counts[Verdict.UNSCORED] < sum(counts.values()):
        return measured.agreement
    reason = f"not measurable: no item has a verdict; {why_unscored(store, rule).reason}"
    return unscored(measured.agreement, reason)
