"""Frames of what the store holds, with texts that Arrow has no place for."""

from __future__ import annotations

import json

from annotate import Project
from support.store import Assay


def test_half_a_surrogate_pair_costs_no_frame(assay: Assay) -> None:
    """JSON can hold it, so that logs do; the other columns are of the type that they always have."""
    rows = [
        {"id": "1", "question": "One?", "answer": "\ud83d cut", "system": "a"},
        {"id": "2", "question": "Two?", "answer": "whole", "system": "b"},
    ]
    file = assay.folder / "t.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assay("ingest", str(file))

    items = Project.open(assay.db).items()

    assert list(items.answer) == ["\ud83d cut", "whole"]
    assert (items.answer.dtype, str(items.question.dtype)) == (object, "str")
    assert list(items.question) == ["One?", "Two?"]
