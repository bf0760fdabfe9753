"""Tables that tools and pandas write: what JSON holds of a row comes in from its cells as well."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.store import Assay, read

MLFLOW = Path(__file__).parents[1] / "samples" / "mlflow.traces.jsonl"
THUMB = {
    "assessment_name": "thumbs_up",
    "source": {"source_type": "HUMAN", "source_id": "nurse's"},
    "create_time": "2026-11-24T12:50:00Z",
    "feedback": {"value": True},
    "rationale": 'It\'s "right".',
}
JUDGED = {
    "assessment_name": "relevance",
    "source": {"source_type": "LLM_JUDGE", "source_id": "m"},
    "feedback": {"value": 0.5},
}
EXPECTED = {
    "assessment_name": "expected_response",
    "source": {"source_type": "HUMAN", "source_id": "dr"},
    "expectation": {"value": "In 2019."},
}


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """The rows as pandas writes them to CSV: what is no text as Python writes it."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows([{name: "" if value is None else value for name, value in row.items()} for row in rows])
    return text.getvalue()


def traces() -> list[dict[str, Any]]:
    """MLflow's own traces, the first with a thumb, a judge's score and an expected answer."""
    rows: list[dict[str, Any]] = read(MLFLOW)
    for row in rows:
        row["info"]["assessments"] = []
    rows[0]["info"]["assessments"] = [THUMB, JUDGED, EXPECTED]
    return rows


def searched(trace: Mapping[str, Any]) -> dict[str, object]:
    """A trace as the columns of `mlflow.search_traces`, without the one that holds all of it."""
    info = trace["info"]
    columns = {name: info[name] for name in ("trace_id", "state", "trace_metadata", "tags", "assessments")}
    return {**columns, "request_time": 1795524571246, "request": "…", "spans": trace["data"]["spans"]}


def held(assay: Assay, source: str) -> list[object]:
    """Everything that a file brings into a new store."""
    assay.db.unlink(missing_ok=True)
    done = assay.json("ingest", source)
    counts = [done[name] for name in ("added", "feedback", "scores", "quarantined")]
    query = (
        'select i.id, i."group", t.question, t.contexts, t.answer, t.history from items i join texts t using (key) '
        "order by i.id"
    )
    votes = "select item_id, sign, comment, correction, source from feedback order by item_id, correction"
    values = "select j.judge, j.signature, s.value from scores s join judges j on j.key = s.judge"
    return [counts, *(assay.sql(each) for each in (query, votes, values))]


@pytest.mark.parametrize("with_trace", [True, False], ids=["with its column trace", "from Python's text alone"])
def test_a_table_of_mlflow_traces_holds_what_their_json_does(assay: Assay, *, with_trace: bool) -> None:
    rows = [{**searched(row), **({"trace": json.dumps(row)} if with_trace else {})} for row in traces()]
    expected = held(assay, assay.write("t.jsonl", traces()))

    assert expected[0] == [len(rows), 2, 1, 0]
    assert held(assay, assay.write("t.csv", table(rows))) == expected


@pytest.mark.slow
def test_a_table_of_mlflow_traces_gives_its_thumbs_and_scores_to_the_commands_for_them(assay: Assay) -> None:
    """Their items wait in neither case: each command reads the assessments that the rows hold."""
    source = assay.write("t.csv", table([searched(row) for row in traces()]))
    assay("ingest", assay.write("t.jsonl", read(MLFLOW)))

    thumbs, scores = assay.json("feedback", source), assay.json("scores", "import", source)

    assert (thumbs["new"], thumbs["quarantined"], thumbs["none"]) == (2, 0, {"automatic": 1})
    assert (scores["new"], scores["quarantined"]) == (1, 0)


def exported(**scores: object) -> dict[str, object]:
    """A trace as a page of Langfuse exports it."""
    own = {"bookmarked": False, "tags": ["prod"], "comments": [], "totalCost": 0.2, "input": {"question": "Where?"}}
    return {"id": "a", "timestamp": "2026-11-20T08:00:00Z", "name": "ask", **own, "output": "There.", **scores}


SCORED = exported(**{"user-feedback": [0], "faithfulness": [0.86], "tone": ["rude"], "unscored": None})


