"""Items to tasks: what an expert is shown, in the words of the form, and nothing beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from annotate.domain.labelling_form import LANGUAGES, Form
from annotate.domain.labelling_task import task
from proxy.records import Context, Item, Turn


def test_a_task_holds_the_texts_and_the_key_alone() -> None:
    """Nothing that says where an item came from or what a judge thought reaches the task."""
    item = Item(
        id="item-secret",
        question="Q?",
        answer="A.",
        contexts=(
            Context(text="first", id="doc-secret", title="secret title", score=0.93),
            Context(text="second"),
        ),
        system="system-secret",
        group="group-secret",
        reference="reference-secret",
        metadata={"verdict": "pass-secret", "stratum": "stratum-secret"},
    )

    made = task("w1-7", item)

    assert made.key == "w1-7"
    assert made.data == {
        "external_id": "w1-7",
        "question": "Q?",
        "answer": "A.",
        "history": [],
        "first": [1],
        "folded": [[], [1]],
        "passages": [{"title": "Passage 1", "text": "first"}, {"title": "Passage 2", "text": "second"}],
    }
    assert "secret" not in json.dumps(made.data)


def test_a_task_holds_the_conversation_and_speaks_the_forms_language() -> None:
    """Earlier messages come in order; titles and speakers are words of the form, another speaker's name stays."""
    said = {"user": "Hello\0", " Assistant ": "Yes?", "AI": "No.", "tool": "found", " ": "\ud800"}
    turns = tuple(Turn(role=role, text=text) for role, text in said.items())
    item = Item(id="1", question="Q", answer="A", contexts=(Context(text="p"),), history=turns)
    data = task("k", item, Form(language="zh-Hant")).data

    assert data["passages"] == [{"title": "段落 1", "text": "p"}]
    assert data["history"] == [
        {"role": "使用者", "text": "Hello␀"},
        {"role": "助理", "text": "Yes?"},
        {"role": "助理", "text": "No."},
        {"role": "tool", "text": "found"},
        {"role": "—", "text": "�"},
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 50])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_task_holds_all_that_its_form_reads(language: str, count: int) -> None:
    """The marks that fold passages name each passage once, and every key of the form is in the data."""
    form = Form(language=language, asks_harm=True, asks_passages=True)
    item = Item(id="1", question="Q", answer="A", contexts=tuple(Context(text=str(n)) for n in range(count)))
    data: Mapping[str, Any] = task("k", item, form).data

    opened = [rank for rank, _ in enumerate(data["first"])]
    folded = [rank for rank, marks in enumerate(data["folded"]) for _ in marks]
    assert opened + folded == list(range(count))
    assert [passage["text"] for passage in data["passages"]] == [str(n) for n in range(count)]
    assert set(re.findall(r'"\$(\w+)', form.xml())) == set(data) - {"external_id"}


def test_a_task_says_whether_it_asks_about_passages_and_nothing_else() -> None:
    """The form that asks gets a title for each passage where the draw is asked and none where it is not; others get no field."""
    item = Item(id="1", question="Q", answer="A", contexts=(Context(text="a", score=0.93), Context(text="b")))
    form = Form(asks_passages=True)

    assert task("k", item, form, is_asked=True).data["asked"] == [{"title": "Passage 1"}, {"title": "Passage 2"}]
    assert task("k", item, form).data["asked"] == []
    assert "asked" not in task("k", item, is_asked=True).data
    assert "93" not in json.dumps(task("k", item, form, is_asked=True).data)
