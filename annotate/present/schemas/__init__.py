"""The JSON of every answer as typed models, a file a capability; `assay schema` prints their JSON schemas."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotate.present.schemas.base import AnswerModel

# What models share, and parts of several answers.
PARTS = frozenset({"base", "compared_rules", "evidence", "guarantee", "keyed", "naming"})


def models() -> Mapping[str, type[AnswerModel]]:
    """Return the model of every answer by its name: a module has one, MODEL, or several, MODELS."""
    prefix = f"{__name__}."
    names = {module.name.removeprefix(prefix) for module in walk_packages(__path__, prefix)} - PARTS
    every: dict[str, type[AnswerModel]] = {}
    for name in names:
        module = import_module(prefix + name)
        every |= {name: module.MODEL} if hasattr(module, "MODEL") else {}
        every |= {model.SCHEMA.split("/")[1]: model for model in getattr(module, "MODELS", {}).values()}
    return every


def kinds() -> tuple[str, ...]:
    """Return the names of all answers that have a schema."""
    return tuple(sorted(models()))


def json_schema(kind: str) -> dict[str, object]:
    """Return the JSON schema (draft 2020-12) of what a command prints with --json."""
    model = models()[kind]
    schema: dict[str, object] = model.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": model.SCHEMA, **schema}
