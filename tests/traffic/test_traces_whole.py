"""Whole traces: passages by any name, evaluations within them, and roots that failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.store import Assay

QUESTION, INNER = "How long is the warranty?", "Two years."


def langfuse(name: str = "t1", **changes: object) -> dict[str, Any]:
    """A trace as Langfuse exports it."""
    return {"id": name, "name": "chat", "timestamp": "2026-11-02T09:00:00Z", "input": QUESTION, "output": INNER} | {
        "observations": [],
        **changes,
    }


def observation(**changes: object) -> dict[str, object]:
    return {"id": "o1", "traceId": "t1", "type": "RETRIEVER", "name": "search", "startTime": "2026-11-02T09:00:00Z"} | {
        "input": QUESTION,
        **changes,
    }


PASSAGE = {"pageContent": "The warranty is two years.", "metadata": {"page": 1}}


@pytest.mark.parametrize(
    "observation",
    [
        observation(output=[PASSAGE]),
        observation(output=json.dumps([PASSAGE])),
        observation(type="SPAN", name="retriever", output=[PASSAGE]),
        observation(type="SPAN", name="retrieval", output={"documents": [PASSAGE]}),
    ],
)
def test_passages_of_langchain_js_are_read(assay: Assay, observation: dict[str, object]) -> None:
    """`pageContent` beside `page_content`, from a retriever or a span that is called one."""
    assay("ingest", assay.write("t.json", [langfuse(observations=[observation])]))

    [(contexts,)] = assay.sql("SELECT contexts FROM texts")
    assert json.loads(contexts) == [PASSAGE["pageContent"]]


def test_a_span_that_only_retrieves_by_name_gives_no_passages(assay: Assay) -> None:
    """Its output is an answer, not a list of passages."""
    chain = observation(type="SPAN", name="retrieve", output={"result": INNER})
    assay("ingest", assay.write("t.json", [langfuse(observations=[chain])]))

    assert assay.sql("SELECT contexts FROM texts") == [("[]",)]


SCORES = [
    {"id": "s1", "name": "user-thumbs", "value": 0, "dataType": "BOOLEAN", "source": "API"},
    {"id": "s2", "name": "faithfulness", "value": 0.25, "source": "EVAL"},
]
ASSESSMENTS = [
    {"assessment_name": "user_thumb", "source": {"source_type": "HUMAN"}, "feedback": {"value": False}},
    {"assessment_name": "faithfulness", "source": {"source_type": "LLM_JUDGE"}, "feedback": {"value": 0.25}},
]
MLFLOW = {
    "info": {"trace_id": "t1", "state": "OK", "assessments": ASSESSMENTS},
    "data": {
        "spans": [
            {"span_id": "a", "attributes": {"mlflow.spanInputs": f'"{QUESTION}"', "mlflow.spanOutputs": f'"{INNER}"'}}
        ]
    },
}


@pytest.mark.parametrize("trace", [langfuse(scores=SCORES), MLFLOW])
def test_evaluations_within_a_trace_come_in_with_it(assay: Assay, trace: dict[str, Any]) -> None:
    """The user's thumb down as feedback, the evaluator's number as a score; and again from the same file by themselves."""
    file = assay.write("t.json", [trace])
    done = assay.json("ingest", file)

    assert (done["feedback"], done["scores"], done["quarantined"]) == (1, 1, 0)
    assert assay.sql("SELECT item_id, sign FROM feedback") == [("t1", -1)]
    assert assay.sql("SELECT value FROM scores") == [(0.25,)]
    assert assay.json("scores", "import", file)["quarantined"] == 0
    assert assay.json("feedback", file)["quarantined"] == 0
    assert assay.sql("SELECT count(*) FROM feedback") == [(1,)]


def langsmith(**root: object) -> list[dict[str, object]]:
    """A run and the model's run below it."""
    start = {"trace_id": "r", "start_time": "2026-11-02T09:00:00Z"}
    return [
        {**start, "id": "r", "run_type": "chain", "inputs": {"input": QUESTION}, **root},
        {**start, "id": "m", "parent_run_id": "r", "run_type": "llm", "inputs": {"prompt": QUESTION}}
        | {"outputs": {"text": INNER}},
    ]


