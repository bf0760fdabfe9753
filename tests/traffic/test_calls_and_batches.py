"""Logged calls of models, batches of them, and stores of chats: what is read, and what is said where a part is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

from annotate import Project
from support.store import ROOT, Assay
from support.tool_rows import ASKED, GIVEN, PASSAGE, ROWS, items


def test_a_document_without_text_is_said_to_be_one() -> None:
    """A file in base64 is no passage that anybody could read; that it was sent is part of the question."""
    file = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
    asked = [
        {"role": "user", "content": [file, {"type": "text", "text": ASKED}]},
        {"role": "assistant", "content": GIVEN},
    ]

    [item] = items("chat", {"messages": asked})

    assert (item.question, item.contexts) == (f"[document]\n{ASKED}", ())


@pytest.mark.parametrize(
    "row",
    [
        {"key": "a", "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": GIVEN}]}}]}},
        {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": GIVEN}}]}}},
        {"custom_id": "a", "result": {"type": "succeeded", "message": {"role": "assistant", "content": GIVEN}}},
    ],
    ids=["gemini", "openai", "anthropic"],
)
def test_a_batch_without_its_requests_says_what_to_do(assay: Assay, row: Mapping[str, object]) -> None:
    """The answers alone are no use."""
    refused = assay("ingest", assay.write("t.jsonl", [row]), status=1)

    words = " ".join(refused.stderr.split())
    name = next(iter(row))
    assert f"a batch's results hold answers alone; put beside each, as `request`, the request of its {name}" in words


MESSAGE = {"role": "user", "content": ASKED}
REQUESTS = {
    "custom_id": {"method": "POST", "url": "/v1/chat/completions", "body": {"messages": [MESSAGE]}},
    "key": {"request": {"contents": [{"role": "user", "parts": [{"text": ASKED}]}]}},
}
RESULTS: Mapping[str, Mapping[str, object]] = {
    "custom_id": {"status_code": 200, "body": {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]}},
    "key": {"candidates": [{"content": {"role": "model", "parts": [{"text": GIVEN}]}}]},
}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_program_of_the_page_joins_a_batch(assay: Assay, name: str) -> None:
    """Requests alone say what is missing; what the page's lines write comes in."""
    requests = [{name: key, **REQUESTS[name]} for key in "ab"]
    assay.write("requests.jsonl", requests)
    assay.write("results.jsonl", [{name: key, "response": RESULTS[name]} for key in "ba"])
    page = (ROOT / "docs" / "traffic.md").read_text()
    [program] = re.findall(r"^```python\n(import json\n.*?)^```$", page, re.MULTILINE | re.DOTALL)

    alone = " ".join(assay("ingest", "requests.jsonl", status=1).stderr.split())
    exec(compile(program.replace("custom_id", name), "page", "exec"), {})

    assert f"bring its results in, each with the request of its {name} beside it as `request`" in alone
    assert assay.json("ingest", "traffic.jsonl")["quarantined"] == 0
    assert set(Project.open(assay.db).items().question) == {ASKED}


def test_a_batch_with_the_questions_beside_the_answers_is_read_by_them(assay: Assay) -> None:
    """Somebody has joined the prompts in a column of their own: that is a table of ours, by --map if need be."""
    body = {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]}
    row = {"custom_id": "a", "prompt": ASKED, "response": {"status_code": 200, "body": body}}
    paths = ("--map", "question=prompt", "--map", "answer=response.body.choices[0].message.content")

    assert assay.json("ingest", assay.write("t.jsonl", [row]), *paths)["added"] == 1


def test_a_store_of_chats_holds_a_conversation_each(assay: Assay) -> None:
    """As LlamaIndex persists them: the group is the name under which a conversation is kept."""
    messages = ROWS["llama index"][1]["messages"]
    assert isinstance(messages, list)
    chats = {"u1": messages, "u2": messages[:2]}
    file = assay.folder / "chats.json"
    file.write_text(json.dumps({"store": chats, "class_name": "SimpleChatStore"}))

    assert assay.json("ingest", str(file))["added"] == 2

    assert list(Project.open(assay.db).items().group) == ["u1", "u2"]


def test_messages_of_several_chats_in_one_list_are_no_conversation(assay: Assay) -> None:
    """As Flowise exports them: of one chat the list is one row; of two it would mix what two people asked and were told."""
    chat = [{"role": "userMessage", "content": ASKED}, {"role": "apiMessage", "content": GIVEN}]
    one, two = ([{**message, "chatId": name} for message in chat] for name in "ab")

    assert assay.json("ingest", assay.write("one.json", json.dumps(one)))["added"] == 1
    assert "no question" in assay("ingest", assay.write("two.json", json.dumps([*one, *two])), status=1).stderr
    assert len(Project.open(assay.db).items()) == 1


