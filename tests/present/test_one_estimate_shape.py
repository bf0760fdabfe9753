"""One shape of an estimate: whatever has two ends in the JSON of an answer is an estimate, or its long run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from annotate.present.schemas import json_schema, kinds
from annotate.present.schemas.base import EstimateModel

ENDS = {"low", "high"}
SHAPE = set(EstimateModel.model_fields)
# Parts of an estimate that are an interval alone.
OF_AN_ESTIMATE = {"long_run", "for_all_rules"}


def objects(schema: object, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, object]]]:
    """Every object of a JSON schema that names its properties, by the way to it."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            yield way, properties
        for name, part in schema.items():
            yield from objects(part, (*way, name))
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part, way)


def is_estimate(properties: Mapping[str, object]) -> bool:
    """Whether an object has all keys of an estimate."""
    return set(properties) >= SHAPE


def bare_intervals(schema: Mapping[str, object]) -> set[str]:
    """The definitions of both ends alone."""
    return {way[-1] for way, properties in objects(schema) if set(properties) == ENDS}


@pytest.mark.parametrize("kind", kinds())
def test_whatever_has_two_ends_is_an_estimate(kind: str) -> None:
    """An object with `low` and `high` has all keys of an estimate; an interval alone stands only in an estimate."""
    schema = json_schema(kind)
    intervals = bare_intervals(schema)

    for way, properties in objects(schema):
        if set(properties) >= ENDS and not is_estimate(properties):
            assert set(properties) == ENDS, f"{kind}: {'.'.join(way)} has ends, and is no estimate"
        named = {
            name
            for name, part in properties.items()
            if any(f"#/$defs/{interval}'" in str(part) for interval in intervals)
        }
        assert not named or (is_estimate(properties) and named <= OF_AN_ESTIMATE), f"{kind}: {'.'.join(way)}: {named}"


def test_the_walk_sees_another_shape() -> None:
    """A mean with ends, somewhere within, is found and is no estimate; an estimate with more keys is one."""
    ends = dict.fromkeys(("mean", "low", "high"))
    schema = {"$defs": {"Mean": {"properties": ends}}, "properties": {"parts": {"items": [{"properties": ends}]}}}

    assert sum(set(properties) >= ENDS and not is_estimate(properties) for _, properties in objects(schema)) == 2
    assert is_estimate(dict.fromkeys([*SHAPE, "width"]))
