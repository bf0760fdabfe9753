"""Feedback as seven tools write it: what an end user said, and what is no end user's."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from annotate.domain.feedback import Feedback
from annotate.traffic.feedback_rows import SOURCES, NoFeedback, read_feedback
from proxy.errors import InputError

Row = Mapping[str, object]


def langfuse(**own: object) -> Row:
    """A score of Langfuse's API."""
    score = {"id": "s", "traceId": "t", "observationId": None, "name": "user-feedback", "source": "API"}
    return {**score, "dataType": "NUMERIC", "value": 0, "stringValue": None, "timestamp": "2026-11-20T08:00:00Z", **own}


def phoenix(**own: object) -> Row:
    """A span annotation of Phoenix."""
    return {"span_id": "s1", "name": "user feedback", "annotator_kind": "HUMAN", "result": {"score": 0}, **own}


def langsmith(**own: object) -> Row:
    """A feedback of LangSmith."""
    feedback = {"run_id": "r", "trace_id": "t", "key": "user_score", "score": 0, "comment": None, "correction": None}
    return {**feedback, "feedback_source": {"type": "api"}, **own}


def mlflow(**own: object) -> Row:
    """An assessment of MLflow."""
    assessment = {"assessment_name": "thumb", "source": {"source_type": "HUMAN", "source_id": "u"}, "trace_id": "t"}
    return {**assessment, "feedback": {"value": False}, "rationale": "wrong year", **own}


def telemetry(name: str, **own: object) -> Row:
    """An evaluation event of OpenTelemetry."""
    attributes = {"gen_ai.evaluation.name": name, **{f"gen_ai.evaluation.{key}": value for key, value in own.items()}}
    return {"trace_id": "t", "name": "gen_ai.evaluation.result", "attributes": attributes}


def open_webui(rating: object, **data: object) -> Row:
    """A rating of Open WebUI."""
    return {
        "id": "f",
        "type": "rating",
        "data": {"rating": rating, **data},
        "meta": {"message_id": "m"},
        "created_at": 1763625600,
    }


@pytest.mark.parametrize(
    ("row", "item_id", "sign"),
    [
        (langfuse(), "t", -1),
        (langfuse(value=1), "t", 1),
        (langfuse(dataType="BOOLEAN", value=0, stringValue="False"), "t", -1),
        (langfuse(dataType="CATEGORICAL", value=None, stringValue="good"), "t", 1),
        ({"trace_id": "t", "name": "rating", "data_type": "NUMERIC", "value": 1, "source": "API"}, "t", 1),
        (phoenix(), "s1", -1),
        (phoenix(trace_id="t", result={"label": "thumbs-up", "score": 1}), "t", 1),
        (phoenix(result={"label": "user-liked-it", "score": 1.0}), "s1", 1),
        (langsmith(), "t", -1),
        (langsmith(trace_id=None, score=1), "r", 1),
        (langsmith(score=None, value="down"), "t", -1),
        (mlflow(), "t", -1),
        (mlflow(feedback={"value": "yes"}), "t", 1),
        (telemetry("user_feedback", **{"score.value": 0}), "t", -1),
        (telemetry("thumbs", **{"score.label": "up"}), "t", 1),
        (open_webui(-1), "m", -1),
        (open_webui("1"), "m", 1),
        ({"forId": "m", "threadId": "c", "value": 0, "comment": "no"}, "m", -1),
        ({"for_id": "m", "value": 1}, "m", 1),
        ({"trace_id": "t", "value": "down"}, "t", -1),
    ],
    ids=repr,
)
def test_a_thumb_of_each_tool_lands_on_its_answer_with_its_sign(row: Row, item_id: str, sign: int) -> None:
    """By trace where the tool names one; -1, 0, false, "down" are down, whichever the tool writes."""
    (feedback,) = read_feedback(row, {})

    assert isinstance(feedback, Feedback)
    assert (feedback.item_id, feedback.sign) == (item_id, sign)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (langfuse(source="EVAL"), NoFeedback.AUTOMATIC),
        (langfuse(source="ANNOTATION"), NoFeedback.EXPERT),
        (langfuse(name="faithfulness", value=0.7), NoFeedback.OTHER_NAME),
        (langfuse(dataType="CORRECTION", value=None, stringValue="In 2019.", source="EVAL"), NoFeedback.AUTOMATIC),
        (langfuse(value=None), NoFeedback.NO_VOTE),
        (phoenix(annotator_kind="LLM"), NoFeedback.AUTOMATIC),
        (phoenix(annotator_kind="CODE"), NoFeedback.AUTOMATIC),
        (phoenix(document_position=0), NoFeedback.PASSAGE),
        (phoenix(name="hallucination"), NoFeedback.OTHER_NAME),
        (langsmith(feedback_source={"type": "model"}), NoFeedback.AUTOMATIC),
        (langsmith(feedback_source={"type": "app"}), NoFeedback.EXPERT),
        (langsmith(score=None), NoFeedback.NO_VOTE),
        (mlflow(source={"source_type": "LLM_JUDGE"}), NoFeedback.AUTOMATIC),
        (mlflow(valid=False), NoFeedback.REPLACED),
        (mlflow(valid="False"), NoFeedback.REPLACED),
        (telemetry("relevance", **{"score.value": 0.4}), NoFeedback.OTHER_NAME),
        (open_webui(None), NoFeedback.NO_VOTE),
        ({"item_id": "a", "value": None}, NoFeedback.NO_VOTE),
    ],
    ids=repr,
)
def test_what_no_user_gave_is_no_thumb(row: Row, why: NoFeedback) -> None:
    """Scores of evaluators, verdicts of experts and passages are counted by the reason, and quarantine nothing."""
    assert read_feedback(row, {}) == (why,)


