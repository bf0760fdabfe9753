"""Of traces it is said where id and time come from, and which of their metadata is too long to be kept."""

from __future__ import annotations

from typing import Any

import pytest

from support.store import Assay

TRACE = f"{1:032x}"


def spans(**attributes: str) -> list[dict[str, Any]]:
    """A trace of Phoenix: its root and what was retrieved."""
    root = {
        "context": {"trace_id": TRACE, "span_id": f"{1:016x}"},
        "parent_id": None,
        "start_time": "2026-11-02T10:00:00Z",
        "end_time": "2026-11-02T10:00:07Z",
        "attributes": {
            "openinference.span.kind": "CHAIN",
            "input.value": "Where is ward 3?",
            "output.value": "Upstairs.",
            **attributes,
        },
    }
    retriever = {
        "context": {"trace_id": TRACE, "span_id": f"{2:016x}"},
        "parent_id": f"{1:016x}",
        "start_time": "2026-11-02T10:00:01Z",
        "attributes": {
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.content": "Ward 3 is upstairs.",
        },
    }
    return [root, retriever]


def shown(assay: Assay, *words: str) -> str:
    return " ".join(assay("ingest", *words).stdout.split())


def test_id_and_time_of_a_trace_are_named(assay: Assay) -> None:
    text = shown(assay, assay.write("s.jsonl", spans()))

    assert "Fields: id ← the trace's id; question ← input.value;" in text
    assert "timestamp ← the start of the root span." in text


@pytest.mark.parametrize("is_dry", [True, False])
def test_a_time_by_map_is_named_by_its_path(assay: Assay, *, is_dry: bool) -> None:
    """And is the answer's time."""
    file = assay.write("s.jsonl", spans())
    text = shown(assay, file, "--map", "timestamp=end_time", *(["--dry-run"] if is_dry else []))

    assert "timestamp ← end_time." in text
    if not is_dry:
        assert assay.sql("SELECT timestamp FROM items") == [("2026-11-02T10:00:07.000Z",)]


def test_metadata_that_is_too_long_is_named(assay: Assay) -> None:
    """What is not longer than the limit is kept."""
    file = assay.write("s.jsonl", spans(tenant="north", trail="x" * 501, notes="y" * 500))
    read = assay.json("ingest", file, "--dry-run")["sources"]
    text = shown(assay, file)

    assert "Kept as metadata: notes, tenant." in text
    assert "Not kept, because some are longer than 500 characters: trail." in text
    assert [source["too_long"] for source in read] == [["trail"]]


def test_rows_of_our_own_say_where_mapped_fields_were_read(assay: Assay) -> None:
    """After the import as in a dry run; without --map there is nothing to say."""
    file = assay.write("t.jsonl", [{"id": "a", "question": "Where?", "reply": "Here."}])
    plain = assay.write("p.jsonl", [{"id": "b", "question": "Where?", "answer": "Here."}])

    assert "Fields: id ← id; question ← question; answer ← reply." in shown(assay, file, "--map", "answer=reply")
    assert "Fields" not in shown(assay, plain)