def phoenix(code: str) -> list[dict[str, object]]:
    def span(name: str, parent: str | None, kind: str, **attributes: object) -> dict[str, object]:
        about = {"context": {"trace_id": "t", "span_id": name}, "parent_id": parent, "status_code": code}
        given = {"openinference.span.kind": kind, "input.value": QUESTION, **attributes}
        return {**about, "start_time": "2026-11-02T09:00:00Z", "attributes": given}

    return [span("a", None, "CHAIN"), span("b", "a", "LLM", **{"output.value": INNER})]


FAILED = [
    langsmith(status="error", error="Timeout", outputs=None),
    phoenix("ERROR"),
    [langfuse(output=None, observations=[observation(type="GENERATION", output=INNER, level="ERROR")])],
]


@pytest.mark.parametrize("rows", FAILED)
def test_a_call_that_failed_gives_no_answer(assay: Assay, rows: list[dict[str, object]]) -> None:
    """What the model wrote below the root, no user saw; the screen counts the trace, with the reason."""
    assert "1 trace failed" in assay("ingest", assay.write("t.jsonl", rows)).stdout
    assert assay.sql("SELECT count(*) FROM items") == [(0,)]


@pytest.mark.parametrize(
    "rows",
    [
        langsmith(status="success", outputs=None),
        phoenix("OK"),
        langsmith(status="error", error="late", outputs={"output": INNER}),
    ],
)
def test_a_call_that_gave_an_answer_keeps_it(assay: Assay, rows: list[dict[str, object]]) -> None:
    """A root without an output leaves the answer to its model, and one that failed after its answer has one."""
    assay("ingest", assay.write("t.jsonl", rows))
    assert assay.sql("SELECT answer FROM texts") == [(INNER,)]


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        ([{"question": QUESTION, "answer": INNER}], "contexts=inputs.docs"),
        ([langfuse(observations=[observation(output=[PASSAGE])])], "contexts=output.nowhere"),
        ([{"input": QUESTION, "actual_output": INNER}], "reference=gold"),
    ],
)
def test_a_path_that_leads_nowhere_stops_the_import(assay: Assay, rows: list[dict[str, object]], path: str) -> None:
    """Nothing is kept, and the line names the option."""
    file = assay.write("t.json", rows)
    assert f"--map {path} leads to nothing in any row" in assay("ingest", file, "--map", path, status=1).stderr
    assert not assay.db.exists()


def test_a_path_that_leads_somewhere_in_one_span_is_taken(assay: Assay) -> None:
    """In an observation, where no row has the path itself."""
    rows = [langfuse(), langfuse("t2", observations=[observation(traceId="t2", output={"deep": {"found": ["p"]}})])]
    assay("ingest", assay.write("t.json", rows), "--map", "contexts=output.deep.found")
    assert assay.sql("SELECT contexts FROM texts ORDER BY contexts") == [('["p"]',), ("[]",)]


def test_a_trace_that_repeats_with_another_answer_stops_the_import(assay: Assay) -> None:
    """As for rows; the same trace twice is no conflict, and --revisions takes the last."""
    inner = [observation(output=[PASSAGE])]
    first, edited = langfuse(observations=inner), langfuse(observations=inner, output="Three years.")
    file = assay.write("t.json", [first, edited, langfuse("t2")])

    assert "1 trace repeats with another question or answer" in assay("ingest", file, status=1).stderr
    assert not assay.db.exists()
    assert assay.json("ingest", file, "--revisions")["added"] == 2
    assert assay.json("ingest", assay.write("same.json", [langfuse("t3"), langfuse("t3")]))["added"] == 1
