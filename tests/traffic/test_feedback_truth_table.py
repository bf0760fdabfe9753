"""The truth table of feedback: every source times every value that it may write, to a sign, or to no vote at all.

A value is read on the scale of the numbers beside it, so rows of scales go in together; the value as it came is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from annotate.domain.feedback import Feedback, read_value
from annotate.store import Store
from annotate.traffic.feedback_rows import SOURCES, NoFeedback, read_feedback
from annotate.workflow.ingest.receive import feedback_rows
from proxy.errors import InputError
from support.store import NOW, Assay, traffic_row

Row = Mapping[str, object]
Make = Callable[[str, object], Row]

WORDS: Sequence[tuple[object, int]] = [
    *(
        (word, -1)
        for word in (
            "down",
            "DOWN",
            " Thumbs Down ",
            "thumbs-down",
            "thumb_down",
            ":thumbsdown:",
            "No",
            "false",
            "NEGATIVE",
        )
    ),
    *(
        (word, -1)
        for word in (
            "dislike",
            "Bad",
            "not helpful",
            "Incorrect",
            "👎",
            "👎🏿",
            "😡",
            "☹️",
            "差評",
            "没用",
            "싫어요",
            "Nein",
            "NON",
        )
    ),
    *(
        (word, 1)
        for word in ("up", "UP", "Thumbs Up", "thumbs-up", "thumb_up", ":thumbsup:", "Yes", "TRUE", "Positive")
    ),
    *(
        (word, 1)
        for word in (
            "like",
            "Good",
            "helpful",
            "Correct",
            "👍",
            "👍🏽",
            "😊",
            "❤️",
            "好評",
            "有用",
            "좋아요",
            "Ja",
            "Oui",
            "SÍ",
        )
    ),
    *((word, 0) for word in ("neutral", "😐", "보통")),
    *((word, -1) for word in ("★☆☆☆☆", "★★☆☆☆", "1/5", "2 of 5", "1 out of 10", "2/5 stars")),
    *((word, 0) for word in ("★★★☆☆", "3/5")),
    *((word, 1) for word in ("★★★★☆", "★★★★★", "4/5", "5 out of 5 stars", "9/10")),
    (True, 1),
    (False, -1),
]
NO_VOTES: Sequence[object] = (None, "", "  ", "none", "NULL", "NaN", "n/a", "no vote", "skipped", "unrated")
# The numbers that a source writes, and the sign of each; what each is by itself, before the others are known.
SCALES: Mapping[str, Sequence[tuple[object, int]]] = {
    "-1 and 1": [(-1, -1), (1, 1)],
    "-1, 0 and 1": [(-1, -1), (0, 0), (1, 1)],
    "texts of -1 and 1": [("-1", -1), ("+1", 1), ("1.0", 1)],
    "0 and 1": [(0, -1), (1, 1)],
    "texts of 0 and 1": [("0", -1), ("1", 1), ("0.0", -1)],
    "shares": [(0.0, -1), (0.3, -1), (0.5, 0), (0.7, 1), (1.0, 1)],
    "stars": [(1, -1), (2, -1), (3, 0), (4, 1), (5, 1)],
    "stars from 0": [(0, -1), (1, -1), (2, 0), (3, 1), (4, 1)],
    "up to 10": [(1, -1), (4, -1), (8, 1), (10, 1)],
    "up to 100": [(10, -1), (50, 0), (95, 1), (100, 1)],
}
UNREADABLE: Sequence[object] = ("maybe later", "12 apples", [1], {"a": 1}, 1e9, "7/5")


def own(item: str, value: object) -> Row:
    return {"item_id": item, "value": value}


def langfuse(item: str, value: object) -> Row:
    is_text = isinstance(value, str)
    kind = "CATEGORICAL" if is_text else "BOOLEAN" if isinstance(value, bool) else "NUMERIC"
    number, text = (None, value) if is_text else (value, None)
    return {
        **{"id": f"s-{item}", "traceId": item, "name": "user-feedback", "source": "API", "dataType": kind},
        **{"value": number, "stringValue": text, "timestamp": "2026-11-20T08:00:00Z"},
    }


def phoenix(item: str, value: object) -> Row:
    result = {"label": value} if isinstance(value, str) else {"score": value}
    return {"trace_id": item, "span_id": "s", "name": "user feedback", "annotator_kind": "HUMAN", "result": result}


def langsmith(item: str, value: object) -> Row:
    place = {"value": value, "score": None} if isinstance(value, str) else {"score": value, "value": None}
    return {"run_id": "r", "trace_id": item, "key": "user_score", **place, "feedback_source": {"type": "api"}}


def mlflow(item: str, value: object) -> Row:
    source = {"source_type": "HUMAN", "source_id": "u"}
    return {"assessment_name": "thumb", "source": source, "trace_id": item, "feedback": {"value": value}}


def telemetry(item: str, value: object) -> Row:
    place = "label" if isinstance(value, str) else "value"
    named = {"gen_ai.evaluation.name": "user_feedback", f"gen_ai.evaluation.score.{place}": value}
    return {"trace_id": item, "name": "gen_ai.evaluation.result", "attributes": named}


def open_webui(item: str, value: object) -> Row:
    return {"id": "f", "type": "rating", "data": {"rating": value}, "meta": {"message_id": item}}


def chainlit(item: str, value: object) -> Row:
    return {"forId": item, "threadId": "t", "value": value}


MAKERS: Mapping[str, Make] = {
    "own": own,
    **{"langfuse": langfuse, "phoenix": phoenix, "langsmith": langsmith, "mlflow": mlflow},
    **{"opentelemetry": telemetry, "open_webui": open_webui, "chainlit": chainlit},
}


def read(row: Row) -> Feedback | NoFeedback:
    (feedback,) = read_feedback(row, {})
    return feedback


def test_every_source_is_in_the_table() -> None:
    """A new source has to be added here, unless no user ever gave its values."""
    assert set(MAKERS) == {"own", *(source.title for source in SOURCES)} - {"deepeval"}


@pytest.mark.parametrize("source", MAKERS)
def test_words_truth_values_and_drawn_stars(source: str) -> None:
    """In any case, with skin tones, in other languages; what says neither is kept only where somebody said so in words."""
    for value, sign in WORDS:
        feedback = read(MAKERS[source]("t", value))

        if sign == 0 and read_value(value)[1] is None and not isinstance(feedback, Feedback):
            assert feedback is NoFeedback.NO_VOTE, value
            continue
        assert isinstance(feedback, Feedback), value
        assert (feedback.item_id, feedback.sign, feedback.value) == ("t", sign, str(value))


@pytest.mark.parametrize("source", MAKERS)
def test_no_vote_is_never_a_thumb_down(source: str) -> None:
    """None of `st.feedback`, an empty cell, NaN: counted as no vote, or refused where the tool's row lacks its own field."""
    for value in NO_VOTES:
        try:
            feedback = read(MAKERS[source]("t", value))
        except InputError:
            assert value in (None, ""), value
            continue
        assert feedback in (NoFeedback.NO_VOTE, NoFeedback.OTHER_NAME), value


