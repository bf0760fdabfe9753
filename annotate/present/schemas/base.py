"""What all answers in JSON share: one shape of an estimate, the sentence, the status and what to do next.

A model's fields are its keys in the JSON. Records that have the same attributes fill a model by themselves (`from_attributes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from annotate.present.document import Document, Status
from annotate.present.messages import text


class Model(BaseModel):
    """A frozen part of an answer that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, allow_inf_nan=False)

    @classmethod
    def of(cls, **values: object) -> Self:
        """Make the model of values that may be records with the same attributes."""
        return cls.model_validate(values)


class IntervalModel(Model):
    """Both ends of an interval."""

    low: float
    high: float


class EstimateModel(Model):
    """A measured quantity; `estimate` is null where the design cannot identify it, and `reason` says why.

    `low` and `high` are of this window, `long_run` of the rate behind it. Keys without a value are left out, but for `estimate`,
    `low` and `high`.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    reason: str | None = None
    long_run: IntervalModel | None = None

    @model_serializer(mode="wrap")
    def _without_blanks(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave `reason` and `long_run` out where there is none."""
        whole: dict[str, Any] = handler(self)
        return {key: value for key, value in whole.items() if value is not None or key not in {"reason", "long_run"}}


class StepModel(Model):
    """What to do next: in words, and the commands that do it."""

    words: str
    commands: tuple[str, ...]


class AnswerModel(Model):
    """An answer; `schema` names its kind and version."""

    SCHEMA: ClassVar[str]

    schema_: str = Field(alias="schema")
    answer: str
    status: Status
    next: tuple[StepModel, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain values, as the JSON has them."""
        return self.model_dump(mode="json", by_alias=True)


class ActionModel(AnswerModel):
    """What a command did; `notes` is what to know beside it."""

    notes: tuple[str, ...]

    @classmethod
    def of_document(cls, document: Document, **values: object) -> Self:
        """Make the model of what is told by this document."""
        return cls.of(**told(cls, document), notes=tuple(map(text, document.notes)), **values)


class GateModel(Model):
    """Whether a gate lets pass, why not, and why it cannot be decided."""

    passed: bool | None
    reasons: tuple[str, ...]
    undecided: tuple[str, ...] = ()


def told(model: type[AnswerModel], document: Document) -> Mapping[str, Any]:
    """Return what every answer says of itself, from its document."""
    steps = tuple(StepModel(words=text(step.message), commands=step.commands) for step in document.next)
    return {"schema": model.SCHEMA, "answer": text(document.answer), "status": document.status, "next": steps}
