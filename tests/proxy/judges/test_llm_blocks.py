"""A long answer is asked about in blocks: a form of thirty sentences at most, each with the sentences before it to read."""

from __future__ import annotations

import json

import pytest

from proxy.judges.llm.asking import Ask
from proxy.judges.llm.grading import RELEVANCE
from support.llm import built, drive, item, score

LONG = " ".join(f"The tower has {number} steps." for number in range(1, 66))


def filled(ask: Ask) -> str:
    """Every question answered with its last but one choice or, for a sentence, as not found."""
    return json.dumps({question.key: {question.note: "", "verdict": "not_found" if question.note == "quote" else question.choices[-1]} for question in ask.form.questions})  # fmt: skip


@pytest.mark.parametrize("one_call", [False, True])
def test_65_sentences_are_three_asks(one_call: bool) -> None:
    """30 + 30 + 5 keys, the two questions on the passages with the first; each block sees all sentences up to its end."""
    driven = drive(built(one_call=one_call), item(LONG), filled)
    extra = len(RELEVANCE) if one_call else 0

    assert [len(ask.form.questions) for ask in driven.asks] == [30 + extra, 30, 5]
    assert [len(json.loads(ask.user)["sentences"]) for ask in driven.asks] == [30, 60, 65]
    assert [ask.form.questions[-1].key for ask in driven.asks] == ["s30", "s60", "s65"]


def test_the_blocks_make_one_score() -> None:
    """65 verdicts in their order, one mean."""
    detail = score(drive(built(), item(LONG), filled))

    assert [sentence.sentence for sentence in detail.sentences][:2] == [
        "The tower has 1 steps.",
        "The tower has 2 steps.",
    ]
    assert (len(detail.sentences), detail.value) == (65, 0.0)
