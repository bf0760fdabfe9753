"""The JSON of every answer as typed models, a file a capability; `assay schema` prints their JSON schemas."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files

# What models share, and parts of several answers.
PARTS = frozenset({"__init__", "base", "guarantee", "naming"})


def kinds() -> tuple[str, ...]:
    """Return the names of all answers that have a schema."""
    names = (file.name.removesuffix(".py") for file in files(__name__).iterdir() if file.name.endswith(".py"))
    return tuple(sorted(set(names) - PARTS))


def json_schema(kind: str) -> dict[str, object]:
    """Return the JSON schema (draft 2020-12) of what a command prints with --json."""
    model = import_module(f"{__name__}.{kind}").MODEL
    schema: dict[str, object] = model.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": model.SCHEMA, **schema}
