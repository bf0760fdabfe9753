"""What leaves the house of an item."""

from __future__ import annotations

from dataclasses import fields

from annotate.redaction import Outgoing, for_model, outgoing
from annotate.tasks import task
from proxy.records import Context, Item, Turn


def test_only_texts_leave() -> None:
    """An outgoing record has the item's texts and no place for anything else."""
    assert [field.name for field in fields(Outgoing)] == ["question", "answer", "contexts", "history", "reference"]


def test_an_expert_is_shown_no_reference() -> None:
    """The reference may go to the judge that is named after it; a task holds question, answer, passages and its key."""
    item = Item(id="1", question="Q?", answer="A.", reference="THE REFERENCE", contexts=(Context(text="c"),))

    assert "THE REFERENCE" not in str(task("key", item))


def test_a_model_sees_the_outgoing_texts_alone() -> None:
    """System, group, time, metadata, retriever scores and titles stay; lone surrogates leave as signs."""
    item = Item(
        id="1",
        question="Q\ud800?",
        answer="A.",
        contexts=(Context(text="c", id="7", title="Secret", score=0.9),),
        system="v1",
        timestamp="2026-01-01T00:00:00Z",
        group="g",
        language="ko",
        history=(Turn(role="user", text="before"),),
        reference="R",
        metadata={"patient": "x"},
    )

    assert for_model(item) == Item(
        id="1",
        question="Q\ufffd?",
        answer="A.",
        contexts=(Context(text="c"),),
        language="ko",
        history=(Turn(role="user", text="before"),),
        reference="R",
    )


def test_plain_text_is_unchanged() -> None:
    """Ordinary text in any script, with HTML and line breaks, leaves as it is."""
    item = Item(
        id="1",
        question="هل يجوز؟",
        answer="<b>ja</b>\nnein\t한국어 👩\u200d⚕️",
        contexts=(Context(text="b", score=0.9), Context(text="a")),
    )

    assert outgoing(item) == Outgoing(question=item.question, answer=item.answer, contexts=("b", "a"))


def test_what_breaks_a_server_or_a_reader_is_replaced() -> None:
    """Lone surrogates, NUL and direction overrides leave as visible signs, in every text."""
    bad = "x\ud800\0\u202ey"
    texts = outgoing(Item(id="1", question=bad, answer=bad, contexts=(Context(text=bad),)))

    for text in (texts.question, texts.answer, *texts.contexts):
        assert text.startswith("x\ufffd\u2400")
        assert text.endswith("y")
        assert "\u202e" not in text
        text.encode("utf-8")
