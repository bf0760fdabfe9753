"""One answer as the rows of many tools hold it, and how such a row is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from annotate.traffic.formats import SOURCE_FORMATS
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import TrafficRow
from proxy.records import Item, Turn

ASKED, GIVEN, PASSAGE, RIGHT = "When did ward 3 move?", "In 2018.", "Ward 3 moved in 2019.", "In 2019."
HISTORY = (Turn(role="user", text="Hello"), Turn(role="assistant", text="Good morning."))
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You help visitors."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Good morning."},
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "search"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": PASSAGE},
    {"role": "assistant", "content": GIVEN},
]
WEBUI: dict[str, Any] = {
    "m1": {"role": "user", "content": "Hello"},
    "m2": {"role": "assistant", "parentId": "m1", "content": "Good morning."},
    "m3": {"role": "user", "parentId": "m2", "content": ASKED},
    "m4": {
        "role": "assistant",
        "parentId": "m3",
        "content": GIVEN,
        "model": "small",
        "timestamp": 1_795_248_000,
        "sources": [{"source": {"name": "kb"}, "document": [PASSAGE], "metadata": [{}], "distances": ["NaN"]}],
    },
}
ROWS: dict[str, tuple[str, Mapping[str, object]]] = {
    "ragas": (
        "ragas",
        {"user_input": ASKED, "response": GIVEN, "retrieved_contexts": [PASSAGE], "reference": RIGHT},
    ),
    "ragas before 0.2": (
        "ragas",
        {"question": ASKED, "answer": GIVEN, "contexts": [PASSAGE], "ground_truths": [RIGHT]},
    ),
    "ragas scores": (
        "ragas",
        {"question": ASKED, "answer": GIVEN, "contexts": [PASSAGE], "ground_truth": RIGHT, "faithfulness": "NaN"},
    ),
    "deepeval": (
        "deepeval",
        {"input": ASKED, "actual_output": GIVEN, "retrieval_context": [PASSAGE], "expected_output": RIGHT},
    ),
    "deepeval in camel case": (
        "deepeval",
        {"input": ASKED, "actualOutput": GIVEN, "retrievalContext": [PASSAGE], "expectedOutput": RIGHT},
    ),
    "trulens records": (
        "trulens_records",
        {
            "record_id": "r1",
            "input": json.dumps(ASKED),
            "output": json.dumps(GIVEN),
            "record_json": {"calls": [{"stack": [{"method": {"name": "retrieve"}}], "rets": [PASSAGE]}]},
            "reference": RIGHT,
        },
    ),
    "label studio": (
        "label_studio",
        {
            "id": 7,
            "data": {"question": ASKED, "answer": GIVEN, "contexts": [PASSAGE], "reference": RIGHT},
            "annotations": [],
        },
    ),
    "columns of a data set": ("qa", {"prompt": ASKED, "response": GIVEN, "contexts": [PASSAGE], "ground_truth": RIGHT}),
    "openai chat": ("chat", {"messages": CHAT, "reference": RIGHT}),
    "promptfoo": (
        "promptfoo",
        {
            "prompt": {"raw": f"Answer: {ASKED}", "label": "Answer: {{question}}"},
            "vars": {"question": ASKED, "context": PASSAGE, "reference": RIGHT},
            "response": {"output": GIVEN},
            "success": False,
        },
    ),
    "promptfoo's table": (
        "promptfoo",
        {"query": ASKED, "reference": RIGHT, "context": PASSAGE, "[echo] Answer: {{query}}": f"[FAIL] {GIVEN}"},
    ),
    "anthropic, documents in the message": (
        "chat",
        {
            "messages": [
                *CHAT[1:3],
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "document",
                            "source": {"type": "text", "media_type": "text/plain", "data": PASSAGE},
                            "citations": {"enabled": True},
                        },
                        {"type": "text", "text": ASKED},
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": GIVEN}]},
            ],
            "reference": RIGHT,
        },
    ),
    "anthropic, results of a search": (
        "chat",
        {
            "request": {
                "messages": [
                    *CHAT[1:3],
                    {
                        "role": "user",
                        "content": [
                            {"type": "search_result", "title": "w", "content": [{"type": "text", "text": PASSAGE}]},
                            {"type": "text", "text": ASKED},
                        ],
                    },
                ]
            },
            "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": GIVEN}]},
            "reference": RIGHT,
        },
    ),
    "openai's responses with a search in files": (
        "chat",
        {
            "request": {"input": [*CHAT[1:3], CHAT[3]], "tools": [{"type": "file_search"}]},
            "response": {
                "object": "response",
                "output": [
                    {"type": "file_search_call", "queries": [ASKED], "results": [{"file_id": "f", "text": PASSAGE}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": GIVEN}]},
                ],
            },
            "reference": RIGHT,
        },
    ),
    "a batch of openai with its requests": (
        "chat",
        {
            "custom_id": "r1",
            "request": {"custom_id": "r1", "method": "POST", "body": {"messages": CHAT[:4]}},
            "response": {
                "status_code": 200,
                "body": {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]},
            },
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "a batch of anthropic with its requests": (
        "chat",
        {
            "custom_id": "r1",
            "request": {"custom_id": "r1", "params": {"messages": CHAT[1:4]}},
            "result": {
                "type": "succeeded",
                "message": {"role": "assistant", "content": [{"type": "text", "text": GIVEN}]},
            },
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "pydantic ai": (
        "chat",
        {
            "messages": [
                {
                    "kind": "request",
                    "parts": [
                        {"part_kind": "system-prompt", "content": "You help visitors."},
                        {"part_kind": "user-prompt", "content": "Hello"},
                    ],
                },
                {"kind": "response", "parts": [{"part_kind": "text", "content": "Good morning."}]},
                {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ASKED}]},
                {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "search", "args": "{}"}]},
                {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "search", "content": PASSAGE}]},
                {"kind": "response", "parts": [{"part_kind": "text", "content": GIVEN}]},
            ],
            "reference": RIGHT,
        },
    ),
    "flowise": (
        "chat",
        {
            "messages": [
                {"type": "userMessage", "content": "Hello"},
                {"type": "apiMessage", "content": "Good morning."},
                {"type": "userMessage", "content": ASKED},
                {"type": "apiMessage", "content": GIVEN, "sourceDocuments": [{"pageContent": PASSAGE}]},
            ],
            "reference": RIGHT,
        },
    ),
    "claude's export": (
        "chat",
        {
            "chat_messages": [
                {"sender": sender, "text": text, "content": [{"type": "text", "text": text}]}
                for sender, text in (
                    *(("human", "Hello"), ("assistant", "Good morning."), ("human", ASKED), ("assistant", GIVEN)),
                )
            ],
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "llama index": (
        "chat",
        {
            "messages": [
                {"role": role, "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": text}]}
                for role, text in (
                    *(("user", "Hello"), ("assistant", "Good morning.")),
                    *(("user", ASKED), ("tool", PASSAGE), ("assistant", GIVEN)),
                )
            ],
            "reference": RIGHT,
        },
    ),
    "openai request and response": (
        "chat",
        {
            "request": {"messages": CHAT[:-1]},
            "response": {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]},
            "reference": RIGHT,
        },
    ),
    "bedrock's log of model invocations": (
        "chat",
        {
            "schemaType": "ModelInvocationLog",
            "input": {
                "inputBodyJson": {
                    "messages": [
                        {"role": "user", "content": [{"text": "Hello"}]},
                        {"role": "assistant", "content": [{"text": "Good morning."}]},
                        {"role": "user", "content": [{"text": ASKED}]},
                    ]
                }
            },
            "output": {
                "outputBodyJson": {"output": {"message": {"role": "assistant", "content": [{"text": GIVEN}]}}},
                "outputTokenCount": 9,
            },
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "gemini's requests and responses": (
        "chat",
        {
            "full_request": {
                "contents": [
                    {"role": "user", "parts": [{"text": "Hello"}]},
                    {"role": "model", "parts": [{"text": "Good morning."}]},
                    {"role": "user", "parts": [{"text": ASKED}]},
                ]
            },
            "full_response": {"candidates": [{"content": {"role": "model", "parts": [{"text": GIVEN}]}}]},
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "sharegpt": (
        "chat",
        {
            "conversations": [
                {"from": "human", "value": "Hello"},
                {"from": "gpt", "value": "Good morning."},
                {"from": "human", "value": ASKED},
                {"from": "gpt", "value": GIVEN},
            ],
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "open webui": (
        "open_webui",
        {
            "id": "f1",
            "type": "rating",
            "data": {"rating": -1},
            "meta": {"chat_id": "c1", "message_id": "m4"},
            "snapshot": {"chat": {"chat": {"history": {"messages": WEBUI}}}},
            "reference": RIGHT,
        },
    ),
}


# Several tools write these alike, or an older release did, so the rows are made by hand.


def readings(name: str, row: Mapping[str, object]) -> list[TrafficRow]:
    source_format = next(each for each in SOURCE_FORMATS if each.name == name)
    return [reading for reading in source_format.read(row, {}) if isinstance(reading, TrafficRow)]


def items(name: str, row: Mapping[str, object]) -> list[Item]:
    return [item_from_row(reading.fields, {}) for reading in readings(name, row)]
