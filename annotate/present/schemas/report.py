"""The JSON of a report: the contract with other programs."""

from __future__ import annotations

from typing import ClassVar

from annotate.analysis.learned_rule import Confirmation, LearnedRule
from annotate.analysis.report.better_judge import BetterJudge
from annotate.analysis.report.report import Compared, JudgeReport, Report
from annotate.present import learned_rule, naming
from annotate.present.document import Document
from annotate.present.messages import text
from annotate.present.rule_comparison import best_rule
from annotate.present.schemas import guarantee
from annotate.present.schemas import naming as naming_schema
from annotate.present.schemas.base import AnswerModel, EstimateModel, GateModel, IntervalModel, Model, told
from annotate.present.schemas.effective_labels import EffectiveLabelsModel
from annotate.present.schemas.learned_rule import ContrastModel, contrast_of
from proxy.evaluation.annotator_agreement import Reliability, freed_of_noise
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger, Separation
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


class CalibrationModel(Model):
    """How far the rule's value is a probability."""

    brier: float
    ece: float
    ece_if_perfect: float
    n: int


class CellsModel(Model):
    """The 2x2 table of labels, unweighted."""

    right_pass: int
    wrong_pass: int
    right_fail: int
    wrong_fail: int


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
    """A judge of the rule in force that alone is shown better; `confirmed_by_wave` is the fresh wave that shows it again."""

    expression: str
    kappa: DifferenceModel
    confirmed_by_wave: int | None
    sentence: str


class LearnedModel(Model):
    """What can be learned from the labels so far, beside the rule in force."""

    expression: str
    taught: int
    minus_rule_in_force: ContrastModel | None
    better: bool


class ConfirmationModel(Model):
    """A learned rule in force beside the one that it replaced, on labels of waves drawn since."""

    before: str
    taught: int
    minus_before: ContrastModel


class PairModel(Model):
    """Two annotators on the answers that both read."""

    first: str
    second: str
    n: int
    agreement: float
    kappa: float | None
    ac1: float | None
    prevalence: float


class OverlapModel(Model):
    """Draws given to a second annotator, and how many two have read."""

    given: int
    read: int


class AgreementModel(Model):
    """Inter-annotator agreement, the ceiling that it puts on any proxy, and correctness freed of annotators' errors."""

    items: int
    overlap: OverlapModel
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
    pairs: tuple[PairModel, ...]


class ResponseModel(Model):
    """The share of draws that annotators could judge, and the share right if all others were wrong, or right."""

    rate: float
    low: float
    high: float


class JudgeEvidenceModel(Model):
    """What a judge could score, and whether it separates right from wrong answers here."""

    judge: str
    signature: str
    scored: int
    failed: int
    abstained: int
    auroc: EstimateModel
    separation: Separation


class ObjectionModel(Model):
    """What speaks against any claim from these labels."""

    doubt: str
    reason: str
    remedy: str


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
    judges: tuple[JudgeEvidenceModel, ...]
    chose: int
    objections: tuple[ObjectionModel, ...]


class StratumModel(Model):
    """A stratum and its labels."""

    stratum: str
    size: int
    drawn: int
    right: int
    wrong: int
    unsure: int
    response: float | None
    rate: float | None
    share_wrong: float | None


class StagesModel(Model):
    """The stage of the app to mend first, for all systems and for each."""

    sentence: str
    all: naming_schema.NamingModel
    systems: tuple[naming_schema.NamingModel, ...]


class ReportModel(AnswerModel):
    """Everything that is known of the proxy now."""

    SCHEMA: ClassVar[str] = "assay/report/1"

    verdict: VerdictModel
    gate: GateModel
    harmful: tuple[str, ...]
    harm_not_adjudicated: tuple[str, ...]
    disagreements: int
    gold_flagged: int
    items: int
    judged: int
    unscored: int
    labels: int
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
    calibration: CalibrationModel | None
    cells: CellsModel
    refusals: int | None
    judges: tuple[JudgeModel, ...]
    candidates: tuple[ComparedModel, ...]
    best_rule: BestRuleModel
    better_judge: BetterJudgeModel | None
    learned_rule: LearnedModel | None
    confirmation: ConfirmationModel | None
    inter_annotator_agreement: AgreementModel
    effective_labels: EffectiveLabelsModel
    response: ResponseModel | None
    evidence: EvidenceModel
    strata: tuple[StratumModel, ...]
    stages: StagesModel
    warnings: tuple[str, ...]


