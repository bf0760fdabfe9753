"""Spans of a trace to answers: which span asks, which answers, and whose passages count."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotate.traffic.joining import WaitReason, join
from annotate.traffic.source_format import FieldPlace, Origin, TrafficRow
from annotate.traffic.spans import Span, SpanKind

ASKED, GIVEN = "When did ward 3 move?", "In 2018."
MODEL, RETRIEVER, RERANKER, CHAIN = SpanKind.MODEL, SpanKind.RETRIEVER, SpanKind.RERANKER, SpanKind.CHAIN


def span(name: str, parent: str | None = "root", second: int = 0, **fields: Any) -> Span:
    """A span of one second."""
    texts = fields.pop("texts", ())
    return Span(
        trace="t",
        id=name,
        parent=parent,
        start=f"2026-11-20T08:00:{second:02}.000000Z",
        end=f"2026-11-20T08:00:{second + 1:02}.000000Z",
        passages=tuple({"text": text} for text in texts),
        **fields,
    )


def answers(*spans: Span) -> list[TrafficRow]:
    """The answers of a trace, the same whatever the order of its spans."""
    rows = join(spans)
    assert not isinstance(rows, WaitReason)
    for seed in range(5):
        shuffled = random.Random(seed).sample(spans, len(spans))
        assert join(shuffled) == rows
    return list(rows)


def texts(row: TrafficRow) -> list[object]:
    contexts = row.fields["contexts"]
    assert isinstance(contexts, list)
    return [passage["text"] for passage in contexts]


ROOT = span("root", None, question=ASKED, answer=GIVEN, kind=CHAIN)
BARE = span("root", None)
CONDENSE = span("condense", second=1, kind=MODEL, question="Rewrite", answer="ward 3 move date")
SEARCH = span("search", second=3, kind=RETRIEVER, question="ward 3 move date", texts=["a", "b"])
ANSWER = span("answer", second=5, kind=MODEL, question="Context: a b", answer=GIVEN, prompt=({"text": "a b"},))


def test_question_and_answer_are_the_roots() -> None:
    """What the model was told is no question of a user."""
    [row] = answers(ANSWER, SEARCH, CONDENSE, ROOT)

    assert (row.fields["question"], row.fields["answer"], texts(row)) == (ASKED, GIVEN, ["a", "b"])
    assert row.fields["id"] == "t"
    assert row.fields["timestamp"] == ROOT.start


def test_a_trace_without_its_root_waits() -> None:
    """Whatever else it holds."""
    assert join([ANSWER, SEARCH]) is WaitReason.ROOT


def test_a_call_from_another_program_is_entered_where_it_came_in() -> None:
    """Its root may never be exported; when it is, with words of its own, these count."""
    entry = span("entry", "gateway", is_entry=True, question=ASKED, answer=GIVEN, kind=CHAIN)
    inner = span("inner", "entry", is_entry=True, question="x", answer="y", kind=CHAIN)
    search = span("search", "inner", second=3, kind=RETRIEVER, texts=["a"])
    gateway = span("gateway", None, question="Q?", answer="A.", kind=CHAIN)

    [row] = answers(entry, inner, search)
    [whole] = answers(entry, inner, search, gateway)

    assert (row.fields["id"], row.fields["question"], texts(row)) == ("t", ASKED, ["a"])
    assert (whole.fields["id"], whole.fields["question"], texts(whole)) == ("t", "Q?", ["a"])
    assert join([span("entry", "gateway", is_entry=True), search]) is WaitReason.ROOT


def test_a_root_without_content_takes_the_last_models_answer() -> None:
    """Not that of the model that only rewrote the question for the search."""
    [row] = answers(BARE, CONDENSE, SEARCH, ANSWER)

    assert (row.fields["question"], row.fields["answer"]) == ("Context: a b", GIVEN)


@pytest.mark.parametrize("rest", [[CONDENSE], [CONDENSE, SEARCH], [SEARCH], []])
def test_a_model_that_only_condenses_the_question_gives_no_answer(rest: list[Span]) -> None:
    """Its words are what the search was asked, or it ended before the search began."""
    spans = [span("root", None, question=ASKED), SEARCH, *rest]

    assert join(spans) is WaitReason.CONTENT


def test_a_root_without_an_answer_takes_the_last_models() -> None:
    """An app that streams often records no output; the question stays the root's."""
    [row] = answers(span("root", None, question=ASKED), CONDENSE, SEARCH, ANSWER)

    assert (row.fields["question"], row.fields["answer"]) == (ASKED, GIVEN)


