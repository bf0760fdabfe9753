"""Judge context relevance without a model: are the passages about what the question asks?

The reason names the question's words that the passages lack, and each passage has a value of its own. The judge sees
whether the passages are on topic, not whether they can answer. In a conversation a short question ("and for children?")
is read together with the user's turn before; a longer one also by itself, and the better fit counts, so that a new
subject is not held against its passages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proxy.judges.base import QUESTION_LIMIT, absent, cut_note, cut_question, not_applicable, scaled, scored
from proxy.judges.offline.passages import CONTEXT_LIMIT, Passages, read_passages
from proxy.judges.offline.scripts import comparable, script_mismatch
from proxy.judges.offline.turns import asks_for_nothing, hangs_on_before, previous_question
from proxy.records import Item, JudgeFailure, Score
from proxy.text.language import script_shares
from proxy.text.tokens import content_words, phrases

# Chosen on synthetic conversations: with more, passages on the same subject without the answer pass; with less, those on
# another subject.
EARLIER, MOST_EARLIER = 0.5, 2.0
NOTHING_ASKED = "the question holds nothing to look up"


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineContextRelevance:
    """(idf coverage of the question's content words + the same in the best three sentences running) / 2, `scaled`.

    Words of the user's turn before have `EARLIER` of their weight, all together at most `MOST_EARLIER` of the question's.
    """

    name: str = "context_relevance"
    signature: str = "context_relevance|offline|v2"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Measure how much of the question the passages hold, anywhere and in one place."""
        if not any(context.text.strip() for context in item.contexts):
            return not_applicable(self, item, "no passages were retrieved")
        question = item.question[:QUESTION_LIMIT]
        tokens = content_words(question)
        if asks_for_nothing(question):
            return not_applicable(self, item, NOTHING_ASKED)
        passages = read_passages(item.contexts)
        if reason := script_mismatch(
            question, tokens, passages.scripts, passages, ("the question is", "the passages are")
        ):
            return not_applicable(self, item, reason)
        asked = {word: passages.weight(word) for word in tokens}
        readings = _readings(question, asked, previous_question(question, item.history), passages)
        value = max(_fit(weights, passages) for weights in readings)
        missing = {word for word in asked if word not in passages}
        return scored(
            self,
            item,
            scaled(value),
            uncovered(question, missing, "passages") + cut_note(cut_question(item.question), passages.cut),
            passages=_each(item, question, readings, passages),
        )


def _readings(question: str, asked: Mapping[str, float], before: str, passages: Passages) -> list[Mapping[str, float]]:
    """Weight the question's words in each reading: with the turn before, and by itself where it can stand alone."""
    earlier = {word: passages.weight(word) for word in content_words(before) if word not in asked}
    if not earlier:
        return [asked]
    share = min(EARLIER, MOST_EARLIER * math.fsum(asked.values()) / math.fsum(earlier.values()))
    both = dict(asked) | {word: share * weight for word, weight in earlier.items()}
    return [both] if hangs_on_before(question) else [asked, both]


def _fit(weights: Mapping[str, float], passages: Passages) -> float:
    """Average the words' coverage anywhere and in the best window."""
    together = passages.best_window(weights).weight / math.fsum(weights.values())
    return (passages.coverage(weights) + together) / 2


def _each(item: Item, question: str, readings: Sequence[Mapping[str, float]], passages: Passages) -> list[float | None]:
    """Apply the same formula to each passage, with the same weights; None where it is empty, unread or in another script."""
    fits: dict[int, float] = {}
    for weights in readings:
        total = math.fsum(weights.values())
        for rank, content in passages.by_passage(weights).items():
            fits[rank] = max(fits.get(rank, 0.0), (content.coverage + content.window) / 2 / total)
    own = script_shares(question)
    values: list[float | None] = []
    left = CONTEXT_LIMIT
    for rank, context in enumerate(item.contexts, start=1):
        text, left = context.text[: max(0, left)], left - len(context.text)
        if rank in fits:
            values.append(min(1.0, scaled(fits[rank])))
        else:
            values.append(0.0 if text.strip() and comparable(own, script_shares(text)) else None)
    return values


def uncovered(question: str, missing: set[str], where: str) -> str:
    """Say which words of the question are missing, as they stand in it."""
    if not missing:
        return f"all words of the question are found in the {where}"
    return absent(phrases(question, missing), "the question", f"the {where}")
