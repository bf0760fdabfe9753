"""Build the report that `assay report` prints and writes as JSON, and that the app shows, from the store's totals and labels.

The same labels measure the rule in force, every judge alone and every other rule over the same judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.analysis.diagnosis import Miss, Namings, read_misses
from annotate.analysis.evidence_ledger import Basis, evidence_ledger
from annotate.analysis.learned_rule import LearnedRule, RuleConfirmation
from annotate.analysis.neighbours import Neighbours, neighbours
from annotate.analysis.report.better_judge import BetterJudge
from annotate.analysis.report.caveats import (
    chosen_late,
    fooled,
    notes,
    on_waves,
    partly_judged,
)
from annotate.analysis.report.compared_rules import (
    ComparedRule,
    JudgeReport,
    compare_rule,
    coverage,
    is_same,
    judge_reports,
    scored_rules,
)
from annotate.analysis.report.feedback import FeedbackReport, feedback_report
from annotate.analysis.report.gate import Gate, gate
from annotate.analysis.report.harm import marked_harmful, serious_harm
from annotate.analysis.report.labels import ReportedLabels, read_labels
from annotate.analysis.report.measured import (
    MeasuredRules,
    MeasuredTraffic,
    agreement_in_force,
    measure_traffic,
    measured_rules,
)
from annotate.analysis.report.partial_judges import is_partial
from annotate.analysis.report.passages import PassageReport, passage_report
from annotate.analysis.report.whole_traffic import WholeBasis, WholeTraffic, of_no_part, of_whole_traffic
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.selected_items import SelectedItems, selected_items
from annotate.analysis.trained_judges.contrasts import TrainedContrast
from annotate.domain.feedback import thumbs_down
from annotate.domain.gate_limits import ReportLimits
from annotate.domain.sampling.outcomes import DrawProgress, Overlap
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.diagnosis import THRESHOLD, LabelledScores, Quadrant, quadrants
from proxy.evaluation.agreement import AgreementReport, pass_rate
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, agreement_between
from proxy.evaluation.calibration_error import CalibrationError, calibration_error
from proxy.evaluation.candidates import is_reference_based
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.effective_labels import EffectiveLabels
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import EvidenceLedger
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.rule_selection import BestRule, Rival, best_rule
from proxy.evaluation.strata import shares_wrong
from proxy.evaluation.trust import DEFAULT_LIMIT, TrustVerdict, judge_trust
from proxy.records import Label, Verdict
from proxy.rule import Rule

# Chosen: as many as a person reads at once; `missed` counts all.
SHOWN_MISSES = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectReport:
    """The report: everything that is known of the proxy now, on all traffic or on the part that `selection` names.

    Of a part, what is counted is counted among its answers and what is estimated is a domain estimate, and so are verdict and
    gate: a part is held to the limits that hold for all. What concerns all traffic and no part of it is None, empty or has a
    reason: the guarantee of the threshold, a learned rule and its confirmation, a better judge, trained judges, the stage to
    mend, effective labels, labels of answers that are gone, contradictions among labels. Waves, and how far annotators agree
    where that forbids a claim, are of all traffic, because they are properties of the drawing and of the annotators.
    """

    selection: Selection | None
    items: int
    verdicts: Mapping[Verdict, int]
    progress: DrawProgress
    hand_picked: int
    uncovered: int
    thumbs_down: Estimate
    feedback: FeedbackReport
    passages: PassageReport
    waves: int
    rule: Rule
    guarantee: Guarantee | None
    judges: Sequence[JudgeReport]
    candidates: Sequence[ComparedRule]
    agreement: AgreementReport
    auroc: Estimate
    false_passes: Estimate
    serious_harm: Estimate | None
    marked_harmful: Estimate
    calibration: CalibrationError | None
    shares_wrong: Sequence[Estimate]
    effective_labels: EffectiveLabels
    annotator_agreement: AnnotatorAgreement
    neighbours: Neighbours
    best: BestRule
    better_judge: BetterJudge | None
    learned: LearnedRule
    confirmation: RuleConfirmation | None
    trained: tuple[TrainedContrast, ...]
    trust: TrustVerdict
    quadrants: Sequence[Quadrant]
    stages: Namings | None
    overlap: Overlap
    disputed: int
    flagged: int
    harmed: Sequence[str]
    unadjudicated: Sequence[str]
    harmful: Sequence[Miss]
    misses: Sequence[Miss]
    missed: int
    evidence: EvidenceLedger
    gate: Gate
    refusals: int | None
    warnings: tuple[str, ...]

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


def build(
    store: Store,
    *,
    limit: float = DEFAULT_LIMIT,
    limits: ReportLimits | None = None,
    selection: Selection | None = None,
) -> ProjectReport:
    """Measure everything under the rule in force, as the store is at one moment.

    Parameters
    ----------
    store : Store
    limit : float
        The least share of right answers among passed ones.
    limits : ReportLimits, optional
        The gate's own.
    selection : Selection, optional
        The part of the traffic to measure; all where there is none.

    Raises
    ------
    UsageError
        Where no answer is in the selection.
    """
    key, rule = rule_in_force(store)
    with store.snapshot():
        within = None if selection is None else selected_items(store, selection)
        return _build(store, key, rule, limit, limits or ReportLimits(), within)


def _build(
    store: Store, key: int, rule: Rule, limit: float, limits: ReportLimits, within: SelectedItems | None
) -> ProjectReport:
    """Measure everything under this rule, in row `key`, on all items or on those within."""
    selection = None if within is None else within.selection
    rules = measured_rules(store, rule, selection)
    measured = measure_traffic(store, key, rule, rules, within)
    scored = scored_rules(store, key, measured.traffic, measured.agreement, measured.excluded_draws, within)
    compared = [compare_rule(rule_scored, len(scored)) for rule_scored in scored]
    agreement = agreement_in_force(store, rule, measured)
    ranked = valued(measured.scoring, measured.traffic.rules[0].values)[0]
    labels = read_labels(store, key, within)
    annotator_agreement = agreement_between(labels.readings)
    ledger = replace(
        evidence_ledger(
            store,
            key,
            rule,
            Basis(
                measured.traffic,
                agreement,
                annotator_agreement if within is None else agreement_between(store.labels.readings()),
                within,
            ),
        ),
        among=agreement,
        auroc=agreement.known(auroc_of(ranked)),
    )
    judges = judge_reports(store, scored, rules.judges, compared, ledger.against())
    trust = judge_trust(agreement, limit, evidence=ledger, left=_passed_without_label(measured))
    progress = store.sampling.waves.progress(selection)
    of_all = (
        of_whole_traffic(store, _whole_basis(key, rule, measured, compared, progress, ledger))
        if within is None
        else of_no_part(rule, measured.everything)
    )
    waves = store.sampling.waves.next_number() - 1
    return ProjectReport(
        selection=selection,
        items=sum(measured.counts.values()),
        verdicts=measured.counts,
        progress=progress,
        hand_picked=store.labels.hand_picked(selection),
        uncovered=measured.uncovered,
        thumbs_down=_thumbs_down(store, measured, selection),
        feedback=feedback_report(store, measured.whole, within),
        passages=passage_report(store, measured.whole, judges, within),
        waves=waves,
        rule=rule,
        guarantee=of_all.guarantee,
        judges=judges,
        candidates=compared[len(rules.alone) :],
        agreement=ledger.over_cases(),
        auroc=ledger.spanned("auroc"),
        false_passes=ledger.spanned("false_passes"),
        serious_harm=serious_harm(labels.by_item, measured.whole, measured.everything),
        marked_harmful=marked_harmful(store, key, rule, labels.by_item, measured.whole, within),
        calibration=calibration_error(ranked) if agreement.shares else None,
        shares_wrong=shares_wrong(measured.everything, [stratum.stratum for stratum in agreement.strata]),
        effective_labels=of_all.effective_labels,
        annotator_agreement=annotator_agreement,
        neighbours=neighbours(store),
        best=_best_rule(rule, rules, compared, sum(measured.counts.values())),
        better_judge=of_all.better_judge,
        learned=of_all.learned,
        confirmation=of_all.confirmation,
        trained=of_all.trained,
        overlap=store.labels.adjudication.overlap(selection),
        disputed=len(labels.disputed),
        flagged=labels.flagged,
        trust=trust,
        evidence=ledger,
        quadrants=quadrants(_labelled_scores(store, labels.by_item, rules.signatures)),
        stages=of_all.stages,
        harmed=labels.harmed,
        unadjudicated=labels.unadjudicated,
        harmful=_shown(store, labels, labels.harmful, rules.signatures),
        misses=_shown(store, labels, labels.passed_but_wrong, rules.signatures),
        missed=len(labels.passed_but_wrong),
        gate=gate(labels.harmed, labels.unadjudicated, trust, ledger, limits),
        refusals=rules.refusals,
        warnings=_warnings(store, rule, rules, ledger, progress, of_all, measured.uncovered if waves else 0),
    )


def _whole_basis(
    key: int,
    rule: Rule,
    measured: MeasuredTraffic,
    compared: Sequence[ComparedRule],
    progress: DrawProgress,
    ledger: EvidenceLedger,
) -> WholeBasis:
    """Gather what is measured of all traffic already."""
    return WholeBasis(
        key=key,
        rule=rule,
        whole=measured.whole,
        evidence=measured.everything,
        scoring=measured.traffic,
        kappas={result.rule.expression: result.differences.kappa for result in compared},
        excluded_draws=measured.excluded_draws,
        progress=progress,
        objections=ledger.against(),
    )


def _passed_without_label(measured: MeasuredTraffic) -> int:
    """Count the passed answers that could still be labelled right or wrong."""
    labelled = measured.by_all.counts
    return max(0, measured.counts[Verdict.PASS] - labelled.right_pass - labelled.wrong_pass)


def _thumbs_down(store: Store, measured: MeasuredTraffic, selection: Selection | None) -> Estimate:
    """Count the answers with a thumb down."""
    thumbs = store.traffic.windows.thumbs_of_all(selection)
    return thumbs_down(thumbs.down, sum(measured.counts.values()), has_feedback=thumbs.rated > 0)


def _best_rule(rule: Rule, rules: MeasuredRules, compared: Sequence[ComparedRule], items: int) -> BestRule:
    """Say whether another rule is best: one without a reference, whose judges were asked of the same items.

    A judge that was asked of some items only has been asked of a selected part, unless the rule in force was too.
    """
    partial = {judge.signature for judge in rules.judges if is_partial(judge, items)} - set(rule.signatures.values())
    return best_rule(
        rule.expression,
        [
            Rival(expression=result.rule.expression, kappa=result.differences.kappa)
            for result in compared
            if not any(map(is_reference_based, result.rule.signatures))
            and not partial & set(result.rule.signatures.values())
            and not is_same(result.rule, rule)
        ],
    )


def _warnings(
    store: Store,
    rule: Rule,
    rules: MeasuredRules,
    ledger: EvidenceLedger,
    progress: DrawProgress,
    of_all: WholeTraffic,
    uncovered: int,
) -> tuple[str, ...]:
    """Write every warning, those of the rule first; `uncovered` answers are in no wave, where there are waves."""
    return (
        *notes(rule, ledger, progress),
        *chosen_late(store.scores.rules.history(), store.labels.known_before),
        *partly_judged(rules.judges, ledger.items),
        *of_all.contradictions,
        *fooled(store.scores.calls.canaries(), rule),
        *of_all.outdated,
        *on_waves(store.sampling.ledger.answered(), store.sampling.ledger.last_counted(), uncovered),
    )


def _shown(store: Store, labels: ReportedLabels, items: Sequence[int], signatures: Mapping[str, str]) -> Sequence[Miss]:
    """Read the first of these answers."""
    return read_misses(store, {item: labels.by_item[item] for item in items[:SHOWN_MISSES]}, signatures.values())


def _labelled_scores(store: Store, labels: Mapping[int, Label], signatures: Mapping[str, str]) -> list[LabelledScores]:
    """Return each label with the two scores that tell the stage."""
    standings = store.scores.stage_scores.standings(
        list(labels), store.scores.stage_scores.field(signatures, THRESHOLD, THRESHOLD)
    )
    return [
        LabelledScores(
            label.judgement, standings[row].relevance, standings[row].faithfulness, standings[row].has_passages
        )
        for row, label in labels.items()
    ]
