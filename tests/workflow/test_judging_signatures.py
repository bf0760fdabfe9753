"""Which scores a rule reads where a judge has several, and what becomes of a judge that breaks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from annotate.store import Store
from annotate.workflow.judging import offline, rules
from proxy.judges.base import scored
from proxy.records import Item, JudgeFailure, Score
from support.store import LATER, NOW

PRESET = "min(context_relevance, faithfulness_yes_no) > 0.5"


def item() -> Item:
    return Item(id="a", question="Q?", answer="A.")


def add(store: Store, *pairs: tuple[str, str]) -> None:
    """One item with these scores: (judge, signature) of each."""
    scores = [Score(item_id="a", judge=judge, signature=signature, value=0.9) for judge, signature in pairs]
    with store.atomic():
        store.traffic.items.add([item()], now=NOW)
        store.scores.keep({1: scores}, now=NOW)


def reads(store: Store, expression: str) -> dict[str, str]:
    """The signatures that the rule comes to read."""
    return dict(rules.set_rule(store, "r", expression, {}, who="tester", now=NOW)[1].signatures)


OFFLINE = [(name, f"{name}|offline|v2") for name in ("context_relevance",)]


def test_a_rule_does_not_mix_a_model_with_words_unasked(store: Store) -> None:
    """The judge that only a model has decides: the other one's scores of a model are read too, not the offline ones."""
    add(
        store,
        *OFFLINE,
        ("context_relevance", "context_relevance|llm|m|v1|a"),
        ("faithfulness_yes_no", "faithfulness_yes_no|llm|m|v1|b"),
    )
    rules.follow_scores(store, now=NOW)

    assert reads(store, PRESET) == {
        "context_relevance": "context_relevance|llm|m|v1|a",
        "faithfulness_yes_no": "faithfulness_yes_no|llm|m|v1|b",
    }


def test_where_a_model_has_not_judged_the_words_are_read(store: Store) -> None:
    """There is nothing else."""
    add(store, *OFFLINE, ("faithfulness_yes_no", "faithfulness_yes_no|llm|m|v1|b"))

    assert reads(store, PRESET)["context_relevance"] == "context_relevance|offline|v2"


@dataclass
class Breaking:
    """A judge whose code does something that no judge may, until it is mended."""

    result: object
    name: str = "mine"
    signature: str = "mine|my-judges|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        if isinstance(self.result, Exception):
            raise self.result
        if isinstance(self.result, float) and self.result > 1:
            return scored(self, item, self.result, "")
        return self.result  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ValueError("no such key"), "ValueError: no such key"),
        (None, "a judge returns a Score or a JudgeFailure, not None"),
        (0.5, "a judge returns a Score or a JudgeFailure, not 0.5"),
        (1.7, "a score lies in [0, 1], got 1.7"),
    ],
)
def test_a_judge_that_breaks_is_told_of_and_asked_again_once_mended(store: Store, result: object, words: str) -> None:
    """Its error is no word on the item: the next run asks again, and the score takes its place."""
    with store.atomic():
        store.traffic.items.add([item()], now=NOW)
    broken = offline.judge(store, [Breaking(result)], now=NOW)
    again = offline.judge(store, [Breaking(result)], now=NOW)
    mended = offline.judge(
        store, [Breaking(Score(item_id="a", judge="mine", signature="mine|my-judges|v1", value=0.5))], now=LATER
    )

    assert broken.errors == again.errors == 1
    assert words in str(broken.error)
    assert (mended.scores, mended.errors, mended.error) == (1, 0, None)
    assert offline.judge(store, [Breaking(result)], now=LATER).items == 0