@pytest.mark.parametrize("source", MAKERS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("order", [1, -1], ids=["in order", "the other way round"])
def test_numbers_on_the_scale_of_their_source(store: Store, source: str, scale: str, order: int) -> None:
    """Whatever came first: 1 is up among 0 and 1 and the worst of five stars; the raw value is kept."""
    values = SCALES[scale][::order]
    rows = [MAKERS[source](f"t{number}", value) for number, (value, _) in enumerate(values)]
    for row in rows:
        received = feedback_rows(store, [row], origin="here", now=NOW)
        assert not received.refused
    kept = dict(store._db.conn.execute("SELECT item_id, sign FROM feedback"))
    raw = dict(store._db.conn.execute("SELECT item_id, value FROM feedback"))

    assert kept == {f"t{number}": sign for number, (_, sign) in enumerate(values)}
    assert raw == {f"t{number}": str(value) for number, (value, _) in enumerate(values)}


@pytest.mark.parametrize("value", UNREADABLE, ids=repr)
def test_what_is_no_vote_at_all_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        read_value(value)


@pytest.mark.parametrize("early", [True, False], ids=["before its answer", "after its answer"])
@pytest.mark.parametrize("source", ["own", "langfuse", "langsmith", "mlflow"])
def test_a_correction_becomes_a_candidate_from_each_source(assay: Assay, source: str, early: bool) -> None:
    """Whichever comes first; the candidate names its sender, and nobody accepts it by itself."""
    rows: Mapping[str, Row] = {
        "own": {"item_id": "a", "value": -1, "correction": "On the roof.", "source": "chat"},
        "langfuse": {
            **langfuse("a", None),
            **{"name": "correction", "dataType": "CORRECTION", "stringValue": "On the roof.", "source": "ANNOTATION"},
        },
        "langsmith": {**langsmith("a", 0), "correction": {"answer": "On the roof."}},
        "mlflow": {**mlflow("a", None), "feedback": None, "expectation": {"value": "On the roof."}},
    }
    traffic, thumbs = assay.write("t.jsonl", [traffic_row("a")]), assay.write("f.jsonl", [rows[source]])
    for command in [("feedback", thumbs), ("ingest", traffic)][:: 1 if early else -1]:
        assay(*command)
    (entry,) = assay.json("gold", "list")["gold"]

    assert (entry["status"], entry["source"], entry["reference"]) == (
        *("candidate", "an end user's correction", "On the roof."),
    )