@pytest.mark.parametrize("name", ["t.json", "t.csv"])
def test_columns_of_scores_in_an_export_of_langfuse_are_thumbs_and_scores(assay: Assay, name: str) -> None:
    """Its cells are lists: the thumb is a user's by its name, the number a judge's; own columns with lists are no scores."""
    cells = {key: json.dumps(value) if isinstance(value, (list, dict)) else value for key, value in SCORED.items()}
    source = assay.write(name, table([cells]) if name.endswith("csv") else json.dumps([SCORED]))

    shown = " ".join(assay("ingest", source, "--dry-run").stdout.split())
    done = assay.json("ingest", source)

    assert "They are called faithfulness, tone, user-feedback." in shown
    assert (done["feedback"], done["scores"], done["quarantined"]) == (1, 1, 0)
    assert done["evaluations"] == ["faithfulness", "tone", "user-feedback"]
    assert assay.sql("select item_id, sign from feedback") == [("a", -1)]
    assert assay.sql("select value from scores") == [(0.86,)]
    for command in (["feedback"], ["scores", "import"]):
        again = assay.json(*command, source)
        assert (again["new"], again["quarantined"]) == (0, 0)


def test_a_column_that_the_user_maps_is_no_score(assay: Assay) -> None:
    source = assay.write("t.json", json.dumps([exported(found=["On the roof."])]))

    done = assay.json("ingest", source, "--map", "contexts=found")

    assert (done["scores"], done["evaluations"]) == (0, [])
    assert assay.sql("select contexts from texts") == [('["On the roof."]',)]


METRIC = {"name": "Faithfulness", "score": 0.0, "reason": "It says else.", "evaluationModel": "gpt-x", "success": False}
CASE = {
    "input": "Where?",
    "actualOutput": "There.",
    "retrievalContext": ["Here."],
    "metricsData": [METRIC, {**METRIC, "name": "Correctness [GEval]", "score": 0.5}, {"name": "Broken", "score": None}],
}


@pytest.mark.parametrize("within", [lambda run: run, lambda run: {"testRunData": run}], ids=["run", "latest run"])
def test_the_metrics_of_a_deepeval_test_run_are_scores(assay: Assay, within: Any) -> None:
    source = assay.write("t.json", json.dumps(within({"testFile": None, "testCases": [CASE]})))
    assay("ingest", source)
    first = assay.sql("select j.judge, j.signature, s.value from scores s join judges j on j.key = s.judge order by 1")

    again = assay.json("scores", "import", source)

    assert first == [
        ("Correctness__GEval_", "Correctness__GEval_|deepeval|gpt-x", 0.5),
        ("faithfulness", "faithfulness|deepeval|gpt-x", 0.0),
    ]
    assert (again["new"], again["quarantined"], again["none"]) == (0, 0, {"empty": 1})


SAVED = {
    **{"input": "Where?", "actual_output": "There.", "expected_output": "", "context": "", "source_file": ""},
    "retrieval_context": "Here.|There, too.",
}


def test_passages_in_a_table_that_deepeval_saved_are_parted(assay: Assay) -> None:
    """The bar is its own: in a table of other columns it belongs to the passage."""
    without_source = {name: value for name, value in SAVED.items() if name != "source_file"}

    assay("ingest", assay.write("saved.csv", table([SAVED])), assay.write("other.csv", table([without_source])))

    assert assay.sql("select contexts from texts order by length(contexts)") == [
        ('["Here.|There, too."]',),
        ('["Here.","There, too."]',),
    ]


def record(**changes: object) -> dict[str, object]:
    calls = [
        {"stack": [{"method": {"name": "rerank_query"}}], "rets": "no passage"},
        {"stack": [{"method": {"name": "retrieve"}}], "rets": ["Here.", "It's there."]},
    ]
    own = {"record_id": "r", "app_version": "v2", "input": "Where?", "output": "There.", "ts": "2026-11-20 08:00:00"}
    asked = [{"args": {"question": "Where?", "context": 'It\'s "judged".'}, "ret": 0.5}]
    scores = {"Groundedness": 0.5, "Context Relevance_calls": asked}
    return {**own, "record_json": json.dumps({"calls": calls}), "perf_json": "{}", **scores, **changes}


@pytest.mark.parametrize(
    ("changes", "contexts"),
    [({}, '["Here.","It\'s there."]'), ({"record_json": "{}"}, '["It\'s \\"judged\\"."]')],
    ids=["of a retriever", "of a feedback function"],
)
def test_the_table_of_records_of_trulens_is_read(assay: Assay, changes: Mapping[str, object], contexts: str) -> None:
    source = assay.write("t.csv", table([record(**changes), record(record_id="empty", output="")]))

    done = assay.json("ingest", source)
    scores = assay.json("scores", "import", source)

    assert (done["added"], done["sources"][0]["format"]) == (2, "trulens_records")
    assert done["sources"][0]["without_words"] == 1
    assert assay.sql("select id, system, timestamp from items where id = 'r'") == [
        ("r", "v2", "2026-11-20T08:00:00.000Z")
    ]
    assert (contexts,) in assay.sql("select contexts from texts")
    assert "Groundedness" in scores["judges"]
