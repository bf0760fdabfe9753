"""The shape of each answer's JSON is published, and answers keep to it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from annotate.present import schemas
from annotate.project import Project
from annotate.store import Store
from support.app import Make, judged, nothing, some_open, walk
from support.store import Assay


@pytest.mark.slow
def test_every_answer_has_a_schema_that_is_one(assay: Assay) -> None:
    """The command lists the answers; each schema is a valid one and names its answer and version."""
    names = assay("schema").stdout.split()

    assert "report" in names
    for name in names:
        schema = json.loads(assay("schema", name).stdout)
        Draft202012Validator.check_schema(schema)
        assert schema["$id"].startswith("assay/")
        assert {"schema", "answer", "status", "next"} <= set(schema["required"])
    assert "there is no answer" in assay("schema", "weather", status=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, judged, some_open, walk])
def test_a_report_keeps_to_its_schema(store_in_file: Store, make: Make) -> None:
    """In every state of the loop; what lacks a key of an estimate does not."""
    make(store_in_file)
    validator = Draft202012Validator(schemas.json_schema("report"))
    answer = Project.open(store_in_file.path).report().to_dict()

    validator.validate(json.loads(json.dumps(answer)))
    correctness = answer["correctness"]
    assert isinstance(correctness, dict)
    del correctness["estimate"]
    with pytest.raises(ValidationError, match="estimate"):
        validator.validate(json.loads(json.dumps(answer)))


def test_next_says_the_first_thing_to_do(assay: Assay) -> None:
    """From an empty store on, in words and as the command to type."""
    Store(assay.db).close()
    told = assay.json("next")

    assert told["schema"] == "assay/next/1"
    assert told["next"] == [{"words": told["answer"], "commands": ["assay ingest FILE"]}]
    assert "    assay ingest FILE" in assay("next").stdout.splitlines()
