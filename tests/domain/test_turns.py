"""Conversations in the shapes that chat logs have."""

from __future__ import annotations

import pytest

from annotate.domain.turns import read_turns
from annotate.store import Store
from proxy.errors import InputError
from proxy.records import Turn
from proxy.text.turns import with_roles
from support.store import Assay, traffic_row

TWO = (Turn(role="user", text="Hi"), Turn(role="assistant", text="Yes?"))


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}],
        [{"role": "User", "text": "Hi"}, {"role": "AI", "text": "Yes?"}],
        [{"speaker": "customer", "text": "Hi"}, {"speaker": "agent", "text": "Yes?"}],
        [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes?"}],
        [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Yes?"}],
        [{"type": "HumanMessage", "content": "Hi"}, {"type": "AIMessageChunk", "content": "Yes?"}],
        [{"type": "human", "data": {"content": "Hi"}}, {"type": "ai", "data": {"content": "Yes?"}}],
        [{"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}},
         {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Yes?"]}}],
        [{"message": {"role": "user", "content": "Hi"}}, {"message": {"role": "assistant", "content": "Yes?"}}],
        [{"role": "user", "content": [{"type": "text", "text": "Hi"}]},
         {"role": "assistant", "content": [{"type": "output_text", "text": "Yes?"}]}],
        [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Yes?"}]}],
        [["Hi", "Yes?"]],
        ["Hi", "Yes?"],
        [{"user": "Hi", "assistant": "Yes?"}],
        [{"Human": "Hi", "AI": "Yes?"}],
        [{"question": "Hi", "answer": "Yes?"}],
        [{"prompt": "Hi", "response": "Yes?"}],
        [{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]}],
    ],
    ids=str,
)  # fmt: skip
def test_every_usual_shape_is_the_same_conversation(history: list[object]) -> None:
    """Roles are one word each, as the item is read from the store."""
    assert with_roles(read_turns(history)) == TWO


def test_calls_of_tools_pictures_and_empty_messages_are_kept() -> None:
    """What a turn holds besides text is named; a message without text is no reason to refuse the row."""
    history = [
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "look_up"}}]},
        {"role": "function", "content": "found"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": None},
        {"role": "Dr. Grey", "content": "Hm."},
    ]

    turns = with_roles(read_turns(history))

    assert [turn.role for turn in turns] == ["system", "assistant", "tool", "user", "assistant", "Dr. Grey"]
    assert "look_up" in turns[1].text
    assert turns[3].text == "See\n[image_url]"
    assert turns[4].text == ""


@pytest.mark.parametrize(
    "history", [[3], [None], [{"foo": "x"}], [{}], [{"role": "user", "content": 3}], [[["a", [3]]]]]
)
def test_a_shape_that_nobody_knows_is_refused_with_its_place(history: list[object]) -> None:
    """Nothing that was said is left out without a word."""
    with pytest.raises(InputError, match=r"history\[0\]"):
        read_turns(history)


def test_an_odd_number_of_plain_texts_has_no_roles() -> None:
    """It may be the user's questions alone."""
    assert [turn.role for turn in with_roles(read_turns(["a", "b", "c"]))] == ["", "", ""]


def test_conversations_of_stores_of_today_have_roles_and_the_same_file_adds_nothing(assay: Assay) -> None:
    """What was kept under another word is read under ours, and its content stays the same content."""
    file = assay.write(
        "t.jsonl", [traffic_row("a", history=[{"role": "human", "content": "Hi"}, {"role": "ai", "text": "Yes?"}])]
    )
    assay("ingest", file)

    store = Store(assay.db)
    assert store.traffic.items.get(1).history == TWO
    store.close()
    assert [row[0] for row in assay.sql("SELECT history FROM texts")] == [
        '[{"role":"human","text":"Hi"},{"role":"ai","text":"Yes?"}]'
    ]


def test_two_systems_that_log_roles_differently_answer_the_same_question(assay: Assay) -> None:
    """The key of a question knows roles by one word each."""
    histories = [[{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes?"}], [["Hi", "Yes?"]], ["Hi", "Yes?"]]
    histories.append([{"role": "human", "content": "Hi"}, {"role": "ai", "content": "Yes?"}])
    rows = [{**traffic_row("a"), "id": str(n), "history": history} for n, history in enumerate(histories)]

    assay("ingest", assay.write("t.jsonl", rows))

    assert assay.sql("SELECT count(DISTINCT question) FROM items") == [(1,)]
