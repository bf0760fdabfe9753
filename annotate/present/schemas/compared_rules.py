"""The JSON of rules beside the one in force, of judges as rules of their own, and of what could take its place."""

from __future__ import annotations

from annotate.analysis.learned_rule import LearnedRule, RuleConfirmation
from annotate.analysis.report.better_judge import BetterJudge, BetterJudgeClaim
from annotate.analysis.report.compared_rules import ComparedRule, JudgeReport
from annotate.analysis.report.report import ProjectReport
from annotate.present.messages import text
from annotate.present.report import better_judge as present_better_judge
from annotate.present.schemas import guarantee
from annotate.present.schemas.base import EstimateModel, IntervalModel, Model
from annotate.present.schemas.learned_rule import ContrastModel, contrast_of
from proxy.evaluation.candidates import is_lower_better
from proxy.evaluation.discrimination import Separation
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.rule_selection import Choice
from proxy.rule import Rule
from proxy.stats.intervals import Interval

OF_A_PROXY = ("pass_precision", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1")


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


class AurocModel(EstimateModel):
    """An AUROC, with the long-run interval that holds for all judges at once."""

    for_all_rules: IntervalModel | None = None


class JudgeModel(ComparedModel):
    """One judge as its own proxy, passing above 0.5; `separation` is read from the AUROC's interval `for_all_rules`.

    Where `lower_is_better`, the `expression` reads 1 - score, and so does all that is measured.
    """

    judge: str
    signature: str
    auroc: AurocModel
    separation: Separation
    lower_is_better: bool
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


class ConfirmationModel(Model):
    """A learned rule in force beside the one that it replaced, on labels of waves drawn since."""

    before: str
    taught: int
    minus_before: ContrastModel


def rule(report: ProjectReport) -> RuleModel:
    """Give the rule in force."""
    rule = report.rule
    return RuleModel.of(
        **{name: getattr(rule, name) for name in ("name", "version", "expression", "basis")},
        threshold=rule.threshold,
        coverage=report.coverage,
        signatures=dict(rule.signatures),
        guarantee=guarantee.of(report.guarantee) if report.guarantee else None,
    )


def judge(judge: JudgeReport) -> JudgeModel:
    """Give a judge as its own proxy."""
    return JudgeModel.of(
        judge=judge.totals.judge,
        signature=judge.totals.signature,
        scored=judge.totals.scored,
        failed=judge.totals.failed,
        mean=judge.totals.mean,
        **(_compared(judge.alone) | {"auroc": auroc(judge.alone.auroc, judge.auroc_of_all)}),
        separation=judge.separation,
        lower_is_better=is_lower_better(judge.totals.judge),
    )


def auroc(estimate: Estimate, of_all: Interval | None) -> AurocModel:
    """Give an AUROC of one of several judges."""
    return AurocModel.of(**dict(EstimateModel.model_validate(estimate)), for_all_rules=of_all)


def compared(compared: ComparedRule) -> ComparedModel:
    """Give a rule on the same labels."""
    return ComparedModel.of(**_compared(compared))


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


def better_judge(better: BetterJudge) -> BetterJudgeModel:
    """Give a judge that alone is shown better."""
    return BetterJudgeModel.of(
        expression=better.rule.expression,
        kappa=_difference(better.kappa),
        claim=better.claim,
        confirmed_by_wave=better.wave if better.claim is BetterJudgeClaim.CONFIRMED else None,
        draws=better.draws,
        wave=better.wave,
        wave_alone=contrast_of(better.fresh) if better.fresh else None,
        sentence=text(present_better_judge.better_judge(better)),
    )


def learned(learned: LearnedRule, rule: Rule) -> LearnedModel:
    """Give what can be learned from the labels."""
    return LearnedModel.of(
        expression=rule.expression,
        taught=learned.training_labels,
        minus_rule_in_force=contrast_of(learned.contrast) if learned.contrast else None,
        better=learned.is_better,
    )


def confirmation(confirmation: RuleConfirmation) -> ConfirmationModel:
    """Give a learned rule in force beside the one before it."""
    return ConfirmationModel.of(
        before=confirmation.replaced_rule.expression,
        taught=confirmation.training_labels,
        minus_before=contrast_of(confirmation.contrast),
    )
