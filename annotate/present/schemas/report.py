"""The JSON of a report: the contract with other programs."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.analysis.diagnosis import Namings
from annotate.analysis.report.feedback import FeedbackReport
from annotate.analysis.report.passages import PassageReport
from annotate.analysis.report.report import ProjectReport
from annotate.analysis.trained_judges.contrasts import TrainedContrast
from annotate.present import naming
from annotate.present.messages import text
from annotate.present.report import answer
from annotate.present.report.feedback import sentence as feedback_sentence
from annotate.present.report.passages import sentence as passages_sentence
from annotate.present.rule_comparison import best_rule
from annotate.present.schemas import compared_rules, evidence, preview
from annotate.present.schemas import naming as naming_schema
from annotate.present.schemas.alignment import LearningCurveModel
from annotate.present.schemas.base import AnswerModel, EstimateModel, GateModel, Model, Sentence, read_from
from annotate.present.schemas.effective_labels import EffectiveLabelsModel
from annotate.present.schemas.keyed import FieldsOf
from annotate.present.schemas.predictor import PredictorModel, behind
from annotate.present.schemas.preview import PreviewModel
from proxy.evaluation.agreement import ConfusionCounts, StratumReport
from proxy.evaluation.calibration_error import CalibrationError
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import Trust
from proxy.records import Verdict


class VerdictModel(Model):
    """Whether the proxy can be trusted, and the limit on pass precision."""

    status: Trust
    sentence: str
    limit: float


class SelectionModel(Model):
    """The part of the traffic: a system (null: all), from `since` on and before `until`, in UTC (null: no end)."""

    system: str | None
    since: str | None
    until: str | None


class LabelCountsModel(Model):
    """What became of the draws; hand-picked labels stand beside."""

    drawn: int
    right: int
    wrong: int
    unsure: int
    open: int
    hand_picked: int


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


class PassageJudgeModel(Model):
    """The AUROC of a judge of passages: of relevant passages, of answers to which nothing is missing, and of right answers.

    Where it does not `scores_each` passage, each has the score of its answer. The first counts passages, the others answers.
    `relevant_agreement` and `sufficient_agreement` are the shares of agreement with scores strictly above the `threshold`.
    """

    judge: str
    signature: str
    scores_each: bool
    relevant: EstimateModel
    sufficient: EstimateModel
    right: EstimateModel
    threshold: float
    relevant_agreement: EstimateModel
    sufficient_agreement: EstimateModel


class PassagesModel(Model):
    """Passages as experts see them; of the labelled draws `asked` were asked about theirs, and `answered` said something.

    `context_precision` is the mean share of an answer's passages that are relevant, `context_sufficiency` the share of answers
    from whose passages nothing needed is missing.
    """

    sentence: str
    asked: int
    answered: int
    context_precision: EstimateModel
    context_sufficiency: EstimateModel
    judges: tuple[PassageJudgeModel, ...]


class TrainedContrastModel(Model):
    """A trained judge's AUROC minus that of the judge that it stands beside, on labels that did not teach it.

    `lowest` is the bound that holds however often one looks; where it lies above 0 the trained judge is `better`.
    """

    judge: str
    signature: str
    beside: str
    beside_signature: str
    auroc: EstimateModel
    auroc_beside: EstimateModel
    difference: EstimateModel
    lowest: float | None
    better: bool


class DrawnStratumModel(Model):
    """A stratum, what was drawn of it and what became of the draws.

    `response` (draws with a right or wrong label) and `rate` (items that were drawn) are shares that are counted, no estimates.
    """

    stratum: str
    size: int
    drawn: int
    right: int
    wrong: int
    unsure: int
    response: float | None
    rate: float | None
    share_wrong: EstimateModel


class ReportModel(AnswerModel, schema="assay/report/1"):
    """Everything that is known of the proxy now, on all traffic or on the part in `selection`.

    Of a part `effective_labels` has no estimate, and `better_judge`, `learned_rule`, `confirmation`, `stages` and the rule's
    guarantee are null, and `trained_judges` and `learning_curves` are empty: they are measured on all traffic.
    """

    PARTS = ("agreement",)

    selection: SelectionModel | None

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
    rule: compared_rules.RuleModel
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
    serious_harm: EstimateModel | None
    marked_harmful: EstimateModel
    thumbs_down: EstimateModel
    feedback: FeedbackModel
    passages: PassagesModel
    calibration: FieldsOf[CalibrationError] | None
    cells: FieldsOf[ConfusionCounts] = read_from("counts", "cells")
    refusals: int | None
    preview: PreviewModel | None
    judges: tuple[compared_rules.JudgeModel, ...]
    candidates: tuple[compared_rules.ComparedModel, ...]
    best_rule: compared_rules.BestRuleModel
    better_judge: compared_rules.BetterJudgeModel | None
    learned_rule: compared_rules.LearnedModel | None
    confirmation: compared_rules.ConfirmationModel | None
    trained_judges: tuple[TrainedContrastModel, ...]
    learning_curves: tuple[LearningCurveModel, ...] = read_from("curves", "learning_curves")
    inter_annotator_agreement: evidence.AgreementModel
    effective_labels: EffectiveLabelsModel
    predictors: tuple[PredictorModel, ...]
    response: EstimateModel = read_from("evidence.response", "response")
    evidence: evidence.EvidenceModel
    strata: tuple[DrawnStratumModel, ...]
    stages: StagesModel | None
    warnings: tuple[Sentence, ...]

    @classmethod
    def computed(cls, result: ProjectReport) -> Mapping[str, object]:
        """Give the verdict, the rules and judges, the evidence, and the stages."""
        trust, best, agreement, selection = result.trust, result.best, result.agreement, result.selection
        return {
            "selection": SelectionModel.of(system=selection.system, since=selection.since, until=selection.until)
            if selection
            else None,
            "verdict": VerdictModel.of(status=trust.status, sentence=text(answer(result)), limit=trust.limit),
            "unscored": result.verdicts[Verdict.UNSCORED],
            "label_counts": LabelCountsModel.of(
                **result.progress._asdict(), open=result.progress.open, hand_picked=result.hand_picked
            ),
            "rule": compared_rules.rule(result),
            "feedback": _feedback(result.feedback),
            "passages": _passages(result.passages),
            "judges": tuple(map(compared_rules.judge, result.judges)),
            "candidates": tuple(compared_rules.compared(compared) for compared in result.candidates),
            "best_rule": compared_rules.BestRuleModel.of(
                status=best.status, sentence=text(best_rule(best)), expression=best.expression
            ),
            "inter_annotator_agreement": evidence.annotators(result),
            "better_judge": compared_rules.better_judge(result.better_judge) if result.better_judge else None,
            "learned_rule": compared_rules.learned(result.learned, result.learned.rule)
            if result.learned.rule
            else None,
            "confirmation": compared_rules.confirmation(result.confirmation) if result.confirmation else None,
            "trained_judges": tuple(map(_trained, result.trained)),
            "predictors": behind(agreement.correctness, agreement.pass_precision, agreement.npv),
            "evidence": evidence.evidence(result.evidence),
            "strata": tuple(map(_stratum, agreement.strata, result.shares_wrong)),
            "stages": _stages(result.stages) if result.stages else None,
            "preview": preview.of(result.preview) if result.preview else None,
        }


MODEL = ReportModel


def _stratum(stratum: StratumReport, share_wrong: Estimate) -> DrawnStratumModel:
    same = DrawnStratumModel.model_fields.keys() - {"share_wrong"}
    return DrawnStratumModel.of(**{name: getattr(stratum, name) for name in same}, share_wrong=share_wrong)


def _trained(compared: TrainedContrast) -> TrainedContrastModel:
    contrast = compared.contrast
    return TrainedContrastModel.of(
        judge=compared.trained.judge,
        signature=compared.trained.signature,
        beside=compared.beside.judge,
        beside_signature=compared.beside.signature,
        auroc=contrast.first,
        auroc_beside=contrast.second,
        difference=contrast.difference,
        lowest=contrast.lowest,
        better=contrast.is_better,
    )


def _stages(stages: Namings) -> StagesModel:
    return StagesModel.of(
        sentence=text(naming.answer(naming.of_all(list(stages.each.values()), stages.whole))),
        all=naming_schema.of(stages.whole),
        systems=tuple(map(naming_schema.of, stages.each.values())),
    )


def _passages(passages: PassageReport) -> PassagesModel:
    return PassagesModel.of(
        sentence=text(passages_sentence(passages)),
        asked=passages.asked,
        answered=passages.answered,
        context_precision=passages.context_precision,
        context_sufficiency=passages.context_sufficiency,
        judges=tuple(
            PassageJudgeModel.of(
                judge=judge.totals.judge,
                signature=judge.totals.signature,
                scores_each=judge.scores_each,
                relevant=judge.relevant,
                sufficient=judge.sufficient,
                right=judge.right,
                threshold=judge.threshold,
                relevant_agreement=judge.relevant_agreement,
                sufficient_agreement=judge.sufficient_agreement,
            )
            for judge in passages.judges
        ),
    )


def _feedback(feedback: FeedbackReport) -> FeedbackModel:
    names = ("down_precision", "down_recall", "up_precision", "up_recall")
    return FeedbackModel.of(
        sentence=text(feedback_sentence(feedback)),
        **{name: getattr(feedback.quality, name) for name in names},
        **{name: getattr(feedback, name) for name in ("rateable", "down", "up")},
        left_out=tuple(UnratedModel.of(**run._asdict()) for run in feedback.left_out),
    )
