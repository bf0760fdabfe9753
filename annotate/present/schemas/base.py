"""What all answers in JSON share: one shape of an estimate, the sentence, the status and what to do next.

A model's fields are its keys in the JSON, and `AnswerModel.read` fills them from the result of an answer: each from the attribute
of its name, of one of the `PARTS` of the result or of the result itself. A field whose attribute has another name is declared
with `read_from`; one that no attribute has is worked out in `computed`. Where the JSON of a record has just the record's own
fields, `keyed.FieldsOf[Record]` takes the place of a model (`keyed.RecordFields` names properties beside them). What every answer
says of itself (the sentence, the status, the next steps, the notes) comes from its document by `document_fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from annotate.present.commands import typed, typed_within
from annotate.present.document import Document, Status
from annotate.present.messages import text

# A sentence of ours, and a command by itself: both as they must be typed for the store.
Sentence = Annotated[str, AfterValidator(typed_within)]
TypedCommand = Annotated[str, AfterValidator(typed)]


class Model(BaseModel):
    """A frozen part of an answer that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, allow_inf_nan=False)

    @classmethod
    def of(cls, **values: object) -> Self:
        """Make the model of values that may be records with the same attributes."""
        return cls.model_validate(values)


def read_from(path: str, name: str) -> Any:
    """Return a field, by its name, that a record holds as another attribute; with dots, an attribute of that."""
    return Field(validation_alias=AliasChoices(name, AliasPath(*path.split("."))))


class IntervalModel(Model):
    """Both ends of an interval."""

    low: float
    high: float


class EstimateModel(Model):
    """A measured quantity; `estimate` is null where it is not known.

    `low` and `high` are the ends of its interval, or bounds that hold without an estimate; null where neither is known. `method`
    says in words how they were made. `reason` says why something of the quantity is not measurable. `long_run` is the interval
    for the rate behind this window. `predictor` is the signature of what predicted the unlabelled answers. `reason`, `long_run`
    and `predictor` are left out where there is none.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    reason: Sentence | None = None
    long_run: IntervalModel | None = None
    predictor: Annotated[str | None, BeforeValidator(lambda source: getattr(source, "signature", source))] = None

    @model_serializer(mode="wrap")
    def _without_blanks(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave `reason`, `long_run` and `predictor` out where there is none."""
        whole: dict[str, Any] = handler(self)
        left_out = {"reason", "long_run", "predictor"}
        return {key: value for key, value in whole.items() if value is not None or key not in left_out}


class StepModel(Model):
    """What to do next: in words, and the commands that do it."""

    words: Sentence
    commands: tuple[TypedCommand, ...]


class AnswerModel(Model):
    """An answer; `schema` names its kind and version.

    A field is read from the attribute of its name, or the one it is `read_from`, of a part of the result or of the result itself.
    """

    SCHEMA: ClassVar[str]
    # what of the result is looked at first
    PARTS: ClassVar[tuple[str, ...]] = ()

    schema_: str = Field(alias="schema")
    answer: Sentence
    status: Status
    next: tuple[StepModel, ...]

    def __init_subclass__(cls, *, schema: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if schema is not None:
            cls.SCHEMA = schema

    @classmethod
    def read(cls, result: Any, document: Document) -> Self:
        """Make the model of a result that is told by this document."""
        known = {**document_fields(cls, document), **cls.computed(result)}
        records = [*(attrgetter(part)(result) for part in cls.PARTS), result]
        for name in cls.model_fields.keys() - known.keys():
            path = _path(cls.model_fields[name].validation_alias) or [name]
            holders = [record for record in records if hasattr(record, path[0])]
            known |= {name: attrgetter(".".join(path))(holders[0])} if holders else {}
        return cls.model_validate(known)

    @classmethod
    def computed(cls, result: Any) -> Mapping[str, object]:  # noqa: ARG003 - for those that override it
        """Give the fields that no attribute holds."""
        return {}

    def to_dict(self) -> dict[str, object]:
        """Return plain values, as the JSON has them."""
        return self.model_dump(mode="json", by_alias=True)


class ActionModel(AnswerModel):
    """What a command did; `notes` is what to know beside it."""

    notes: tuple[Sentence, ...]


class GateModel(Model):
    """Whether a gate lets pass, why not, and why it cannot be decided."""

    passed: bool | None
    reasons: tuple[Sentence, ...]
    undecided: tuple[Sentence, ...] = ()


def document_fields(model: type[AnswerModel], document: Document) -> Mapping[str, Any]:
    """Return what every answer says of itself, from its document."""
    steps = tuple(StepModel(words=text(step.message), commands=step.commands) for step in document.next)
    notes = {"notes": tuple(map(text, document.notes))} if "notes" in model.model_fields else {}
    return {"schema": model.SCHEMA, "answer": text(document.answer), "status": document.status, "next": steps, **notes}


def _path(alias: object) -> list[str]:
    """Return the attributes that lead to what a field is `read_from`."""
    return [str(step) for step in alias.choices[-1].path] if isinstance(alias, AliasChoices) else []  # type: ignore[union-attr]
