"""The JSON of the rule that was put in force."""

from __future__ import annotations

from typing import ClassVar

from annotate.analysis.verdicts import Verdicts
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, document_fields


class RuleSetModel(AnswerModel):
    """The rule in force, what it reads, and how many answers have each verdict."""

    SCHEMA: ClassVar[str] = "assay/rule/1"

    name: str
    version: int
    expression: str
    signatures: dict[str, str]
    verdicts: dict[str, int]
    scores: dict[str, int]


MODEL = RuleSetModel


def of(verdicts: Verdicts, document: Document) -> RuleSetModel:
    """Make the model of the rule in force."""
    rule = verdicts.rule
    return RuleSetModel.of(
        **document_fields(RuleSetModel, document),
        name=rule.name,
        version=rule.version,
        expression=rule.expression,
        signatures=dict(rule.signatures),
        verdicts={str(verdict): count for verdict, count in verdicts.counts.items()},
        scores={scores.judge: scores.scored for scores in verdicts.scores},
    )