def test_calls_of_gateways_keep_their_ids_and_times() -> None:
    """They are named by their requests."""
    row = {"request_id": "r1", "request_created_at": "2026-11-20T08:00:00Z", **ROWS["openai request and response"][1]}

    [item] = items("chat", row)

    assert (item.id, item.timestamp) == ("r1", "2026-11-20T08:00:00.000Z")


def test_a_refusal_names_the_texts_within_nested_values(assay: Assay) -> None:
    """The path that `--map` needs, not the column that it lies in alone."""
    row = {"builder": {"answers": [{"data": GIVEN, "query": ASKED, "meta": {"a.b": "x y"}}]}, "n": 1}

    refused = assay("ingest", assay.write("t.jsonl", [row]), status=1)

    words = " ".join(refused.stderr.split())
    places = 'builder.answers[0].data, builder.answers[0].query, builder.answers[0].meta["a.b"], n'
    assert f"the row has {places}" in words
    assert "--map 'question=builder.answers[0].query' --map 'answer=builder.answers[0].data'" in words
    paths = ("question=builder.answers[0].query", "answer=builder.answers[0].data")
    assert assay.json("ingest", "t.jsonl", *(part for path in paths for part in ("--map", path)))["added"] == 1


def test_the_state_of_a_graph_is_read_with_each_document_as_a_passage() -> None:
    """LangGraph keeps messages within the state; a retriever's tool joins the texts of documents, which lie beside it."""
    documents = [
        {"page_content": "Ward 3 moved in 2018."},
        {"type": "constructor", "kwargs": {"page_content": "Ward 4."}},
    ]
    messages = [
        {"type": "human", "content": ASKED},
        {"type": "ai", "content": "", "tool_calls": [{"name": "retrieve", "args": {}, "id": "1"}]},
        {"type": "tool", "tool_call_id": "1", "content": "Ward 3 moved in 2018.\n\nWard 4.", "artifact": documents},
        {"type": "ai", "content": GIVEN},
    ]

    [item] = items("chat", {"thread_id": "t1", "values": {"messages": messages}})

    assert (item.question, item.answer, item.group) == (ASKED, GIVEN, "t1")
    assert [context.text for context in item.contexts] == ["Ward 3 moved in 2018.", "Ward 4."]


def test_activities_of_a_bot_are_a_conversation() -> None:
    """The Bot Framework says in `from.role` who speaks."""
    activities = [
        {"type": "message", "from": {"id": "u", "role": "user"}, "text": ASKED},
        {"type": "message", "from": {"id": "b", "role": "bot"}, "text": GIVEN},
    ]

    [item] = items("chat", {"conversationId": "c1", "activities": activities})

    assert (item.question, item.answer, item.group) == (ASKED, GIVEN, "c1")


def test_what_stands_beside_messages_and_answer_is_kept(assay: Assay) -> None:
    """Of a request and its response, but for what holds the texts themselves; no column of it stops the import."""
    request = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": ASKED}], "tools": ["x" * 600]}
    response = {
        "id": "msg_1",
        "content": [{"type": "text", "text": GIVEN}],
        "usage": {"input": 3},
        "created": 1790841600,
    }

    done = assay.json("ingest", assay.write("t.jsonl", [{"request": request, "response": response}]))

    kept = {
        *("request.model", "request.max_tokens", "request.tools"),
        *("response.id", "response.usage", "response.created"),
    }
    assert set(done["sources"][0]["unused"]) == kept


def test_whatever_stands_beside_the_texts_of_a_logged_call_is_kept_however_long() -> None:
    """Also where the answer is so short that other values have its letters; the texts themselves are kept once."""
    asked = {"model": "m", "instructions": "Be kind. " * 100, "note": "None", "messages": [MESSAGE]}
    reply = {
        "choices": [{"message": {"role": "assistant", "content": "No"}}],
        "usage": {"tokens": 1},
        "note": "Nothing",
    }
    called = {"request": asked, "response": reply}
    batched = {"custom_id": "q", "request": {"body": asked}, "response": {"status_code": 200, "body": reply}}

    [call], [result] = items("chat", called), items("chat", batched)

    beside = {"model": "m", "instructions": "Be kind. " * 100, "note": "None"}
    assert (call.answer, result.answer) == ("No", "No")
    assert {name: value for name, value in call.metadata.items() if name.startswith("request")} == {
        f"request.{name}": value for name, value in beside.items()
    }
    assert call.metadata.keys() >= {"response.usage", "response.note"}
    assert result.metadata["request.body"] == beside
    assert result.metadata["response.body"] == {"usage": {"tokens": 1}, "note": "Nothing"}
    assert ASKED not in str(call.metadata) + str(result.metadata)


