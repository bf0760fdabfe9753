"""The JSON of a learned rule beside the rule in force."""

from __future__ import annotations

from typing import ClassVar

from annotate.analysis.learned_rule import LearnedRule
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, EstimateModel, Model, Sentence, document_fields
from annotate.present.schemas.calibration import VersionModel
from proxy.evaluation.rule_contrast import RuleContrast


class ContrastModel(Model):
    """Kappa of one rule minus that of another; `lowest` is the bound that is valid at any number of interim looks."""

    kappa: EstimateModel
    lowest: float | None
    labels_that_differ: int
    better: bool


class LearnedRuleModel(AnswerModel):
    """A learned rule; `rule` is null where none was learned, and `answer` says why; `saved` says whether it is in force."""

    SCHEMA: ClassVar[str] = "assay/learned_rule/1"

    labels: int
    right: int
    wrong: int
    taught: int
    rule: VersionModel | None
    in_force_before: VersionModel
    minus_rule_in_force: ContrastModel | None
    better: bool
    saved: bool
    reason: Sentence | None


MODEL = LearnedRuleModel


def of(result: LearnedRule, document: Document) -> LearnedRuleModel:
    """Make the model of a learned rule."""
    names = ("labels", "right", "wrong")
    return LearnedRuleModel.of(
        **document_fields(LearnedRuleModel, document),
        **{name: getattr(result, name) for name in names},
        taught=result.training_labels,
        rule=result.rule,
        in_force_before=result.current_rule,
        minus_rule_in_force=contrast_of(result.contrast) if result.contrast else None,
        better=result.is_better,
        saved=result.is_saved,
        reason=result.objection.reason if result.objection else None,
    )


def contrast_of(contrast: RuleContrast) -> ContrastModel:
    """Make the model of a contrast of two rules."""
    return ContrastModel.of(
        kappa=contrast.estimate,
        lowest=contrast.lowest,
        labels_that_differ=contrast.differ,
        better=contrast.is_better,
    )
