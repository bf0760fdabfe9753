"""What all answers in JSON share: one shape of an estimate, the sentence, the status and what to do next.

A model's fields are its keys in the JSON, and `AnswerModel.read` fills them from the result of an answer: each from the attribute
of its name, of one of the `PARTS` of the result or of the result itself. A field whose attribute has another name is declared
with `read_from`; one that no attribute has is worked out in `computed`. Where the JSON of a record has just the record's own
fields, `FieldsOf[Record]` takes the place of a model (`RecordFields` names properties beside them). What every answer says of
itself (the sentence, the status, the next steps, the notes) comes from its document by `document_fields`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import attrgetter, or_
from types import UnionType
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
)
from pydantic_core import CoreSchema

from annotate.present.document import Document, Status
from annotate.present.messages import text
from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval


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


class RecordFields:
    """Writes a record by its own fields, and by properties of it that are named.

    Parameters
    ----------
    *properties : str
        The properties that are keys too, behind the fields.
    """

    def __init__(self, *properties: str) -> None:
        self._properties = properties

    def __get_pydantic_core_schema__(self, record: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read and write the record as a model that has its fields."""
        return handler.generate_schema(_model_of(record, self._properties))


Record = TypeVar("Record")
FieldsOf = Annotated[Record, RecordFields()]


class IntervalModel(Model):
    """Both ends of an interval."""

    low: float
    high: float


class EstimateModel(Model):
    """A measured quantity; `estimate` is null where the design cannot identify it, and `reason` says why.

    `low` and `high` are of this window, `long_run` of the rate behind it. `predictor` is the signature of what predicted the
    unlabelled answers. Keys without a value are left out, but for `estimate`, `low` and `high`.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    reason: str | None = None
    long_run: IntervalModel | None = None
    predictor: Annotated[str | None, BeforeValidator(lambda source: getattr(source, "signature", source))] = None

    @model_serializer(mode="wrap")
    def _without_blanks(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave `reason`, `long_run` and `predictor` out where there is none."""
        whole: dict[str, Any] = handler(self)
        left_out = {"reason", "long_run", "predictor"}
        return {key: value for key, value in whole.items() if value is not None or key not in left_out}


MODELLED: Mapping[type, type[Model]] = {Estimate: EstimateModel, Interval: IntervalModel}


@cache
def _model_of(record: type, properties: tuple[str, ...] = ()) -> type[Model]:
    """Make the model of a record: a key a field, and one a property."""
    types = get_type_hints(record)
    types |= {name: get_type_hints(getattr(record, name).fget)["return"] for name in properties}
    fields: dict[str, Any] = {name: (_modelled(of), ...) for name, of in types.items()}
    about = (inspect.getdoc(record) or "").partition("\n")[0]
    return create_model(f"{record.__name__}Model", __base__=Model, __doc__=about, **fields)


def _modelled(of: Any) -> Any:
    """Put models in place of the records within a type."""
    if of in MODELLED:
        return MODELLED[of]
    if isinstance(of, UnionType):
        return reduce(or_, map(_modelled, get_args(of)))
    if get_origin(of):
        return get_origin(of)[tuple(map(_modelled, get_args(of)))]
    is_record = is_dataclass(of) or hasattr(of, "_fields")
    return _model_of(of) if is_record else of


class StepModel(Model):
    """What to do next: in words, and the commands that do it."""

    words: str
    commands: tuple[str, ...]


class AnswerModel(Model):
    """An answer; `schema` names its kind and version.

    A field is read from the attribute of its name, or the one it is `read_from`, of a part of the result or of the result itself.
    """

    SCHEMA: ClassVar[str]
    # what of the result is looked at first
    PARTS: ClassVar[tuple[str, ...]] = ()

    schema_: str = Field(alias="schema")
    answer: str
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
            held = [record for record in records if hasattr(record, path[0])]
            known |= {name: attrgetter(".".join(path))(held[0])} if held else {}
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

    notes: tuple[str, ...]


class GateModel(Model):
    """Whether a gate lets pass, why not, and why it cannot be decided."""

    passed: bool | None
    reasons: tuple[str, ...]
    undecided: tuple[str, ...] = ()


def document_fields(model: type[AnswerModel], document: Document) -> Mapping[str, Any]:
    """Return what every answer says of itself, from its document."""
    steps = tuple(StepModel(words=text(step.message), commands=step.commands) for step in document.next)
    notes = {"notes": tuple(map(text, document.notes))} if "notes" in model.model_fields else {}
    return {"schema": model.SCHEMA, "answer": text(document.answer), "status": document.status, "next": steps, **notes}


def _path(alias: object) -> list[str]:
    """Return the attributes that lead to what a field is `read_from`."""
    return [str(step) for step in alias.choices[-1].path] if isinstance(alias, AliasChoices) else []  # type: ignore[union-attr]