ASKING = {"input": {"question": ASKED}, "output": GIVEN, "created": "2026-11-20T08:00:00Z"}
SEARCHING = {"input": ASKED, "output": [{"content": PASSAGE}], "created": "2026-11-20T08:00:00Z"}
# Scorers by their type, and by the purpose that their models' calls inherit.
SCORING = [
    {"input": {"input": ASKED}, "output": {"choice": "Yes"}, "span_attributes": {"type": "score", "name": "Relevance"}},
    {"input": [MESSAGE], "output": "B", "span_attributes": {"type": "llm", "purpose": "scorer", "name": "model"}},
]
AGENT = {"object": "trace.span", "trace_id": "t", "started_at": "2026-11-20T08:00:00Z", "ended_at": None, "error": None}
TRACED: dict[str, list[dict[str, object]]] = {
    "braintrust, all that a row may have": [
        {
            **ASKING,
            "id": "1",
            "span_id": "a",
            "root_span_id": "t",
            "span_parents": None,
            "is_root": True,
            "context": {},
        },
        {
            **{**SEARCHING, "id": "2", "span_id": "b", "root_span_id": "t", "span_parents": ["a"], "is_root": False},
            **{"context": {}, "span_attributes": {"name": "retrieve"}},
        },
    ],
    "braintrust, without what is empty": [
        {**ASKING, "id": "1", "span_id": "a", "root_span_id": "t", "is_root": True},
        {
            **SEARCHING,
            "id": "2",
            "span_id": "b",
            "root_span_id": "t",
            "is_root": False,
            "span_attributes": {"name": "search"},
        },
    ],
    "braintrust, columns of one's own choice": [
        {**ASKING, "span_id": "t", "root_span_id": "t"},
        {**SEARCHING, "span_id": "b", "root_span_id": "t", "span_attributes": {"name": "search"}},
    ],
    "opik, without what is empty": [
        {**ASKING, "id": "a", "trace_id": "t", "type": "general", "start_time": "2026-11-20T08:00:00Z"},
        {
            **{**SEARCHING, "id": "b", "trace_id": "t", "parent_span_id": "a", "type": "tool", "name": "search"},
            "start_time": "2026-11-20T08:00:01Z",
        },
    ],
    "opik, a trace beside its spans": [
        {
            "trace": {**ASKING, "id": "t", "start_time": "2026-11-20T08:00:00Z", "thread_id": "c"},
            "spans": [{**SEARCHING, "id": "b", "trace_id": "t", "type": "tool", "name": "search"}],
            "project_name": "p",
        }
    ],
    "openai agents": [
        {"object": "trace", "id": "t", "workflow_name": "rag", "group_id": "c"},
        {**AGENT, "id": "a", "parent_id": None, "span_data": {"type": "agent", "name": "rag", "tools": ["search"]}},
        {
            **{**AGENT, "id": "b", "parent_id": "a"},
            "span_data": {
                "type": "function",
                "name": "search",
                "input": ASKED,
                "output": json.dumps([{"content": PASSAGE}]),
            },
        },
        {
            **{**AGENT, "id": "g", "parent_id": "a"},
            "span_data": {
                "type": "generation",
                "input": [MESSAGE],
                "output": [{"role": "assistant", "content": GIVEN}],
            },
        },
    ],
    "weave, with its attributes": [
        {**ASKING, "id": "a", "trace_id": "t", "parent_id": None, "op_name": "rag", "attributes": {"weave": {}}},
        {**SEARCHING, "id": "b", "trace_id": "t", "parent_id": "a", "op_name": "search", "attributes": {"weave": {}}},
    ],
}


@pytest.mark.parametrize("name", TRACED)
def test_calls_of_a_trace_are_one_answer(assay: Assay, name: str) -> None:
    """Whatever a tool leaves out or puts beside them; what a scorer was given is no answer."""
    calls = TRACED[name]
    if name.startswith("braintrust"):
        calls = [
            *calls,
            *({**row, "span_id": f"s{n}", "root_span_id": "t", "span_parents": ["a"]} for n, row in enumerate(SCORING)),
        ]

    done = assay.json("ingest", assay.write("t.jsonl", calls))

    [row] = Project.open(assay.db).items().itertuples()
    assert (done["without_root"], row.id, row.question, row.answer, list(row.contexts)) == (
        0,
        "t",
        ASKED,
        GIVEN,
        [PASSAGE],
    )


def test_the_expected_output_of_a_call_is_the_reference_and_a_failed_one_no_answer(assay: Assay) -> None:
    """No user saw what a model wrote below a call that failed."""
    call = {"span_parents": None, "input": ASKED, "created": "2026-11-20T08:00:00Z"}
    rows = [
        {**call, "id": "1", "span_id": "a", "root_span_id": "t1", "output": GIVEN, "expected": {"answer": "In 2019."}},
        {**call, "id": "2", "span_id": "b", "root_span_id": "t2", "output": None, "error": "timeout"},
        {
            **{**call, "id": "3", "span_id": "c", "root_span_id": "t2", "span_parents": ["b"], "output": GIVEN},
            "span_attributes": {"type": "llm"},
        },
    ]

    done = assay.json("ingest", assay.write("t.jsonl", rows))

    assert (done["added"], done["failed"]) == (1, 1)
    assert list(Project.open(assay.db).items().reference) == ["In 2019."]
