"""The JSON of a report: the contract with other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from annotate.analysis.learned_rule import LearnedRule, RuleConfirmation
from annotate.analysis.report.better_judge import BetterJudge, BetterJudgeClaim
from annotate.analysis.report.feedback import FeedbackReport
from annotate.analysis.report.report import ComparedRule, JudgeReport, ProjectReport
from annotate.domain.sampling.outcomes import Overlap
from annotate.present import naming
from annotate.present.messages import text
from annotate.present.report import answer
from annotate.present.report.better_judge import better_judge
from annotate.present.report.feedback import sentence as feedback_sentence
from annotate.present.rule_comparison import best_rule
from annotate.present.schemas import guarantee
from annotate.present.schemas import naming as naming_schema
from annotate.present.schemas.base import (
    AnswerModel,
    EstimateModel,
    GateModel,
    IntervalModel,
    Model,
    read_from,
)
from annotate.present.schemas.effective_labels import EffectiveLabelsModel
from annotate.present.schemas.keyed import FieldsOf, RecordFields
from annotate.present.schemas.learned_rule import ContrastModel, contrast_of
from annotate.present.schemas.predictor import PredictorModel, behind
from proxy.evaluation.agreement import ConfusionCounts, StratumReport
from proxy.evaluation.annotator_agreement import AnnotatorPair, Reliability, freed_of_noise
from proxy.evaluation.discrimination import CalibrationError
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger, JudgeEvidence, Objection
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.rule_selection import Choice
from proxy.evaluation.trust import Trust
from proxy.records import Verdict
from proxy.rule import Rule

OF_A_PROXY = ("pass_precision", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1")
CASES = ("correctness", *OF_A_PROXY, "auroc")


class VerdictModel(Model):
    """Whether the proxy can be trusted, and the limit on pass precision."""

    status: Trust
    sentence: str
    limit: float


class LabelCountsModel(Model):
    """What became of the draws; hand-picked labels stand beside."""

    drawn: int
    right: int
    wrong: int
    unsure: int
    open: int
    hand_picked: int


class RuleModel(Model):
    """The rule in force; `coverage` is the share of answers that it scores."""

    name: str
    version: int
    expression: str
    threshold: float
    basis: str
    coverage: float
    signatures: dict[str, str]
    guarantee: guarantee.GuaranteeModel | None


class DifferenceModel(EstimateModel):
    """A quantity minus that of the rule in force, with the interval that holds for all rules at once."""

    for_all_rules: IntervalModel | None = None
    labels_that_differ: int | None = None


class DifferencesModel(Model):
    """Differences to the rule in force, on what both rules score."""

    accuracy: DifferenceModel
    kappa: DifferenceModel
    auroc: DifferenceModel


class ComparedModel(Model):
    """A rule that is not in force, on the same labels."""

    expression: str
    threshold: float
    coverage: float
    pass_precision: EstimateModel
    npv: EstimateModel
    sensitivity: EstimateModel
    specificity: EstimateModel
    accuracy: EstimateModel
    f1: EstimateModel
    kappa: EstimateModel
    mcc: EstimateModel
    ac1: EstimateModel
    auroc: EstimateModel
    minus_rule_in_force: DifferencesModel


class JudgeModel(ComparedModel):
    """One judge as its own proxy, passing above 0.5."""

    judge: str
    signature: str
    scored: int
    failed: int
    mean: float | None


class BestRuleModel(Model):
    """Whether another rule agrees better with annotators."""

    status: Choice
    sentence: str
    expression: str | None


class BetterJudgeModel(Model):
    """A judge of the rule in force that alone is shown better; `claim` says whether the fresh `wave` is out or confirms it.

    `wave_alone` is the difference by the labels of that wave.
    """

    expression: str
    kappa: DifferenceModel
    claim: BetterJudgeClaim
    confirmed_by_wave: int | None
    draws: int
    wave: int | None
    wave_alone: ContrastModel | None
    sentence: str


class LearnedModel(Model):
    """What can be learned from the labels so far, beside the rule in force."""

    expression: str
    taught: int
    minus_rule_in_force: ContrastModel | None
    better: bool


class RuleConfirmationModel(Model):
    """A learned rule in force beside the one that it replaced, on labels of waves drawn since."""

    before: str
    taught: int
    minus_before: ContrastModel


class AgreementModel(Model):
    """Inter-annotator agreement, the ceiling that it puts on any proxy, and correctness freed of annotators' errors."""

    items: int
    overlap: FieldsOf[Overlap]
    agreement: EstimateModel
    alpha: EstimateModel
    ac1: EstimateModel
    error: EstimateModel
    prevalence: float | None
    ceiling: float | None
    kappa_ceiling: float | None
    warning: str | None
    reliability: Reliability
    correctness: EstimateModel
    pairs: tuple[FieldsOf[AnnotatorPair], ...]


