"""What leaves the house of an item."""

from __future__ import annotations

from dataclasses import fields

from annotate.redaction import Outgoing, outgoing
from proxy.records import Context, Item


def test_only_texts_leave() -> None:
    """An outgoing record has the three texts and no place for anything else."""
    assert [field.name for field in fields(Outgoing)] == ["question", "answer", "contexts"]


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
