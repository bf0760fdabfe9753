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


def html(text: str) -> str:
    return f'<p dir="auto">{text}</p>'


def test_a_task_holds_the_texts_and_the_key_alone() -> None:
    """Nothing that says which system answered or what a judge thought reaches the task."""
    item = Item(
        id="item-secret",
        question="Q?",
        answer="A.",
        contexts=(Context(text="first", id="doc-secret", title="Dosing", score=0.93), Context(text="second")),
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
        "answer": html("A."),
        "earlier": "",
        "recent": "",
        "ranks": [[], [1], [1]],
        "further": [[], [], []],
        "passages": [
            {"title": "", "text": ""},
            {"title": "Passage 1 · Dosing", "text": html("first")},
            {"title": "Passage 2", "text": html("second")},
        ],
    }
    assert "secret" not in json.dumps(made.data)


def test_a_task_holds_the_conversation_and_speaks_the_forms_language() -> None:
    """The last two turns stand apart from older ones; speakers are words of the form, another's name stays, no prompt is shown."""
    texts = {"system": "Be kind.", "user": "Hello\0", " Assistant ": "Yes?", "AI": "No.", "<b>": "found", " ": "\ud800"}
    turns = tuple(Turn(role=role, text=text) for role, text in texts.items())
    item = Item(id="1", question="Q", answer="A", contexts=(Context(text="p"),), history=turns)
    data = task("k", item, Form(language="zh-Hant")).data

    assert data["passages"] == [{"title": "", "text": ""}, {"title": "段落 1", "text": html("p")}]
    assert data["earlier"] == "".join(
        f'<div class="as-turn{kind}"><b dir="auto">{who}</b>{html(text)}</div>'
        for kind, who, text in ((" as-user", "使用者", "Hello␀"), ("", "助理", "Yes?"), ("", "助理", "No."))
    )
    assert data["recent"] == "".join(
        f'<div class="as-turn"><b dir="auto">{who}</b>{html(text)}</div>'
        for who, text in (("&lt;b&gt;", "found"), ("—", "�"))
    )
    assert "kind" not in json.dumps(data)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_task_holds_all_that_its_form_reads(language: str, count: int) -> None:
    """Each passage is shown once, the first nine with a key, and every key of the form is in the data."""
    form = Form(language=language, asks_harm=True, asks_passages=True)
    item = Item(id="1", question="Q", answer="A", contexts=tuple(Context(text=str(n)) for n in range(1, count + 1)))
    data: Mapping[str, Any] = task("k", item, form).data

    keyed = [rank for rank, marks in enumerate(data["ranks"]) for _ in marks]
    further = [rank for rank, marks in enumerate(data["further"]) for _ in marks]
    assert keyed == list(range(1, count + 1))[:9]
    assert keyed + further == list(range(1, count + 1))
    assert [data["passages"][rank]["text"] for rank in keyed + further] == [html(str(n)) for n in keyed + further]
    assert set(re.findall(r'"\$(\w+)', form.xml())) == set(data) - {"external_id"}


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"date": "2021-03-04", "source": "BNF 80"}, "2021-03-04 · BNF 80"),
        ({"metadata": {"published_at": 2019, "source": "https://u:p@who.int:80/a/b/?token=x#y"}}, "2019 · who.int/a/b"),
        ({"file": "/home/ann/guideline.pdf"}, "guideline.pdf"),
        ({"source": "C:\\data\\ann.pdf", "date": ""}, "C:\\data\\ann.pdf"),
        ({"source": ["a"], "date": True, "metadata": "x"}, ""),
        ("text alone", ""),
    ],
)
def test_a_passage_says_of_when_and_where_it_is(row: object, shown: str) -> None:
    """Date and source stand in the title as they came, but for what may be a key or a user's name in an address."""
    item = Item(
        id="1",
        question="Q",
        answer="A",
        contexts=(Context(text="t"), Context(text="u")),
        metadata={"contexts": [row, "u"]},
    )
    [_, first, second] = task("k", item).data["passages"]  # type: ignore[misc]

    assert first["title"] == " · ".join(filter(None, ("Passage 1", shown)))
    assert second["title"] == "Passage 2"


def test_a_task_says_whether_it_asks_about_passages_and_nothing_else() -> None:
    """The form that asks gets a title for each passage where the draw is asked and none where it is not; others get no field."""
    item = Item(id="1", question="Q", answer="A", contexts=(Context(text="a", score=0.93), Context(text="b")))
    form = Form(asks_passages=True)

    assert task("k", item, form, is_asked=True).data["asked"] == [{"title": "Passage 1"}, {"title": "Passage 2"}]
    assert task("k", item, form).data["asked"] == []
    assert "asked" not in task("k", item, is_asked=True).data
    assert "93" not in json.dumps(task("k", item, form, is_asked=True).data)
