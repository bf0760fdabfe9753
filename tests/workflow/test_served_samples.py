"""What Phoenix, MLflow and Open WebUI export of the same three answers: conversations, thumbs and scores as they went in.

README.md of the samples says which version of which server wrote them; `make_served.py` there is what went in.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.store import Assay, read

SAMPLES = Path(__file__).parents[1] / "samples"
WARD, PHARMACY, PARK = "When did ward 3 move?", "Where is the pharmacy?", "Can I park at night?"
BEFORE = [{"role": "user", "text": WARD}, {"role": "assistant", "text": "Ward 3 moved in 2018."}]
SERVED = [
    *("phoenix.spans.jsonl", "phoenix.frame.csv", "phoenix.otlp.json"),
    *("mlflow.traces.jsonl", "mlflow.frame.csv", "mlflow.search.json"),
    *("open_webui.feedback.json", "open_webui.chats.json"),
]


def asked(assay: Assay) -> dict[str, str]:
    """The ids of the answers, and what each answers."""
    return dict(assay.sql("SELECT i.id, t.question FROM items i JOIN texts t USING (key) WHERE i.is_current"))


def votes(assay: Assay) -> set[tuple[object, ...]]:
    """Question, sign, comment and correction of each feedback in the store."""
    of = asked(assay)
    kept = assay.sql("SELECT item_id, sign, comment, correction FROM feedback")
    return {(of[item], sign, comment, correction) for item, sign, comment, correction in kept}


def scores(assay: Assay) -> set[tuple[object, ...]]:
    """Question, judge, value and reason of each score."""
    of = asked(assay)
    assay("scores", "export", "scores.jsonl")
    rows = read(assay.folder / "scores.jsonl")
    return {(of[row["item_id"]], row["judge"], row["value"], row.get("reason") or "") for row in rows}


JUDGED = {
    *((question, "correctness", float(question != WARD), "says so") for question in (WARD, PHARMACY, PARK)),
    *((question, "brevity", 0.5, "") for question in (WARD, PHARMACY, PARK)),
}


@pytest.mark.parametrize("name", SERVED)
def test_a_conversation_is_one_group_and_becomes_history(assay: Assay, name: str) -> None:
    """The second question follows the first; the third is a conversation of its own."""
    assay("ingest", str(SAMPLES / name))

    rows = assay.sql('SELECT t.question, t.history, i."group" FROM items i JOIN texts t USING (key)')
    history = {question: json.loads(turns or "[]") for question, turns, _ in rows}
    group = {question: of for question, _, of in rows}
    assert history == {WARD: [], PHARMACY: BEFORE, PARK: []}
    assert group[WARD] == group[PHARMACY] != group[PARK]


@pytest.mark.slow
@pytest.mark.parametrize("spans", ["phoenix.spans.jsonl", "phoenix.frame.csv", "phoenix.otlp.json"])
def test_annotations_of_phoenix_find_their_answers(assay: Assay, spans: str) -> None:
    """They name a span: people's are thumbs, those of evaluators scores, those of documents neither."""
    annotations = str(SAMPLES / "phoenix.annotations.csv")
    assay("feedback", annotations)  # before their answers
    assay("ingest", str(SAMPLES / spans))

    assay("scores", "import", annotations)

    assert votes(assay) == {(WARD, -1, "it was 2019", None), (PHARMACY, 1, None, None), (PARK, 1, None, None)}
    assert scores(assay) == JUDGED


@pytest.mark.parametrize("name", ["mlflow.traces.jsonl", "mlflow.frame.csv", "mlflow.search.json"])
def test_assessments_of_mlflow_come_with_their_traces(assay: Assay, name: str) -> None:
    """An expectation is a correction; of an assessment that was overridden the later one counts alone."""
    ingested = assay.json("ingest", str(SAMPLES / name))

    assert (ingested["added"], ingested["quarantined"]) == (3, 0)
    thumbs = {(WARD, -1, "it was 2019", None), (PHARMACY, 1, None, None), (PARK, 1, None, None)}
    assert votes(assay) == thumbs | {(WARD, 0, None, "In 2019.")}
    assert assay.sql("SELECT sign FROM feedback WHERE source = 'mlflow: helpful'") == [(1,)]
    assert scores(assay) == JUDGED


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [("mlflow.search.json", "mlflow.traces.jsonl"), ("mlflow.traces.jsonl", "mlflow.search.json")]
)
def test_a_trace_that_comes_with_its_spans_and_without_is_one_answer(assay: Assay, names: tuple[str, str]) -> None:
    """What the server says of a trace stands in for its root, and never beside it; nothing comes twice."""
    for name in names:
        assay("ingest", str(SAMPLES / name))

    rows = assay.sql("SELECT t.contexts FROM items i JOIN texts t USING (key) WHERE i.is_current")
    assert [len(json.loads(contexts)) for (contexts,) in rows] == [2, 2, 2]
    assert len(votes(assay)) == 4
    assert scores(assay) == JUDGED


def test_thumbs_of_open_webui_come_with_their_answers(assay: Assay) -> None:
    """The rating, and the reason beside the comment; the same file as feedback adds nothing."""
    path = str(SAMPLES / "open_webui.feedback.json")

    ingested, again = assay.json("ingest", path), assay.json("feedback", path)

    assert (ingested["added"], ingested["feedback"], again["new"]) == (3, 3, 0)
    down, up = "it was 2019\nnot_factually_correct", "accurate_information"
    assert votes(assay) == {(WARD, -1, down, None), (PHARMACY, 1, up, None), (PARK, 1, up, None)}
