"""Attributes of spans: those of Vercel's AI SDK, and those that no convention knows."""

from __future__ import annotations

import json

from support.spans import span
from support.store import Assay

ASKED = ["Can I park at night?", "When did ward 3 move?"]
GIVEN = ["Yes, the car park is open all night.", "Ward 3 moved in 2018."]
PASSAGES = [["The car park is open all night."], ["Ward 3 moved in 2019."]]


def test_spans_of_the_ai_sdk_of_vercel(assay: Assay) -> None:
    """The call holds the answer of its last step; what its tools gave stands between the messages of that step."""
    asked = {"role": "user", "content": [{"type": "text", "text": ASKED[1]}]}
    called = {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "find", "input": {}}],
    }
    given = {
        "type": "tool-result",
        "toolCallId": "c",
        "toolName": "find",
        "output": {"type": "text", "value": PASSAGES[1][0]},
    }
    messages = [asked, called, {"role": "tool", "content": [given]}]
    root = span("1" * 32, "a" * 16, None, 0)
    root["attributes"] = {
        "ai.operationId": "ai.streamText",
        "ai.prompt": json.dumps({"system": "Be brief.", "messages": [asked]}),
        "ai.response.text": GIVEN[1],
        "ai.telemetry.metadata.sessionId": "s1",
    }
    step = span("1" * 32, "b" * 16, "a" * 16, 1)
    step["attributes"] = {
        "ai.operationId": "ai.streamText.doStream",
        "ai.prompt.messages": json.dumps(messages),
        "ai.response.text": GIVEN[1],
    }

    assay("ingest", assay.write("t.jsonl", [step, root]))

    [row] = assay.sql('SELECT t.question, t.answer, t.contexts, i."group" FROM items i JOIN texts t USING (key)')
    assert row == (ASKED[1], GIVEN[1], json.dumps([PASSAGES[1][0]]), "s1")


def test_attributes_that_no_convention_knows_are_named(assay: Assay) -> None:
    """So that the two of them can be mapped; a server's root above an answer needs nothing."""
    own = span("1" * 32, "a" * 16, None, 0)
    own["attributes"] = {"app.id": "7", "app.ask": ASKED[0], "app.reply": GIVEN[0]}
    file = assay.write("t.jsonl", [own])

    out = " ".join(assay("ingest", file, "--dry-run").stdout.split())

    for name in ("question", "answer"):
        keys = "attributes has app.ask, app.reply, app.id"
        assert f"No {name} can be told in 1 root span: {keys}. Add `--map {name}=attributes.KEY`." in out
    paths = ("--map", "question=attributes.app.ask", "--map", "answer=attributes.app.reply")
    assert assay.json("ingest", file, *paths)["added"] == 1
    served = span("2" * 32, "c" * 16, None, 0)
    served["attributes"] = {"http.route": "/chat now", "http.method": "POST"}
    model = span("2" * 32, "d" * 16, "c" * 16, 1)
    model["attributes"] = {"gen_ai.operation.name": "chat", "gen_ai.prompt": ASKED[1], "gen_ai.completion": GIVEN[1]}
    other = assay.write("served.jsonl", [served, model])
    assert "can be told" not in assay("ingest", other).stdout
