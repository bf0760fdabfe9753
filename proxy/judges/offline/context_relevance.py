"""Context relevance without a model: do the passages speak of what the question asks?

In comes an item with a question and contexts; out comes a score in [0, 1] whose reason names the question's words that
the passages lack, with a value for each passage alone. The rule: on topic is all it can see; whether the passages can
answer, it cannot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from proxy.judges.base import QUESTION_LIMIT, cut_note, cut_question, not_applicable, scaled, scored
from proxy.judges.offline.passages import CONTEXT_LIMIT, Passages, read_passages
from proxy.judges.offline.scripts import comparable, script_mismatch
from proxy.records import Item, JudgeFailure, Score
from proxy.text import script_shares
from proxy.words import content_words, phrases

_SHOWN = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineContextRelevance:
    """(idf coverage of the question's content words + the same in the best three sentences running) / 2, `scaled`."""

    name: str = "context_relevance"
    signature: str = "context_relevance|offline|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """How much of the question the passages hold, anywhere and in one place."""
        if not any(context.text.strip() for context in item.contexts):
            return not_applicable(self, item, "no passages were retrieved")
        question = item.question[:QUESTION_LIMIT]
        tokens = content_words(question)
        if not tokens:
            return not_applicable(self, item, "the question has no content words")
        passages = read_passages(item.contexts)
        if reason := script_mismatch(
            question, tokens, passages.scripts, passages, ("the question is", "the passages are")
        ):
            return not_applicable(self, item, reason)
        weights = {word: passages.weight(word) for word in tokens}
        together = passages.best_window(weights).weight / math.fsum(weights.values())
        value = (passages.coverage(weights) + together) / 2
        missing = {word for word in weights if word not in passages}
        return scored(
            self,
            item,
            scaled(value),
            uncovered(question, missing, "passages") + cut_note(cut_question(item.question), passages.cut),
            passages=_each(item, question, weights, passages),
        )


def _each(item: Item, question: str, weights: Mapping[str, float], passages: Passages) -> list[float | None]:
    """The same formula on each passage, with the same weights; None where it is empty, unread or in another script."""
    total = math.fsum(weights.values())
    held = passages.by_passage(weights)
    own = script_shares(question)
    values: list[float | None] = []
    left = CONTEXT_LIMIT
    for rank, context in enumerate(item.contexts, start=1):
        text, left = context.text[: max(0, left)], left - len(context.text)
        if one := held.get(rank):
            values.append(min(1.0, scaled((one.coverage + one.window) / 2 / total)))
        else:
            values.append(0.0 if text.strip() and comparable(own, script_shares(text)) else None)
    return values


def uncovered(question: str, missing: set[str], where: str) -> str:
    """The words of the question that are missing, as they stand in it."""
    if not missing:
        return f"all words of the question are found in the {where}"
    named = phrases(question, missing)
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return f"words of the question not in the {where}: {', '.join(word[:40] for word in named[:_SHOWN])}{more}"