def test_a_name_that_a_user_vouches_for_is_feedback() -> None:
    """`--name` overrules what the tool does not say."""
    (feedback,) = read_feedback(langfuse(name="quality", value=1), {}, names=["quality"])

    assert isinstance(feedback, Feedback)
    assert (feedback.sign, feedback.source) == (1, "langfuse: quality")


@pytest.mark.parametrize(
    ("row", "correction"),
    [
        (langfuse(name="c", dataType="CORRECTION", value=None, stringValue="In 2019."), "In 2019."),
        (langfuse(dataType="CORRECTION", value=None, stringValue="In 2019.", source="ANNOTATION"), "In 2019."),
        (langsmith(score=None, correction={"answer": "In 2019."}), "In 2019."),
        (langsmith(score=None, correction="In 2019."), "In 2019."),
        (mlflow(assessment_name="expected_response", feedback=None, expectation={"value": "In 2019."}), "In 2019."),
    ],
    ids=repr,
)
def test_a_correction_is_kept_as_written_without_a_sign(row: Row, correction: str) -> None:
    """It is a candidate for the gold set; whoever wrote it."""
    (feedback,) = read_feedback(row, {})

    assert isinstance(feedback, Feedback)
    assert (feedback.correction, feedback.sign) == (correction, 0)


def test_words_beside_a_thumb_are_kept() -> None:
    """Comment and reason of Open WebUI, the rationale of MLflow."""
    (rating,) = read_feedback(open_webui(-1, comment="it was 2019", reason="Not factually correct"), {})
    (assessment,) = read_feedback(mlflow(), {})

    assert isinstance(rating, Feedback)
    assert isinstance(assessment, Feedback)
    assert (rating.comment, rating.at) == ("it was 2019\nNot factually correct", "2025-11-20T08:00:00.000Z")
    assert assessment.comment == "wrong year"


def test_a_trace_of_mlflow_gives_each_of_its_assessments() -> None:
    """A trace as a whole holds thumbs, judges' scores and expectations."""
    judge = {**mlflow(source={"source_type": "LLM_JUDGE"}), "trace_id": None}
    trace = {"info": {"trace_id": "tr", "assessments": [{**mlflow(), "trace_id": "tr"}, {**judge, "trace_id": "tr"}]}}

    first, second = read_feedback(trace, {})

    assert isinstance(first, Feedback)
    assert (first.item_id, first.sign) == ("tr", -1)
    assert second is NoFeedback.AUTOMATIC


def test_an_annotation_of_a_session_names_no_answer() -> None:
    """It cannot be laid on one of the session's answers."""
    with pytest.raises(InputError, match="names no trace"):
        read_feedback(
            {"session_id": "s", "name": "user feedback", "annotator_kind": "HUMAN", "result": {"score": 1}}, {}
        )


def test_no_two_tools_claim_the_same_row() -> None:
    """Each row above is read by one source alone."""
    rows = [
        langfuse(),
        phoenix(),
        langsmith(),
        mlflow(),
        telemetry("thumbs"),
        open_webui(1),
        {"forId": "m", "value": 1},
        {"item_id": "i", "by": "metric", "metricsData": {"name": "Faithfulness", "score": 1}},
    ]

    claims = [[source.title for source in SOURCES if source.recognises(row)] for row in rows]

    assert [titles for titles in claims if len(titles) != 1] == []
    assert len({title for titles in claims for title in titles}) == len(SOURCES)
