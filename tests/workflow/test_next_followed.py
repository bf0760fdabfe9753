"""`assay next` followed blindly: from no store to a trusted proxy, with a gate that passes and a released gold set."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.store import Assay, traffic_row

ITEMS, MOST_STEPS = 240, 16
NOWHERE = "Bring slippers and an umbrella on Tuesday, the desk on the moon said."
# What a user types in place of the names in capitals.
GIVEN = {"NAME": "first"}


def key() -> dict[str, bool]:
    """Whether an answer is right, by its id: three of four, and those are from their passage."""
    return {f"t{n:03}": n % 4 > 0 for n in range(ITEMS)}


def traffic() -> list[dict[str, Any]]:
    rows = [traffic_row(name, reference=f"The room of {name} is upstairs.", system="v1") for name in key()]
    return [row if key()[str(row["id"])] else row | {"answer": NOWHERE} for row in rows]


def label(assay: Assay, drawn: str) -> str:
    """Answer the draws of a file by the key: the file of labels."""
    by_question = {str(row["question"]): str(row["id"]) for row in traffic()}
    rows = [json.loads(line) for line in Path(drawn).read_text(encoding="utf-8").splitlines()]
    labels = [
        {
            "item_id": row["item_id"],
            "label": "right" if key()[by_question[row["question"]]] else "wrong",
            "annotator": "ann",
        }
        for row in rows
    ]
    return assay.write("labels.jsonl", labels)


def obey(assay: Assay, command: str) -> None:
    """Run a command as it was suggested, with the file that it asks for."""
    _, *words = [GIVEN.get(word, word) for word in shlex.split(command)]
    if words[:1] == ["ingest"]:
        words[1] = assay.write("traffic.jsonl", traffic())
    drawn = str(assay.folder / "drawn.jsonl")
    if words[:2] == ["draws", "export"]:
        words[2] = drawn
    if words[:2] == ["labels", "import"]:
        words[2] = label(assay, drawn)
    if words != ["gold", "review"]:  # a person decides there, and what comes next does not wait for it
        assay(*words)


@pytest.mark.slow
def test_it_leads_from_nothing_to_a_gated_project_with_a_released_gold_set(assay: Assay) -> None:
    steps = list[str]()
    for _ in range(MOST_STEPS):
        first, *others = assay.json("next")["next"]
        # Once the proxy is trusted it is watched for ever; what else is named comes to an end.
        step = first if not first["words"].startswith("Keep watching") else next(iter(others), None)
        if step is None:
            break
        steps.append(step["words"])
        for command in step["commands"]:
            obey(assay, command)

    assert first["words"].startswith("Keep watching"), steps
    assert steps[0].startswith("Bring in")
    assert steps[-1].startswith("Release"), steps
    assert len(steps) == len(set(steps)), "each step moves the store on"
    assert assay.json("report", "--gate")["verdict"]["status"] == "yes"
    [release] = assay.json("gold", "releases")["releases"]
    assert release["entries"] > 0
    # A new version that answers as before is compared with what was labelled, and may go out.
    assay("ingest", assay.write("v2.jsonl", [row | {"id": f"{row['id']}-v2", "system": "v2"} for row in traffic()]))
    checked = assay.json("gold", "check", "--system", "v2", "--release", "first", "--role", "all", "--gate")
    assert checked["gate"]["passed"]
