"""The JSON of the history of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import SerializerFunctionWrapHandler, model_serializer

from annotate.analysis.verdicts import RuleVersion
from annotate.present.document import Document
from annotate.present.schemas import guarantee as guarantee_schema
from annotate.present.schemas.base import AnswerModel, Model, document_fields
from annotate.present.schemas.guarantee import GuaranteeModel


class RuleVersionModel(Model):
    """A rule and when it was set; only the one in force has a `guarantee`, which may be null."""

    name: str
    version: int
    expression: str
    basis: str
    at: str
    in_force: bool
    guarantee: GuaranteeModel | None = None

    @model_serializer(mode="wrap")
    def _of_the_one_in_force(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave `guarantee` out for rules that are not in force."""
        whole: dict[str, Any] = handler(self)
        return {key: value for key, value in whole.items() if key != "guarantee" or self.in_force}


class RulesModel(AnswerModel):
    """Every rule and version."""

    SCHEMA: ClassVar[str] = "assay/rules/1"

    rules: tuple[RuleVersionModel, ...]


MODEL = RulesModel


def of(versions: Sequence[RuleVersion], document: Document) -> RulesModel:
    """Make the model of the history of rules."""
    return RulesModel.of(**document_fields(RulesModel, document), rules=tuple(map(_version, versions)))


def _version(version: RuleVersion) -> RuleVersionModel:
    rule = version.rule
    return RuleVersionModel(
        name=rule.name,
        version=rule.version,
        expression=rule.expression,
        basis=rule.basis,
        at=version.at,
        in_force=version.is_in_force,
        guarantee=guarantee_schema.of(version.guarantee) if version.guarantee else None,
    )
