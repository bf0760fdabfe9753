"""Logged calls that no user saw an answer of are counted as what they are; ratings within chats are users' feedback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from support.store import Assay

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}]


def reply(**message: object) -> dict[str, Any]:
    return {"object": "chat.completion", "choices": [{"message": {"role": "assistant", **message}}]}


def call(name: str, **row: object) -> dict[str, object]:
    return {"id": name, "messages": MESSAGES, "status": "success", "response": reply(content="There."), **row}


TOOL = [{"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}]
VECTOR = {"object": "list", "data": [{"object": "embedding", "embedding": [0.5]}]}
SHAPES: dict[str, tuple[str, dict[str, object]]] = {
    "litellm, failed": ("failed", {"status": "failure", "response": None, "error_str": "429"}),
    "litellm, embedding": ("embedding", {"call_type": "aembedding", "response": VECTOR}),
    "litellm, tool": ("tool_call", {"response": reply(content=None, tool_calls=TOOL)}),
    "openai, embedding by its reply": ("embedding", {"response": VECTOR}),
    "anthropic, tool": ("tool_call", {"response": {"role": "assistant", "content": [{"type": "tool_use", "id": "t"}]}}),
    "responses, tool": ("tool_call", {"response": {"output": [{"type": "function_call", "name": "f"}]}}),
    "transcript that ends with a tool": (
        "tool_call",
        {"response": None, "messages": [*MESSAGES, {"role": "assistant", "content": None, "tool_calls": TOOL}]},
    ),
    "helicone, failed": ("failed", {"response_status": 429, "response": {"error": {"message": "rate limit"}}}),
}


@pytest.mark.parametrize(("why", "row"), SHAPES.values(), ids=SHAPES)
def test_a_call_without_an_answer_is_counted_as_what_it_was(assay: Assay, why: str, row: Mapping[str, object]) -> None:
    """Nothing is in quarantine, so that a nightly log of a gateway ends with status 0."""
    done = assay.json("ingest", assay.write("t.jsonl", [call("a"), call("b", **row)]))

    assert (done["added"], done["quarantined"], done["unanswered"]) == (1, 0, {why: 1})


def test_a_call_that_says_nothing_of_a_failure_is_quarantined(assay: Assay) -> None:
    """A question without an answer in a log of successes is a fault of the log."""
    done = assay.json("ingest", assay.write("t.jsonl", [call("a"), call("b", response=None)]), status=4)

    assert (done["quarantined"], done["unanswered"]) == (1, {})


def test_what_was_answered_after_a_tool_is_an_answer(assay: Assay) -> None:
    after = [
        *MESSAGES,
        {"role": "assistant", "content": None, "tool_calls": TOOL},
        {"role": "tool", "content": "Here."},
    ]

    done = assay.json("ingest", assay.write("t.jsonl", [call("a", messages=after)]))

    assert (done["added"], done["unanswered"]) == (1, {})
    assert assay.sql("select contexts, answer from texts") == [('["Here."]', "There.")]


@pytest.mark.slow
def test_the_counts_are_on_the_screen_and_a_column_is_proposed_as_group(assay: Assay) -> None:
    rows = [
        call("a", trace_id="t"),
        call("b", call_type="embedding", response=VECTOR),
        call("c", status="failure", response=None),
    ]

    text = " ".join(assay("ingest", assay.write("t.jsonl", rows)).stdout.split())

    assert "Beside these: 1 embedding, 1 failed call without an answer." in text
    assert "If trace_id names a conversation or a session: `--map group=trace_id`." in text
    again = assay("ingest", assay.write("t.jsonl", rows), "--map", "group=trace_id").stdout
    assert "has a group" not in again


def test_a_session_of_helicone_is_the_group(assay: Assay) -> None:
    body = {"request_body": {"messages": MESSAGES}, "response_body": reply(content="There.")}
    row = {"request_id": "r", **body, "request_properties": {"Helicone-Session-Id": "s1"}}

    assay("ingest", assay.write("t.jsonl", [row]), "--map", "id=request_id")

    assert assay.sql('select id, "group" from items') == [("r", "s1")]


def message(name: str, parent: str | None, content: str, **more: object) -> dict[str, object]:
    role = "user" if content.endswith("?") else "assistant"
    return {"id": name, "parentId": parent, "role": role, "content": content, **more}


def chat(*messages: Mapping[str, object]) -> str:
    tree = {str(each["id"]): dict(each) for each in messages}
    return json.dumps([{"id": "c", "chat": {"history": {"messages": tree}}}])


CHAT = chat(
    message("q1", None, "Where?"),
    message("a1", "q1", "There.", annotation={"rating": -1, "comment": "No, here."}),
    message("q2", "a1", "When?"),
    message("a2", "q2", "", error={"content": "500"}),
)


def test_a_chat_of_open_webui_brings_its_ratings_and_counts_what_failed(assay: Assay) -> None:
    source = assay.write("t.json", CHAT)

    done = assay.json("ingest", source)
    again = assay.json("feedback", source)

    assert (done["added"], done["feedback"], done["quarantined"]) == (1, 1, 0)
    assert done["unanswered"] == {"failed": 1}
    assert assay.sql("select item_id, sign, comment from feedback") == [("a1", -1, "No, here.")]
    assert (again["new"], again["quarantined"], again["thumbs_down"]) == (0, 0, 1)


def test_an_empty_message_that_did_not_fail_is_quarantined(assay: Assay) -> None:
    source = assay.write(
        "t.json", chat(message("q", None, "Where?"), message("a", "q", ""), message("b", "q", "Here."))
    )

    done = assay.json("ingest", source, status=4)

    assert (done["added"], done["quarantined"], done["unanswered"]) == (1, 1, {})
