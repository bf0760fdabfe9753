"""Passages of which no text came, and traces without their observations: nothing of it is lost without a word."""

from __future__ import annotations

import json
from typing import Any

from support.store import Assay

TRACE = "0af7651916cd43dd8448eb211c80319c"


def metadata(assay: Assay) -> dict[str, Any]:

    return dict(json.loads(assay.sql("SELECT metadata FROM texts")[0][0]))


def retrieved(documents: list[dict[str, object]]) -> list[dict[str, object]]:
    flat = {
        f"retrieval.documents.{place}.document.{name}": value
        for place, document in enumerate(documents)
        for name, value in document.items()
    }
    root = {"openinference.span.kind": "CHAIN", "input.value": "Where?", "output.value": "There."}
    return [
        {"context": {"trace_id": TRACE, "span_id": "a" * 16}, "parent_id": None, "attributes": root},
        {
            "context": {"trace_id": TRACE, "span_id": "b" * 16},
            "parent_id": "a" * 16,
            "attributes": {"openinference.span.kind": "RETRIEVER", **flat},
        },
    ]


def test_ids_of_passages_without_text_are_kept_and_told(assay: Assay) -> None:
    file = assay.write("s.jsonl", retrieved([{"id": "d1", "score": 0.5}, {"id": "d2"}]))

    done = assay.json("ingest", file)

    assert (done["sources"][0]["by_id_alone"], done["sources"][0]["without_contexts"]) == (1, 1)
    assert metadata(assay)["passage_ids"] == ["d1", "d2"]
    assert "only ids came" in assay("ingest", file, "--dry-run").stdout


def test_of_passages_with_and_without_text_the_ids_of_the_latter_are_kept(assay: Assay) -> None:
    done = assay.json(
        "ingest", assay.write("s.jsonl", retrieved([{"id": "d1", "content": "There it is."}, {"id": "d2"}]))
    )

    assert (done["sources"][0]["by_id_alone"], done["sources"][0]["without_contexts"]) == (1, 0)
    assert metadata(assay)["passage_ids"] == ["d2"]


def test_ragas_rows_with_ids_of_contexts_alone_keep_them(assay: Assay) -> None:
    row = {"user_input": "Where?", "response": "There.", "retrieved_context_ids": ["d1", 7]}

    done = assay.json("ingest", assay.write("s.jsonl", [row]))

    assert done["sources"][0]["by_id_alone"] == 1
    assert metadata(assay)["passage_ids"] == ["d1", 7]


def test_a_trace_of_langfuse_without_its_observations_is_an_answer_without_passages(assay: Assay) -> None:
    """As older exports have them, and as its list of traces gives them, with the ids of observations."""
    about = {"bookmarked": False, "public": False, "timestamp": "2026-11-20T08:00:00Z", "sessionId": "s1"}
    rows = [
        {"id": "t1", "input": '{"question": "Where?"}', "output": "There.", **about},
        {"id": "t2", "input": "When?", "output": "Now.", "observations": ["o1", "o2"], "scores": ["x"], **about},
    ]
    file = assay.write("traces.jsonl", rows)

    done = assay.json("ingest", file)

    assert (done["added"], done["quarantined"], done["sources"][0]["format"]) == (2, 0, "langfuse")
    assert "2 of 2 answers have no passages" in assay("ingest", file, "--dry-run").stdout
    assert assay.sql('SELECT "group" FROM items') == [("s1",), ("s1",)]