class EvidenceModel(Model):
    """The evidence ledger: what became of the draws, the cases that follow, and what else a claim rests on."""

    drawn: int
    answered: int
    unsure: int
    unanswered: int
    pending: int
    unsure_share: float
    unanswered_share: float
    pending_share: float
    passed_drawn: int
    passed_answered: int
    passed_unsure: int
    passed_unanswered: int
    passed_pending: int
    passed_unsure_share: float
    passed_unanswered_share: float
    passed_pending_share: float
    failed_drawn: int
    failed_answered: int
    failed_unsure: int
    failed_unanswered: int
    failed_pending: int
    failed_unsure_share: float
    failed_unanswered_share: float
    failed_pending_share: float
    pending_waves: tuple[int, ...]
    worst_case: dict[str, EstimateModel]
    best_case: dict[str, EstimateModel]
    annotators: Reliability
    alpha: EstimateModel
    read_twice: int
    groups: int
    questions: int
    effective_clusters: float
    clusters_in_traffic: float
    intraclass_correlation: float
    without_passages: int
    labelled_without_passages: int
    judges: tuple[Annotated[JudgeEvidence, RecordFields("separation")], ...]
    chose: int
    objections: tuple[FieldsOf[Objection], ...]


class StagesModel(Model):
    """The stage of the app to mend first, for all systems and for each."""

    sentence: str
    all: naming_schema.NamingModel
    systems: tuple[naming_schema.NamingModel, ...]


class UnratedModel(Model):
    """A system, or a run of its weeks (by their Mondays), without any feedback where chance would have given some."""

    system: str | None
    first: str | None
    last: str | None
    items: int


class FeedbackModel(Model):
    """Thumbs as a detector: down finds wrong answers, up finds right ones, on `rateable` answers.

    `down` have a thumb down, `up` a thumb up only; `left_out` could not have been rated.
    """

    sentence: str
    down_precision: EstimateModel
    down_recall: EstimateModel
    up_precision: EstimateModel
    up_recall: EstimateModel
    rateable: int
    down: int
    up: int
    left_out: tuple[UnratedModel, ...]


class ReportModel(AnswerModel, schema="assay/report/1"):
    """Everything that is known of the proxy now."""

    PARTS = ("agreement",)

    verdict: VerdictModel
    gate: GateModel
    harmful: tuple[str, ...] = read_from("harmed", "harmful")
    harm_not_adjudicated: tuple[str, ...] = read_from("unadjudicated", "harm_not_adjudicated")
    disagreements: int = read_from("disputed", "disagreements")
    gold_flagged: int = read_from("flagged", "gold_flagged")
    items: int
    judged: int
    unscored: int
    labels: int = read_from("progress.labelled", "labels")
    label_counts: LabelCountsModel
    rule: RuleModel
    correctness: EstimateModel
    correctness_long_run: EstimateModel
    pass_rate: EstimateModel
    pass_precision: EstimateModel
    npv: EstimateModel
    sensitivity: EstimateModel
    specificity: EstimateModel
    accuracy: EstimateModel
    f1: EstimateModel
    kappa: EstimateModel
    mcc: EstimateModel
    ac1: EstimateModel
    auroc: EstimateModel
    false_passes: EstimateModel
    thumbs_down: EstimateModel
    feedback: FeedbackModel
    calibration: FieldsOf[CalibrationError] | None
    cells: FieldsOf[ConfusionCounts] = read_from("counts", "cells")
    refusals: int | None
    judges: tuple[JudgeModel, ...]
    candidates: tuple[ComparedModel, ...]
    best_rule: BestRuleModel
    better_judge: BetterJudgeModel | None
    learned_rule: LearnedModel | None
    confirmation: RuleConfirmationModel | None
    inter_annotator_agreement: AgreementModel
    effective_labels: EffectiveLabelsModel
    predictors: tuple[PredictorModel, ...]
    response: EstimateModel = read_from("evidence.response", "response")
    evidence: EvidenceModel
    strata: tuple[Annotated[StratumReport, RecordFields("response", "rate", "share_wrong")], ...]
    stages: StagesModel
    warnings: tuple[str, ...]

    @classmethod
    def computed(cls, result: ProjectReport) -> Mapping[str, object]:
        """Give the verdict, the rules and judges, the evidence, and the stages."""
        trust, best, stages, agreement = result.trust, result.best, result.stages, result.agreement
        return {
            "verdict": VerdictModel.of(status=trust.status, sentence=text(answer(result)), limit=trust.limit),
            "unscored": result.verdicts[Verdict.UNSCORED],
            "label_counts": LabelCountsModel.of(
                **result.progress._asdict(), open=result.progress.open, hand_picked=result.hand_picked
            ),
            "rule": _rule(result),
            "feedback": _feedback(result.feedback),
            "judges": tuple(map(_judge, result.judges)),
            "candidates": tuple(ComparedModel.of(**_compared(compared)) for compared in result.candidates),
            "best_rule": BestRuleModel.of(
                status=best.status, sentence=text(best_rule(best)), expression=best.expression
            ),
            "inter_annotator_agreement": _annotators(result),
            "better_judge": _better_judge(result.better_judge) if result.better_judge else None,
            "learned_rule": _learned(result.learned, result.learned.rule) if result.learned.rule else None,
            "confirmation": _confirmation(result.confirmation) if result.confirmation else None,
            "predictors": behind(agreement.correctness, agreement.pass_precision, agreement.npv),
            "evidence": _evidence(result.evidence),
            "stages": StagesModel.of(
                sentence=text(naming.answer(naming.of_all(list(stages.each.values()), stages.whole))),
                all=naming_schema.of(stages.whole),
                systems=tuple(map(naming_schema.of, stages.each.values())),
            ),
        }