def test_a_root_of_a_server_leaves_it_to_the_chain_below() -> None:
    """`POST /chat` has no content; the highest span below that has both is the exchange."""
    chain = span("chain", question=ASKED, answer=GIVEN, kind=CHAIN, second=1)
    inner = span("inner", "chain", question="x", answer="y", kind=CHAIN, second=2)

    [row] = answers(BARE, chain, inner, ANSWER)

    assert (row.fields["question"], row.fields["answer"]) == (ASKED, GIVEN)


def test_several_retrievers_add_up_and_a_passage_counts_once() -> None:
    """In the order in which they were asked."""
    more = span("more", second=4, kind=RETRIEVER, texts=["b", "c"])

    [row] = answers(ROOT, SEARCH, more, ANSWER)

    assert texts(row) == ["a", "b", "c"]
    assert row.origins["contexts"] == Origin("", FieldPlace.RETRIEVERS, 2)


def test_a_retriever_that_asks_others_hands_on_what_they_found() -> None:
    """Its parts are not added to it."""
    whole = span("whole", second=2, kind=RETRIEVER, texts=["c"])
    part = span("part", "whole", second=3, kind=RETRIEVER, texts=["a", "b", "c"])

    [row] = answers(ROOT, whole, part)

    assert texts(row) == ["c"]


def test_a_reranker_comes_before_the_retrievers() -> None:
    """What these found is kept beside it, as the list before reranking."""
    rank = span("rank", second=4, kind=RERANKER, texts=["b"])

    [row] = answers(ROOT, SEARCH, rank, ANSWER)

    assert texts(row) == ["b"]
    assert row.fields["retrieved"] == [{"text": "a"}, {"text": "b"}]
    assert row.origins["contexts"].place is FieldPlace.RERANKERS


def test_without_either_the_models_input_counts() -> None:
    """As one passage, or as its template was filled."""
    [row] = answers(ROOT, ANSWER)

    assert texts(row) == ["a b"]
    assert row.origins["contexts"].place is FieldPlace.MODEL_INPUT


def test_two_roots_are_two_answers() -> None:
    """Each with what hangs below it, never merged."""
    second = span("again", None, second=9, question="Where?", answer="Here.", kind=CHAIN)
    late = span("other", "again", second=9, kind=RETRIEVER, texts=["c"])

    first, last = answers(ROOT, SEARCH, second, late)

    assert (first.fields["id"], texts(first)) == ("t", ["a", "b"])
    assert (last.fields["id"], last.fields["answer"], texts(last)) == ("t/again", "Here.", ["c"])


def test_the_group_may_stand_on_any_span() -> None:
    """GenAI's conversation is the model span's."""
    [row] = answers(ROOT, SEARCH, span("model", kind=MODEL, answer=GIVEN, group="visit-1"))

    assert row.fields["group"] == "visit-1"


def test_a_circle_of_parents_ends() -> None:
    """A broken exporter may write one."""
    loop = [span("a", "b", kind=RETRIEVER, texts=["x"]), span("b", "a", kind=RETRIEVER, texts=["y"])]

    assert len(answers(ROOT, *loop)) == 1


def test_a_span_is_kept_whole() -> None:
    """With half characters and numbers beyond 64 bits too, and always as the same bytes."""
    odd = span(
        "odd", None, question="\ud800", metadata={"n": 2**70, "x": [1]}, history=({"role": "user", "text": "h"},)
    )

    assert Span.from_json(odd.to_json()) == odd
    assert Span.from_json(SEARCH.to_json()) == SEARCH
