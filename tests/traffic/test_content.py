"""Questions, answers and passages in values of any shape; what cannot be told is nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotate.traffic.content import answered, asked, last_exchange
from annotate.traffic.passages import in_prompt, passages

Q, A = "When did ward 3 move?", "In 2018."
USER, REPLY = {"role": "user", "content": Q}, {"role": "assistant", "content": A}
SYSTEM = {"role": "system", "content": "Be kind."}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
TOOL = {"role": "tool", "tool_call_id": "c", "content": "Ward 3 moved in 2019."}
LANGCHAIN = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "HumanMessage"],
    "kwargs": {"content": Q, "type": "human"},
}


@pytest.mark.parametrize(
    "value",
    [
        Q,
        {"question": Q, "k": 3},
        {"input": {"query": Q}, "top_k": 3},
        {"input": Q, "context": "x"},
        {"anything": Q},
        json.dumps({"question": Q}),
        str({"question": Q, "history": [], "it's": None, "ok": True}),
        str([USER]),
        {"args": [Q], "kwargs": {}},
        {"args": [], "kwargs": {"question": Q, "user": "u1"}},
        [SYSTEM, USER],
        {"messages": [USER, REPLY, {"role": "user", "content": Q}], "model": "m"},
        {"messages": [[LANGCHAIN]]},
        [{"message": {"role": "user", "content": Q}}],
        [{"message": {"role": "user", "contents": [{"message_content": {"type": "text", "text": Q}}]}}],
        [{"role": "user", "parts": [{"type": "text", "content": Q}]}],
        [{"role": "user", "content": [{"type": "text", "text": Q}]}],
        [USER, CALL, TOOL],
        [USER, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]}],
        {"data": [{"type": "human", "data": {"content": Q}}]},
        USER,
    ],
    ids=str,
)
def test_the_question_is_told(value: object) -> None:
    """What the user said last, without what machines added."""
    question = asked(value)

    assert question is not None
    assert question.text == Q


@pytest.mark.parametrize(
    "value",
    [
        A,
        {"answer": A, "sources": ["x"]},
        {"output": {"text": A}},
        {"choices": [{"message": REPLY, "finish_reason": "stop"}], "id": "c1"},
        {
            "generations": [
                [{"text": A, "message": LANGCHAIN | {"id": ["AIMessage"], "kwargs": {"content": A, "type": "ai"}}}]
            ]
        },
        {"messages": [USER, CALL, TOOL, REPLY]},
        [{"role": "assistant", "parts": [{"type": "text", "content": A}], "finish_reason": "stop"}],
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": A}]},
        [{"type": "text", "text": "In "}, {"type": "text", "text": "2018."}],
        {"output": [{"type": "function_call", "name": "f"}, {"type": "message", "role": "assistant", "content": A}]},
    ],
    ids=str,
)
def test_the_answer_is_told(value: object) -> None:
    """The assistant's last words, never a call of a tool."""
    answer = answered(value)

    assert answer is not None
    assert answer.text == A


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        " ",
        3,
        True,
        {},
        [],
        {"a": "x", "b": "y"},
        ["a", "b"],
        [CALL],
        [SYSTEM],
        {"n": 3},
        [[[[[[[[[[Q]]]]]]]]]],
    ],
    ids=str,
)
def test_what_cannot_be_told_is_nothing(value: object) -> None:
    """Of two texts none is guessed."""
    assert asked(value) is None
    assert answered(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "b"], [{"text": "a"}, {"text": "b"}]),
        (
            {"documents": [{"page_content": "a", "metadata": {"id": "d1", "source": "kb.md"}}]},
            [{"text": "a", "id": "d1", "title": "kb.md"}],
        ),
        ([{"document": {"content": "a", "id": 3, "score": "NaN"}}], [{"text": "a", "id": "3"}]),
        ([{"document.content": "a", "document.score": 0.5}], [{"text": "a", "score": 0.5}]),
        ([{"node": {"text": "a", "id_": "n1"}, "score": 0.5}], [{"text": "a", "id": "n1", "score": 0.5}]),
        ([[{"page_content": "a"}, 0.25]], [{"text": "a", "score": 0.25}]),
        (
            {"matches": [{"id": "m", "score": 1, "metadata": {"title": "T"}, "text": "a"}]},
            [{"text": "a", "id": "m", "title": "T", "score": 1.0}],
        ),
        ('[{"page_content": "a"}]', [{"text": "a"}]),
        ([{"id": "d1", "score": 0.5}], []),
        ([None, 3, {}], []),
        (None, []),
    ],
    ids=str,
)
def test_passages_come_in_every_usual_shape(value: object, expected: list[dict[str, Any]]) -> None:
    """Text, id, title and score where they are; a document of which only the id was kept is none."""
    assert list(passages(value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Context: a\nb\n\nQuestion: Q?", ["a\nb"]),
        ("### Retrieved documents:\na\n### Question: Q?\n### Answer:", ["a"]),
        ("<context>a</context>\nQ?", ["a"]),
        ("<documents><document id='1'>a</document><document>b</document></documents> Q?", ["a", "b"]),
        ([SYSTEM | {"content": "Use the context.\nContext: a"}, USER], ["a"]),
        ([USER, CALL, TOOL], ["Ward 3 moved in 2019."]),
        ("You are a helpful assistant. What is the context of this law?", []),
        ([SYSTEM, USER], []),
        ("Question: Q?", []),
        (None, []),
    ],
    ids=str,
)
def test_what_stands_in_a_prompt_as_context(value: object, expected: list[str]) -> None:
    """Marked blocks and what tools gave; instructions are no passages."""
    assert [passage["text"] for passage in in_prompt(value)] == expected


def test_an_exchange_is_the_last_that_was_answered() -> None:
    """What tools gave before it belongs to the history."""
    messages = [SYSTEM, USER, CALL, TOOL, REPLY, {"role": "user", "content": "And ward 4?"}]

    exchange = last_exchange(messages)

    assert exchange is not None
    assert (exchange.question, exchange.answer, exchange.tools, exchange.system) == (
        Q,
        A,
        (TOOL["content"],),
        "Be kind.",
    )
    assert exchange.history == ()
    assert last_exchange([USER]) is None


def test_a_hostile_prompt_is_read_in_time() -> None:
    """Many openings without an end, and many blanks."""
    import time

    start = time.process_time()
    for prompt in (
        "<context>" * 20_000,
        "# " * 100_000 + "x",
        ("Context:\n" + " " * 50) * 3_000,
        "<document></" * 15_000,
    ):
        list(in_prompt(prompt))

    assert time.process_time() - start < 2