MODEL = ReportModel


def _feedback(feedback: FeedbackReport) -> FeedbackModel:
    names = ("down_precision", "down_recall", "up_precision", "up_recall")
    return FeedbackModel.of(
        sentence=text(feedback_sentence(feedback)),
        **{name: getattr(feedback.quality, name) for name in names},
        **{name: getattr(feedback, name) for name in ("rateable", "down", "up")},
        left_out=tuple(UnratedModel.of(**run._asdict()) for run in feedback.left_out),
    )


def _better_judge(better: BetterJudge) -> BetterJudgeModel:
    return BetterJudgeModel.of(
        expression=better.rule.expression,
        kappa=_difference(better.kappa),
        claim=better.claim,
        confirmed_by_wave=better.wave if better.claim is BetterJudgeClaim.CONFIRMED else None,
        draws=better.draws,
        wave=better.wave,
        wave_alone=contrast_of(better.fresh) if better.fresh else None,
        sentence=text(better_judge(better)),
    )


def _learned(learned: LearnedRule, rule: Rule) -> LearnedModel:
    return LearnedModel.of(
        expression=rule.expression,
        taught=learned.taught,
        minus_rule_in_force=contrast_of(learned.contrast) if learned.contrast else None,
        better=learned.is_better,
    )


def _confirmation(confirmation: RuleConfirmation) -> RuleConfirmationModel:
    return RuleConfirmationModel.of(
        before=confirmation.before.expression,
        taught=confirmation.taught,
        minus_before=contrast_of(confirmation.contrast),
    )


def _rule(report: ProjectReport) -> RuleModel:
    rule = report.rule
    return RuleModel.of(
        **{name: getattr(rule, name) for name in ("name", "version", "expression", "basis")},
        threshold=rule.threshold,
        coverage=report.coverage,
        signatures=dict(rule.signatures),
        guarantee=guarantee.of(report.guarantee) if report.guarantee else None,
    )


def _judge(judge: JudgeReport) -> JudgeModel:
    names = ("judge", "signature", "scored", "failed", "mean")
    return JudgeModel.of(**{name: getattr(judge.totals, name) for name in names}, **_compared(judge.alone))


def _compared(compared: ComparedRule) -> dict[str, object]:
    return {
        "expression": compared.rule.expression,
        "threshold": compared.rule.threshold,
        "coverage": compared.coverage,
        **{name: getattr(compared.agreement, name) for name in OF_A_PROXY},
        "auroc": compared.auroc,
        "minus_rule_in_force": {name: _difference(each) for name, each in compared.differences._asdict().items()},
    }


def _difference(difference: RuleDifference) -> DifferenceModel:
    estimate = EstimateModel.model_validate(difference.estimate)
    return DifferenceModel.of(**dict(estimate), for_all_rules=difference.of_all, labels_that_differ=difference.differ)


def _annotators(report: ProjectReport) -> AgreementModel:
    annotator_agreement = report.annotator_agreement
    same = AgreementModel.model_fields.keys() - {"items", "overlap", "correctness"}
    return AgreementModel.of(
        **{name: getattr(annotator_agreement, name) for name in same},
        items=annotator_agreement.n,
        overlap=report.overlap,
        correctness=freed_of_noise(report.agreement.correctness, annotator_agreement.noise),
    )


def _evidence(ledger: EvidenceLedger) -> EvidenceModel:
    clusters, annotator_agreement = ledger.clusters, ledger.annotators
    return EvidenceModel.of(
        **_draws("", ledger.draws),
        **_draws("passed_", ledger.passed),
        **_draws("failed_", ledger.failed),
        pending_waves=ledger.pending_waves,
        worst_case={name: ledger.worst(name) for name in CASES},
        best_case={name: ledger.best(name) for name in CASES},
        annotators=annotator_agreement.reliability,
        alpha=annotator_agreement.alpha,
        read_twice=annotator_agreement.n,
        groups=clusters.groups,
        questions=clusters.questions,
        effective_clusters=clusters.effective,
        clusters_in_traffic=clusters.there,
        intraclass_correlation=clusters.alike,
        without_passages=ledger.without_passages,
        labelled_without_passages=ledger.labelled_without_passages,
        judges=tuple(ledger.judges),
        chose=len(ledger.chose),
        objections=tuple(ledger.against()),
    )


def _draws(prefix: str, counts: DrawCounts) -> dict[str, int | float]:
    """What became of draws, each count and share by its name; the shares are weighted by design."""
    return {f"{prefix}{name}": getattr(counts, name) for name in counts.__slots__}
