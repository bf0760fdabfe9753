"""Make the model of a record that stands in the JSON by its own fields."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from pydantic import GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from annotate.present.schemas.base import AnswerModel, EstimateModel, IntervalModel, Model
from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval


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


MODELLED: Mapping[type, type[Model]] = {Estimate: EstimateModel, Interval: IntervalModel}


def answer_model(record: type, base: type[AnswerModel], *, schema: str) -> type[AnswerModel]:
    """Make the model of an answer whose own keys are the fields of a record."""
    return create_model(
        _name(record), __doc__=_about(record), __base__=base, __cls_kwargs__={"schema": schema}, **_fields(record)
    )


@cache
def _model_of(record: type, properties: tuple[str, ...] = ()) -> type[Model]:
    """Make the model of a record: a key a field, and one a property."""
    return create_model(_name(record), __doc__=_about(record), __base__=Model, **_fields(record, properties))


def _name(record: type) -> str:
    return f"{record.__name__}Model"


def _about(record: type) -> str:
    return (inspect.getdoc(record) or "").partition("\n")[0]


def _fields(record: type, properties: tuple[str, ...] = ()) -> dict[str, Any]:
    types = get_type_hints(record)
    types |= {name: get_type_hints(getattr(record, name).fget)["return"] for name in properties}
    return {name: (_modelled(of), ...) for name, of in types.items()}


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