MODEL = ReportModel


def of(report: Report, document: Document) -> ReportModel:
    """Make the model of a report that is told by this document."""
    agreement, trust, best = report.agreement, report.trust, report.best
    named = ("correctness", "correctness_long_run", *OF_A_PROXY)
    same = ("items", "judged", "pass_rate", "auroc", "thumbs_down", "calibration", "refusals", "gate", "warnings")
    return ReportModel.of(
        **told(ReportModel, document),
        **{name: getattr(report, name) for name in same},
        **{name: getattr(agreement, name) for name in named},
        verdict=VerdictModel.of(status=trust.status, sentence=text(document.answer), limit=trust.limit),
        harmful=tuple(report.harmed),
        harm_not_adjudicated=tuple(report.unsettled),
        disagreements=report.disputed,
        gold_flagged=report.flagged,
        unscored=report.verdicts[Verdict.UNSCORED],
        labels=report.progress.labelled,
        label_counts=LabelCountsModel.of(
            **report.progress._asdict(), open=report.progress.open, hand_picked=report.hand_picked
        ),
        rule=_rule(report),
        false_passes=report.false_passes,
        cells=agreement.counts,
        judges=tuple(map(_judge, report.judges)),
        candidates=tuple(ComparedModel.of(**_compared(compared)) for compared in report.candidates),
        best_rule=BestRuleModel.of(status=best.status, sentence=text(best_rule(best)), expression=best.expression),
        better_judge=_better_judge(report.better_judge) if report.better_judge else None,
        learned_rule=_learned(report.learned, report.learned.rule) if report.learned.rule else None,
        confirmation=_confirmation(report.confirmation) if report.confirmation else None,
        inter_annotator_agreement=_annotators(report),
        effective_labels=EffectiveLabelsModel.model_validate(report.effective_labels),
        response=report.evidence.response,
        evidence=_evidence(report.evidence),
        strata=tuple(agreement.strata),
        stages=StagesModel.of(
            sentence=text(naming.answer(naming.of_all(list(report.stages.each.values()), report.stages.whole))),
            all=naming_schema.of(report.stages.whole),
            systems=tuple(map(naming_schema.of, report.stages.each.values())),
        ),
    )


def _better_judge(better: BetterJudge) -> BetterJudgeModel:
    return BetterJudgeModel.of(
        expression=better.rule.expression,
        kappa=_difference(better.kappa),
        confirmed_by_wave=better.wave,
        sentence=text(learned_rule.better_judge(better)),
    )


def _learned(learned: LearnedRule, rule: Rule) -> LearnedModel:
    return LearnedModel.of(
        expression=rule.expression,
        taught=learned.taught,
        minus_rule_in_force=contrast_of(learned.contrast) if learned.contrast else None,
        better=learned.is_better,
    )


def _confirmation(confirmation: Confirmation) -> ConfirmationModel:
    return ConfirmationModel.of(
        before=confirmation.before.expression,
        taught=confirmation.taught,
        minus_before=contrast_of(confirmation.contrast),
    )


def _rule(report: Report) -> RuleModel:
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


def _compared(compared: Compared) -> dict[str, object]:
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


def _annotators(report: Report) -> AgreementModel:
    people = report.people
    same = AgreementModel.model_fields.keys() - {"items", "overlap", "correctness"}
    return AgreementModel.of(
        **{name: getattr(people, name) for name in same},
        items=people.n,
        overlap=report.overlap,
        correctness=freed_of_noise(report.agreement.correctness, people.noise),
    )


def _evidence(ledger: EvidenceLedger) -> EvidenceModel:
    clusters, people = ledger.clusters, ledger.annotators
    return EvidenceModel.of(
        **_draws("", ledger.draws),
        **_draws("passed_", ledger.passed),
        **_draws("failed_", ledger.failed),
        pending_waves=ledger.pending_waves,
        worst_case={name: ledger.worst(name) for name in CASES},
        best_case={name: ledger.best(name) for name in CASES},
        annotators=people.reliability,
        alpha=people.alpha,
        read_twice=people.n,
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
