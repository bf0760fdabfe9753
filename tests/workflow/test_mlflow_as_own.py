"""MLflow writes texts as JSON once more: paths of the user read them without it, and hints lead to no retriever's output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.store import Assay

QUESTION = 'question=info.trace_metadata["mlflow.traceInputs"].question'
ANSWER = 'answer=info.trace_metadata["mlflow.traceOutputs"]'


def traces(*, votes: bool = False) -> list[dict[str, Any]]:
    """Two traces with their retriever first."""
    rows = []
    for number, answer in enumerate(('Say "ah".', "Upstairs.\nTwice.")):
        inputs, output = json.dumps({"question": f"Where is ward {number}?"}), json.dumps(answer)
        passages = json.dumps([{"page_content": f"Page {number}.", "metadata": {}, "id": "d1"}])
        retriever = {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": inputs, "mlflow.spanOutputs": passages}
        root = {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": inputs, "mlflow.spanOutputs": output}
        info: dict[str, Any] = {
            "trace_id": f"tr-{number}",
            "trace_metadata": {"mlflow.traceInputs": inputs, "mlflow.traceOutputs": output},
        }
        if votes:
            source = {"source_type": "HUMAN", "source_id": "u"}
            info["assessments"] = [{"assessment_name": "thumb", "source": source, "feedback": {"value": False}}]
        spans = [
            {"span_id": f"{2:016x}", "parent_span_id": f"{1:016x}", "attributes": retriever},
            {"span_id": f"{1:016x}", "attributes": root},
        ]
        rows.append({"info": info, "data": {"spans": spans}})
    return rows


@pytest.mark.parametrize("chosen", ["auto", "own", "mlflow"])
def test_texts_by_map_have_no_quotes_of_json(assay: Assay, chosen: str) -> None:
    """Quotes of the text itself stay."""
    file = assay.write("t.jsonl", traces())
    read = assay.json("ingest", file, "--format", chosen, "--map", QUESTION, "--map", ANSWER, "--dry-run")

    assert sorted(answer["answer"] for answer in read["examples"]) == ['Say "ah".', "Upstairs.\nTwice."]
    assert assay.json("ingest", file, "--format", chosen, "--map", QUESTION, "--map", ANSWER)["added"] == 2


def test_a_quote_within_rows_of_no_tool_belongs_to_its_text(assay: Assay) -> None:
    """Where another text at the path has none, or where there is one row alone."""
    rows = [{"question": "What did he say?", "out": {"text": text}} for text in ('"Ah."', "Nothing.")]
    for name, part in (("two", rows), ("one", rows[:1])):
        read = assay.json("ingest", assay.write(f"{name}.jsonl", part), "--map", "answer=out.text", "--dry-run")
        assert read["examples"][0]["answer"] == '"Ah."'


@pytest.mark.parametrize("votes", [True, False])
def test_rows_of_a_tool_that_are_read_as_own_name_its_format(assay: Assay, *, votes: bool) -> None:
    """Also where users' feedback lies within them: it comes in with the traces."""
    stopped = assay("ingest", assay.write("t.jsonl", traces(votes=votes)), "--format", "own", status=1).stderr

    assert "its rows look like MLflow: --format mlflow, or leave --format own out" in stopped
    assert "assay feedback" not in stopped


@pytest.mark.parametrize("path", ['data.spans[0].attributes["mlflow.spanOutput"]', "mlflow.spanOutputs", "response"])
def test_no_retrievers_output_is_proposed_as_the_answer(assay: Assay, path: str) -> None:
    file = assay.write("t.jsonl", traces())
    stopped = assay("ingest", file, "--format", "own", "--map", QUESTION, "--map", f"answer={path}", status=1).stderr

    assert "did you mean" not in stopped
    assert "its rows look like MLflow" in stopped


def test_documents_are_no_answer_in_rows_of_no_tool(assay: Assay) -> None:
    """But passages."""
    row = {"question": "Where?", "run": {"outputs": [{"page_content": "Wards are upstairs.", "title": "Map"}]}}
    file = assay.write("t.jsonl", [row])

    as_answer = assay("ingest", file, "--map", "answer=run.output", status=1).stderr
    as_contexts = assay("ingest", file, "--map", "contexts=run.output", status=1).stderr

    assert "did you mean" not in as_answer
    assert "did you mean --map" in as_contexts
