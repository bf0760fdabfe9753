"""Feedback and scores that tools keep within their runs and traces, and traces whose observations are elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.store import Assay, read

RUN: dict[str, Any] = {
    "id": "r1",
    "trace_id": "r1",
    "run_type": "chain",
    "dotted_order": "20260101T000000000000Zr1",
    "inputs": {"question": "Where?"},
    "outputs": {"answer": "Here."},
}
STATISTICS = {
    "user_score": {"n": 1, "avg": 0.0, "values": {}, "comments": ["It moved."]},
    "correctness": {"n": 2, "avg": 0.75, "values": {}},
    "tone": {"n": 1, "avg": None, "values": {"correct": 1}},
}
LISTED = [
    {"id": "f1", "key": "user_score", "score": 0, "comment": "It moved.", "run_id": "r1", "trace_id": "r1"},
    {"id": "f2", "key": "correctness", "score": 0.75, "feedback_source": {"type": "model"}},
    {"id": "f3", "key": "tone", "value": "correct", "feedback_source": {"type": "auto_eval"}},
]
WITHIN = {
    "statistics": {**RUN, "feedback_stats": STATISTICS},
    "statistics as text, as Parquet has them": {**RUN, "feedback_stats": json.dumps(STATISTICS)},
    "feedback": {**RUN, "feedback": LISTED, "feedback_stats": STATISTICS},
    "a run below": {
        **RUN,
        "child_runs": [{**RUN, "id": "r2", "parent_run_id": "r1", "run_type": "llm", "feedback_stats": STATISTICS}],
    },
}


@pytest.mark.parametrize("row", WITHIN.values(), ids=WITHIN)
def test_a_run_of_langsmith_brings_its_feedback_and_its_scores(assay: Assay, row: dict[str, Any]) -> None:
    """By ingest, by feedback and by scores import alike, each once."""
    file = assay.write("runs.jsonl", [row])

    done = assay.json("ingest", file)
    thumbs, scores = assay.json("feedback", file), assay.json("scores", "import", file)

    assert (done["added"], done["feedback"], done["scores"], done["quarantined"]) == (1, 1, 2, 0)
    assert (thumbs["new"], thumbs["thumbs_down"], thumbs["quarantined"]) == (0, 1, 0)
    assert (scores["new"], scores["quarantined"]) == (0, 0)
    assay("scores", "export", "kept.jsonl")
    kept = {(row["item_id"], row["judge"], row["value"]) for row in read(assay.folder / "kept.jsonl")}
    assert kept == {("r1", "correctness", 0.75), ("r1", "tone", 1.0)}


@pytest.mark.parametrize("command", [("feedback",), ("scores", "import")])
def test_a_run_without_feedback_is_read_and_not_quarantined(loaded: Assay, command: tuple[str, ...]) -> None:
    """It has none to bring in, by its statistics or for want of them."""
    done = loaded.json(*command, loaded.write("runs.jsonl", [RUN, {**RUN, "feedback_stats": {}}]))

    assert (done["rows"], done["new"], done["quarantined"]) == (2, 0, 0)


TRACE = {
    "id": "t1",
    "timestamp": "2026-11-01T00:00:00Z",
    "name": "qa",
    "sessionId": None,
    "input": {"question": "Where?"},
    "output": {"answer": "Here."},
}


@pytest.mark.parametrize("observations", [None, [], ["o1", "o2"], '["o1"]', ""], ids=str)
@pytest.mark.parametrize("beside", [{}, {"bookmarked": False, "projectId": "p"}], ids=["API", "page"])
def test_a_trace_of_langfuse_whose_observations_are_elsewhere_is_an_answer(
    assay: Assay, observations: object, beside: dict[str, object]
) -> None:
    """Null, empty, or ids alone: question and answer stand in the trace, and the passages that are missing are counted."""
    done = assay.json("ingest", assay.write("t.json", json.dumps([{**TRACE, **beside, "observations": observations}])))

    (how,) = done["sources"]
    assert (how["format"], done["added"], how["without_contexts"]) == ("langfuse", 1, 1)


def test_scores_by_name_in_an_export_of_traces_come_in(assay: Assay) -> None:
    """As the page of traces exports them: several values a name, and none."""
    scores = {"quality": [0.5], "user-feedback": [0], "tone": None}

    done = assay.json("ingest", assay.write("t.json", [{**TRACE, "observations": None, "scores": scores}]))

    assert (done["added"], done["scores"], done["feedback"], done["quarantined"]) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("command", "option", "meant"),
    [
        (("feedback",), "item_id=traceid", "item_id=trace.id"),
        (("scores", "import"), "item_id=trce.id", "item_id=trace.id"),
        (("labels", "import"), "label=verdict", None),
        (("ingest",), "question=msg.question", "question=msg.q"),
        (("ingest",), "answer=nothing", "answer=msg.answer"),
    ],
)
def test_a_path_that_leads_to_nothing_stops_every_import(
    loaded: Assay, command: tuple[str, ...], option: str, meant: str | None
) -> None:
    """It says what there is, and what may have been meant; nothing is kept, in quarantine neither."""
    row = {"trace": {"id": "a"}, "thumb": 1, "faithfulness": 0.5, "msg": {"q": "Where?", "answer": "Here."}}

    told = loaded(*command, loaded.write("rows.jsonl", [row]), "--map", option, status=1).stderr

    assert (
        "leads to nothing in any row, so nothing was taken in; the first row has faithfulness, msg.q, msg.answer"
        in told
    )
    assert (f"did you mean --map {meant}" if meant else "mend the path, or leave it out") in told
    assert loaded.quarantine() == []
