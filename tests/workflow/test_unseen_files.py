"""Files of tools and versions that no format here is for: read, or told with options that then read them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner

from annotate.cli import main
from support.store import Assay

ASKED, ANSWERED, PASSAGE = "When did ward 3 move?", "In 2019.", "Ward 3 moved in 2019 to the ground floor."
AT = "2026-11-20T08:00:00Z"
USER = {"role": "user", "content": ASKED}
REPLY = {"choices": [{"message": {"role": "assistant", "content": ANSWERED}}]}
READ: dict[str, Any] = {
    "opik spans": [
        {
            "id": "s1",
            "traceId": "t1",
            "parentSpanId": None,
            "type": "general",
            "input": {"question": ASKED},
            "output": {"answer": ANSWERED},
        },
        {
            "id": "s2",
            "traceId": "t1",
            "parentSpanId": "s1",
            "name": "retrieve",
            "type": "tool",
            "input": {"query": ASKED},
            "output": {"documents": [{"content": PASSAGE}]},
        },
    ],
    "weave calls": [
        {
            "id": "c1",
            "trace_id": "w1",
            "parent_id": None,
            "op_name": "rag",
            "started_at": AT,
            "inputs": {"question": ASKED},
            "output": {"answer": ANSWERED, "context": [PASSAGE]},
        }
    ],
    "braintrust logs": [
        {
            "id": "b1",
            "span_id": "b1",
            "root_span_id": "b1",
            "span_parents": None,
            "input": {"question": ASKED},
            "output": ANSWERED,
        },
        {
            "id": "b2",
            "span_id": "b2",
            "root_span_id": "b1",
            "span_parents": ["b1"],
            "input": ASKED,
            "output": [{"content": PASSAGE}],
            "span_attributes": {"name": "retrieve", "type": "function"},
        },
    ],
    "langfuse, matches of a vector database": [
        {
            "id": "o1",
            "trace_id": "t1",
            "type": "span",
            "parent_observation_id": "",
            "input": json.dumps({"messages": [USER]}),
            "output": json.dumps(ANSWERED),
        },
        {
            "id": "o2",
            "trace_id": "t1",
            "type": "retriever",
            "parent_observation_id": "o1",
            "output": json.dumps({"matches": [{"id": "d", "score": "0.5", "metadata": {"text": PASSAGE}}]}),
        },
    ],
    "llama-index responses": [
        {
            "query_str": ASKED,
            "response": ANSWERED,
            "source_nodes": [{"node": {"id_": "n1", "text": PASSAGE}, "score": 0.7}],
        }
    ],
    "deepeval run": {
        "testRunId": "x",
        "testCases": [{"input": ASKED, "actualOutput": ANSWERED, "retrievalContext": [PASSAGE]}],
    },
    "list two objects deep": {
        "status": "ok",
        "payload": {"items": [{"QUESTION": ASKED, "Answer": ANSWERED, "Contexts": [PASSAGE]}], "total": 1},
    },
}
TOLD: dict[str, Any] = {
    "haystack answers": {
        "type": "GeneratedAnswer",
        "init_parameters": {"data": ANSWERED, "query": ASKED, "documents": [{"id": "d", "content": PASSAGE}]},
    },
    "haystack pipelines": {"query": ASKED, "replies": [ANSWERED], "documents": [{"id": "d1", "content": PASSAGE}]},
    "promptfoo": {"vars": {"question": ASKED, "context": PASSAGE}, "response": {"output": ANSWERED}, "success": True},
    "azure": {"inputs.query": ASKED, "inputs.response": ANSWERED, "inputs.context": PASSAGE},
    "opik traces": {
        "id": "1",
        "startTime": AT,
        "input": {"question": ASKED, "context": [PASSAGE]},
        "output": {"answer": ANSWERED},
    },
    "mlflow evaluations": {
        "inputs": {"question": ASKED},
        "outputs": ANSWERED,
        "retrieved_context": [{"content": PASSAGE}],
    },
    "dify": {
        "id": "m1",
        "query": ASKED,
        "answer": ANSWERED,
        "feedbacks": [{"rating": "like"}],
        "retriever_resources": [{"content": PASSAGE}],
        "created_at": 1795161600,
    },
}


def texts(assay: Assay) -> list[tuple[str, str, list[str]]]:
    rows = assay.sql("SELECT question, answer, contexts FROM texts")
    return [(question, answer, json.loads(contexts)) for question, answer, contexts in rows]


@pytest.mark.parametrize("name", READ)
def test_it_is_read_with_its_passages(assay: Assay, name: str) -> None:
    content = READ[name]
    assay("ingest", assay.write("f.json", json.dumps(content)))

    assert texts(assay) == [(ASKED, ANSWERED, [PASSAGE])]


@pytest.mark.parametrize("name", TOLD)
def test_the_options_that_are_told_read_it(assay: Assay, name: str) -> None:
    """Whatever the screen says is done, until nothing is told any more."""
    file, options = assay.write("f.json", json.dumps([TOLD[name]])), list[str]()
    for _ in range(3):
        assay.db.unlink(missing_ok=True)
        said = _said(assay, file, options)
        told = re.findall(r"--map (?:'[^']*'|[^\s;`]+)", said)
        if not told or texts_are(assay):
            break
        options += [part for option in told for part in shlex.split(option)]

    assert texts(assay) == [(ASKED, ANSWERED, [PASSAGE])]


def _said(assay: Assay, file: str, options: list[str]) -> str:
    result = CliRunner().invoke(main, ["ingest", file, *options, "--db", str(assay.db)])
    return " ".join(result.output.split()).partition(" × ")[0]


def texts_are(assay: Assay) -> bool:
    return assay.db.exists() and bool(texts(assay))


@pytest.mark.parametrize(
    "row",
    [
        {"custom_id": "q1", "request": {"body": {"messages": [USER]}}, "response": {"status_code": 200, "body": REPLY}},
        {"request_properties": {}, "request_body": {"messages": [USER]}, "response_body": REPLY},
        {
            "id": "resp_1",
            "object": "response",
            "input": [USER],
            "output": [
                {"type": "file_search_call", "results": []},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWERED}]},
            ],
        },
    ],
    ids=["batches", "helicone", "responses"],
)
def test_logs_of_requests_and_responses_are_read(assay: Assay, row: Mapping[str, object]) -> None:
    assay("ingest", assay.write("f.jsonl", [row]))

    assert texts(assay) == [(ASKED, ANSWERED, [])]


@pytest.mark.parametrize(
    "response",
    [{"status_code": 400, "body": {"error": {"message": "no"}}}, {"status_code": 500, "body": {}}],
    ids=["an error in its body", "a status alone"],
)
def test_a_failed_request_of_a_batch_is_a_failed_call(assay: Assay, response: Mapping[str, object]) -> None:
    """No user saw an answer of it: counted and left out like any gateway's failed call, not refused for its shape."""
    reply = {"status_code": 200, "body": REPLY}
    rows = [
        {"custom_id": f"q{n}", "request": {"body": {"messages": [USER]}}, "response": given, "error": None}
        for n, given in enumerate((reply, response))
    ]

    done = assay.json("ingest", assay.write("batch.jsonl", rows))

    assert (done["added"], done["quarantined"], done["unanswered"]) == (1, 0, {"failed": 1})


def test_passages_that_a_dataframe_wrote_into_a_cell_are_no_single_passage(assay: Assay) -> None:
    """Phoenix' spans as CSV: the documents are Python's text of a list of objects."""
    documents = str(
        [{"document.content": PASSAGE, "document.id": "d1"}, {"document.content": "Other.", "document.id": "d2"}]
    )
    head = "context.span_id,context.trace_id,span_kind,parent_id,attributes.input.value,attributes.output.value,attributes.retrieval.documents"
    rows = [f"s1,t1,CHAIN,,{ASKED},{ANSWERED},", f's2,t1,RETRIEVER,s1,{ASKED},,"{documents}"']

    assay("ingest", assay.write("f.csv", "\n".join([head, *rows])))

    assert texts(assay) == [(ASKED, ANSWERED, [PASSAGE, "Other."])]
