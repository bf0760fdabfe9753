"""Build the report that `assay report` prints and writes as JSON, and that the app shows, from the store's totals and labels.

The same labels measure the rule in force, every judge alone and every other rule over the same judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from annotate.analysis import preview
from annotate.analysis.aligned_judges.learning_curve import LearningCurve
from annotate.analysis.diagnosis import Miss, Namings, read_misses
from annotate.analysis.learned_rule import LearnedRule, RuleConfirmation
from annotate.analysis.neighbours import Neighbours, neighbours
from annotate.analysis.preview import Preview
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
    judge_reports,
    scored_rules,
)
from annotate.analysis.report.feedback import FeedbackReport, feedback_report
from annotate.analysis.report.gate import Gate, gate
from annotate.analysis.report.head import MeasuredHead, ReportHead, measure
from annotate.analysis.report.labels import ReportedLabels
from annotate.analysis.report.measured import (
    MeasuredRules,
)
from annotate.analysis.report.partial_judges import is_partial
from annotate.analysis.report.passages import PassageReport, passage_report
from annotate.analysis.report.whole_traffic import WholeBasis, WholeTraffic, of_no_part, of_whole_traffic
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.selected_items import SelectedItems, selected_items
from annotate.analysis.trained_judges.contrasts import TrainedContrast
from annotate.domain.feedback import thumbs_down
from annotate.domain.gate_limits import ReportLimits
from annotate.domain.gold.entries import GoldStatus
from annotate.domain.sampling.outcomes import Overlap
from annotate.domain.selection import Selection
from annotate.domain.working_time import FEWEST_TIMED, mean_seconds
from annotate.store import Store
from proxy.diagnosis import THRESHOLD, LabelledScores, Quadrant, quadrants
from proxy.evaluation.calibration_error import CalibrationError, calibration_error
from proxy.evaluation.candidates import is_reference_based
from proxy.evaluation.effective_labels import EffectiveLabels
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.rule_selection import BestRule, Rival, best_rule
from proxy.evaluation.strata import shares_wrong
from proxy.evaluation.trust import DEFAULT_LIMIT
from proxy.records import Label

# Chosen: as many as a person reads at once; `missed` counts all.
SHOWN_MISSES = 20


class GoldState(NamedTuple):
    """How many references wait to be accepted, how many are accepted, and how many of these are in no release."""

    candidates: int
    accepted: int
    unreleased: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectReport(ReportHead):
    """The report: everything that is known of the proxy now, on all traffic or on a part.

    `preview` is what the judges alone say, where `with_preview` has added it. `label_seconds` is None where too few
    labels were timed.

    What concerns all traffic and no part of it is None, empty or has a reason: a learned rule and its confirmation, a better
    judge, trained judges, versions of judges, the stage to mend, effective labels, labels of answers that are gone,
    contradictions among labels. Waves are of all traffic, because they are a property of the drawing.
    """

    hand_picked: int
    thumbs_down: Estimate
    feedback: FeedbackReport
    passages: PassageReport
    waves: int
    judges: Sequence[JudgeReport]
    candidates: Sequence[ComparedRule]
    calibration: CalibrationError | None
    shares_wrong: Sequence[Estimate]
    effective_labels: EffectiveLabels
    neighbours: Neighbours
    best: BestRule
    better_judge: BetterJudge | None
    learned: LearnedRule
    confirmation: RuleConfirmation | None
    trained: tuple[TrainedContrast, ...]
    curves: tuple[LearningCurve, ...]
    quadrants: Sequence[Quadrant]
    stages: Namings | None
    overlap: Overlap
    harmful: Sequence[Miss]
    misses: Sequence[Miss]
    missed: int
    gate: Gate
    refusals: int | None
    gold: GoldState
    label_seconds: float | None
    warnings: tuple[str, ...]
    preview: Preview | None = None


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
    with store.snapshot():
        within = selected_items(store, selection) if selection else None
        return _build(store, measure(store, limit, within), limits or ReportLimits(), within)


def _build(store: Store, measured: MeasuredHead, limits: ReportLimits, within: SelectedItems | None) -> ProjectReport:
    """Measure what a report has beyond its head, on all items or on those within."""
    head, rules, traffic, labels = measured.head, measured.rules, measured.traffic, measured.labels
    scored = scored_rules(store, measured.key, traffic.traffic, traffic.agreement, traffic.excluded_draws, within)
    compared = [compare_rule(rule_scored, len(scored)) for rule_scored in scored]
    judges = judge_reports(store, scored, rules.judges, compared, head.evidence.against())
    of_all = (
        of_whole_traffic(store, _whole_basis(measured, compared))
        if within is None
        else of_no_part(head.rule, traffic.everything)
    )
    waves = store.sampling.waves.next_number() - 1
    return ProjectReport(
        **{field.name: getattr(head, field.name) for field in fields(head)},
        hand_picked=store.labels.hand_picked(head.selection),
        thumbs_down=_thumbs_down(store, head),
        feedback=feedback_report(store, traffic.whole, within),
        passages=passage_report(store, traffic.whole, judges, within),
        waves=waves,
        judges=judges,
        candidates=compared[len(rules.alone) :],
        calibration=calibration_error(measured.ranked) if measured.agreement.shares else None,
        shares_wrong=shares_wrong(traffic.everything, [stratum.stratum for stratum in measured.agreement.strata]),
        effective_labels=of_all.effective_labels,
        neighbours=neighbours(store),
        best=_best_rule(head, rules, compared),
        better_judge=of_all.better_judge,
        learned=of_all.learned,
        confirmation=of_all.confirmation,
        trained=of_all.trained,
        curves=of_all.curves,
        overlap=store.labels.adjudication.overlap(head.selection),
        quadrants=quadrants(_labelled_scores(store, labels.by_item, rules.signatures)),
        stages=of_all.stages,
        harmful=_shown(store, labels, labels.harmful, rules.signatures),
        misses=_shown(store, labels, labels.passed_but_wrong, rules.signatures),
        missed=len(labels.passed_but_wrong),
        gate=gate(head.harmed, head.unadjudicated, head.trust, head.evidence, limits),
        refusals=rules.refusals,
        gold=_gold(store),
        label_seconds=_label_seconds(store),
        warnings=_warnings(store, head, rules, of_all, head.uncovered if waves else 0),
    )


def _gold(store: Store) -> GoldState:
    counts = store.gold.counts()
    return GoldState(counts[GoldStatus.CANDIDATE], counts[GoldStatus.ACCEPTED], store.gold.count_unreleased())


def _label_seconds(store: Store) -> float | None:
    """Return the mean time of a label; None where too few were timed."""
    timed = store.labels.seconds()
    return mean_seconds(timed) if len(timed) >= FEWEST_TIMED else None


def with_preview(store: Store, report: ProjectReport, worst: int | None) -> ProjectReport:
    """Return the report with what the judges alone say: where nothing is labelled, or so many lowest answers are asked for.

    Call in the snapshot of the report. A report of answers without a verdict stays as it is.

    Raises
    ------
    UsageError
        Where `worst` is no number of answers to read.
    """
    if not report.judged or (worst is None and report.progress.labelled):
        return report
    key, rule = rule_in_force(store)
    signatures = {judge.totals.judge: judge.totals.signature for judge in report.judges} | dict(rule.signatures)
    added = preview.build(store, key, rule, signatures, worst=worst, selection=report.selection)
    return replace(report, preview=added)


def _whole_basis(measured: MeasuredHead, compared: Sequence[ComparedRule]) -> WholeBasis:
    """Gather what is measured of all traffic already."""
    head, traffic = measured.head, measured.traffic
    return WholeBasis(
        key=measured.key,
        rule=head.rule,
        whole=traffic.whole,
        evidence=traffic.everything,
        scoring=traffic.traffic,
        kappas={result.rule.expression: result.differences.kappa for result in compared},
        excluded_draws=traffic.excluded_draws,
        progress=head.progress,
        objections=head.evidence.against(),
    )


def _thumbs_down(store: Store, head: ReportHead) -> Estimate:
    """Count the answers with a thumb down."""
    thumbs = store.traffic.windows.thumbs_of_all(head.selection)
    return thumbs_down(thumbs.down, head.items, has_feedback=thumbs.rated > 0)


def _best_rule(head: ReportHead, rules: MeasuredRules, compared: Sequence[ComparedRule]) -> BestRule:
    """Say whether another rule is best: one without a reference, whose judges were asked of the same items.

    A judge that was asked of some items only has been asked of a selected part, unless the rule in force was too.
    """
    rule = head.rule
    partial = {judge.signature for judge in rules.judges if is_partial(judge, head.items)} - set(
        rule.signatures.values()
    )
    return best_rule(
        rule.expression,
        [
            Rival(expression=result.rule.expression, kappa=result.differences.kappa)
            for result in compared
            if not any(map(is_reference_based, result.rule.signatures))
            and not partial & set(result.rule.signatures.values())
            and not head.is_in_force(result.rule)
        ],
    )


def _warnings(
    store: Store, head: ReportHead, rules: MeasuredRules, of_all: WholeTraffic, uncovered: int
) -> tuple[str, ...]:
    """Write every warning, those of the rule first; `uncovered` answers are in no wave, where there are waves."""
    return (
        *notes(head.rule, head.evidence, head.progress),
        *chosen_late(store.scores.rules.history(), store.labels.known_before),
        *partly_judged(rules.judges, head.evidence.items),
        *of_all.contradictions,
        *fooled(store.scores.calls.canaries(), head.rule),
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
