"""Scores of a tracer's own judges: told apart from thumbs and experts, in before or after their item, on a scale that is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from support.store import Assay, read, traffic_row

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def langfuse(name: str, value: object, kind: str = "NUMERIC", **more: object) -> dict[str, object]:
    row = {"id": f"s-{name}-{value}", "traceId": "a", "name": name, "dataType": kind, "value": value}
    return {**row, "source": "EVAL", "timestamp": "2026-11-20T08:00:00Z", **more}


def attribute(name: str, value: object) -> dict[str, object]:
    kind = "stringValue" if isinstance(value, str) else "doubleValue"
    return {"key": name, "value": {kind: value}}


def event(name: str = "gen_ai.evaluation.result", **attributes: object) -> dict[str, object]:
    given = [attribute(key.replace("__", "."), value) for key, value in attributes.items()]
    return {"name": name, "timeUnixNano": "1795161600000000000", "attributes": given}


def request(*events: Mapping[str, object]) -> dict[str, object]:
    texts = [attribute("openinference.span.kind", "CHAIN"), attribute("input.value", "Where?")]
    span = {
        "traceId": TRACE,
        "spanId": SPAN,
        "name": "ask",
        "attributes": [*texts, attribute("output.value", "There.")],
    }
    scope = {"scope": {"name": "checker", "version": "2.1"}, "spans": [{**span, "events": list(events)}]}
    return {"resourceSpans": [{"scopeSpans": [scope]}]}


def kept(assay: Assay) -> list[dict[str, Any]]:
    assay("scores", "export", "kept.jsonl")
    return read(assay.folder / "kept.jsonl")


RESULT = event(
    gen_ai__evaluation__name="Relevance",
    gen_ai__evaluation__score__value=0.25,
    gen_ai__evaluation__score__label="poor",
    gen_ai__evaluation__explanation="of another ward",
)


@pytest.mark.slow
def test_an_evaluation_event_beside_its_span_is_a_score_of_a_judge(assay: Assay) -> None:
    """Number before label, the explanation as the reason, the library in the signature; a rule reads it."""
    done = assay.json("ingest", assay.write("s.jsonl", [request(RESULT)]))

    assert (done["added"], done["scores"], done["feedback"], done["quarantined"]) == (1, 1, 0, 0)
    assert kept(assay) == [
        {
            "item_id": TRACE,
            "judge": "Relevance",
            "value": 0.25,
            "reason": "of another ward",
            "signature": "Relevance|opentelemetry|checker 2.1",
            "reply": None,
        }
    ]
    assert assay.json("rule", "set", "Relevance > 0.2")["verdicts"]["pass"] == 1
    again = assay.json("ingest", str(assay.folder / "s.jsonl"))
    assert (again["scores"], len(kept(assay))) == (0, 1)


@pytest.mark.parametrize(
    ("older", "value"),
    [
        (event("gen_ai.evaluation.Relevance", gen_ai__evaluation__score=0.25), 0.25),
        (event(gen_ai__evaluator__name="Relevance", gen_ai__evaluation__label="pass"), 1.0),
        (event(gen_ai__evaluation__name="Relevance", gen_ai__evaluation__score__label="incorrect"), 0.0),
    ],
)
def test_older_names_and_labels_alone_say_the_same(assay: Assay, older: Mapping[str, object], value: float) -> None:
    assay("ingest", assay.write("s.jsonl", [request(older)]))

    assert [(row["judge"], row["value"]) for row in kept(assay)] == [("Relevance", value)]


def test_log_records_of_evaluations_find_their_trace_before_or_after_it(assay: Assay) -> None:
    record = {"traceId": TRACE, "spanId": SPAN, "eventName": RESULT["name"], "attributes": RESULT["attributes"]}
    logs = assay.write("logs.jsonl", [{"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}])

    early = assay.json("ingest", logs)
    assert (early["scores"], early["scores_without_item"]) == (0, 1)
    late = assay.json("ingest", assay.write("s.jsonl", [request()]))

    assert (late["scores"], late["scores_without_item"]) == (1, 0)
    assert kept(assay)[0]["value"] == 0.25


def test_a_users_thumb_among_evaluations_is_feedback(assay: Assay) -> None:
    thumb = event(gen_ai__evaluation__name="user_feedback", gen_ai__evaluation__score__value=0.0)
    done = assay.json("ingest", assay.write("s.jsonl", [request(thumb)]))

    assert (done["feedback"], done["scores"], kept(assay)) == (1, 0, [])


def test_scores_of_a_tool_come_in_and_the_rest_is_counted_by_its_kind(loaded: Assay) -> None:
    """Who gave a value decides, then its name: a thumb, an expert's verdict and a correction are no judge's scores."""
    rows = [
        langfuse("faithfulness", 0.75, comment="one claim of four"),
        langfuse("toxic", True, "BOOLEAN", source="API"),
        langfuse("grade", "good", "CATEGORICAL"),
        langfuse("user-feedback", 0, "BOOLEAN", source="API"),
        langfuse("verdict", 1, "BOOLEAN", source="ANNOTATION"),
        langfuse("output", "It was 2019.", "CORRECTION", source="ANNOTATION"),
        langfuse("tone", 1, sessionId="s1", traceId=None),
        langfuse("faithfulness", 0.5, subject={"kind": "observation", "id": "o1", "traceId": "b"}, traceId=None),
    ]
    done = loaded.json("scores", "import", loaded.write("s.jsonl", rows))

    assert (done["new"], done["quarantined"]) == (4, 0)
    assert done["none"] == {"feedback": 1, "expert": 1, "words": 1, "session": 1}
    assert [(row["item_id"], row["judge"], row["value"]) for row in kept(loaded)] == [
        *(("a", "faithfulness", 0.75), ("a", "grade", 1.0), ("a", "toxic", 1.0)),
        ("b", "faithfulness", 0.5),
    ]
    assert kept(loaded)[0]["signature"] == "faithfulness|langfuse|eval"


@pytest.mark.slow
def test_numbers_beyond_0_to_1_wait_for_their_scale_the_ones_among_them_too(loaded: Assay) -> None:
    """1 of 1 to 5 is the worst: (1 - 1) / (5 - 1) = 0, (4 - 1) / 4 = 0.75."""
    file = loaded.write("s.jsonl", [langfuse("quality", 1), langfuse("quality", 4, traceId="b")])

    first = loaded.json("scores", "import", file)
    assert (first["new"], [each["scores"] for each in first["scores_unscaled"]]) == (0, [2])
    assert "`--scale quality=WORST..BEST`" in loaded("scores", "import", file).stdout
    second = loaded.json("scores", "import", file, "--scale", "quality=1..5")

    assert (second["new"], second["scores_unscaled"]) == (2, [])
    assert [row["value"] for row in kept(loaded)] == [0.0, 0.75]
    third = loaded.json("scores", "import", loaded.write("t.jsonl", [langfuse("quality", 7, traceId="c")]))
    assert third["new"] == 0
    assert "not on the scale from 1 to 5" in loaded.quarantine()[0]["reason"]


def test_words_of_a_scale_are_spaced_evenly_and_unknown_ones_are_quarantined(loaded: Assay) -> None:
    rows = [
        langfuse("tone", word, "CATEGORICAL", traceId=item)
        for item, word in zip("abc", ("Bad", "fair", "odd"), strict=True)
    ]

    loaded("scores", "import", loaded.write("s.jsonl", rows), "--scale", "tone=bad,fair,fine")

    assert [(row["item_id"], row["value"]) for row in kept(loaded)] == [("a", 0.0), ("b", 0.5)]
    assert "none of bad, fair, fine" in loaded.quarantine()[0]["reason"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {"span_id": "a", "name": "qa", "annotator_kind": "LLM", "result": {"score": 0.5, "label": "correct"}},
            ("qa", 0.5, "qa|phoenix|llm"),
        ),
        (
            {"run_id": "a", "key": "exact", "score": 1, "feedback_source": {"type": "model"}},
            ("exact", 1.0, "exact|langsmith|model"),
        ),
        (
            {
                "info": {
                    "trace_id": "a",
                    "assessments": [
                        {
                            "assessment_name": "grounded",
                            "source": {"source_type": "LLM_JUDGE", "source_id": "gpt-x"},
                            "feedback": {"value": False},
                            "rationale": "no passage",
                        }
                    ],
                }
            },
            ("grounded", 0.0, "grounded|mlflow|llm_judge gpt-x"),
        ),
    ],
    ids=["phoenix", "langsmith", "mlflow"],
)
def test_each_tools_evaluators_become_judges(
    loaded: Assay, row: Mapping[str, object], expected: tuple[object, ...]
) -> None:
    loaded("scores", "import", loaded.write("s.jsonl", [row]))

    assert [(each["judge"], each["value"], each["signature"]) for each in kept(loaded)] == [expected]


@pytest.mark.slow
def test_a_forgotten_item_keeps_no_waiting_score(loaded: Assay) -> None:
    file = loaded.write("s.jsonl", [langfuse("q", 3), langfuse("q", 9, traceId="later", comment="its very words")])
    loaded("scores", "import", file)

    loaded("forget", "--item", "a", "--yes")
    loaded("scores", "import", file)

    assert loaded.sql("SELECT item_id FROM tool_scores") == [("later",)]
    loaded("ingest", loaded.write("later.jsonl", [traffic_row("later")]))
    assert loaded.json("scores", "import", file, "--scale", "q=1..10")["new"] == 1


@pytest.mark.slow
def test_a_night_reads_numbers_on_the_scale_of_the_settings(assay: Assay) -> None:
    """[ingest] scale holds for `assay run`: 4 of 1 to 5 is three quarters of the way; without the scale it is no score yet."""
    four = event(gen_ai__evaluation__name="Quality", gen_ai__evaluation__score__value=4)
    night = ("run", "--traffic", assay.write("s.jsonl", [request(four)]), "--without-labelling")

    without = assay.json(*night)["ingest"][0]["result"]
    assert (without["added"], without["scores"], len(without["scores_unscaled"])) == (1, 0, 1)

    assay.write("assay.toml", '[ingest]\nscale = ["Quality=1..5"]\n')
    scaled = assay.json(*night)["ingest"][0]["result"]
    assert (scaled["scores"], scaled["scores_unscaled"]) == (1, [])
    assert [row["value"] for row in kept(assay) if row["judge"] == "Quality"] == [0.75]
