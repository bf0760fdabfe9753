"""Faithfulness without a model: is what the answer says found in the passages?

In comes an item with contexts and an answer; out comes a score in [0, 1] whose reason quotes the sentences without
support. The rule: words are compared, not meaning, so a well-told contradiction can pass and a free paraphrase fail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from proxy.judges.base import ANSWER_LIMIT, cut_answer, cut_note, not_applicable, scaled, scored
from proxy.judges.offline.passages import Passages, read_passages
from proxy.judges.offline.scripts import script_mismatch
from proxy.records import Item, JudgeFailure, Score
from proxy.text import language, quoted, sentences
from proxy.words import content_words, is_number, negated, words

# Later sentences are not judged: a sentence costs a search of all passages.
SENTENCE_LIMIT = 200
_POLARITY_FACTOR = 0.8
_SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """What the passages hold of one sentence of the answer; `weight` is the sentence's share in the mean."""

    sentence: str
    weight: float
    value: float
    missing_numbers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineFaithfulness:
    """Mean over sentences of (coverage + word-pair precision + best window) / 3 x numbers x polarity, `scaled`."""

    name: str = "faithfulness"
    signature: str = "faithfulness|offline|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """The weighted mean support of the answer's sentences."""
        if not any(context.text.strip() for context in item.contexts):
            return not_applicable(self, item, "no passages were retrieved")
        answer = item.answer[:ANSWER_LIMIT]
        if not answer.strip():
            return not_applicable(self, item, "the answer is empty")
        passages = read_passages(item.contexts)
        tokens = content_words(answer) or words(answer)
        if reason := script_mismatch(answer, tokens, passages.scripts, passages, ("the answer is", "the passages are")):
            return not_applicable(self, item, reason)
        parts = sentences(answer, language(answer))
        supports = supported(parts[:SENTENCE_LIMIT], passages)
        if not supports:
            return not_applicable(self, item, "the answer has no words")
        total = math.fsum(one.weight for one in supports)
        value = math.fsum(one.weight * one.value for one in supports) / total
        note = cut_note(passages.cut, _cut(item.answer, parts))
        return scored(self, item, scaled(value), _reason(supports) + note)


def supported(parts: Sequence[str], passages: Passages) -> list[Support]:
    """The support of each sentence that has a word, in order."""
    return [_support(part, tokens, passages) for part in parts if (tokens := words(part))]


def _support(sentence: str, tokens: list[str], passages: Passages) -> Support:
    """(coverage + pairs + window) / 3 x (1/2 + 1/2 number support) x 0.8 where only one side denies."""
    weights = {word: passages.weight(word) for word in content_words(sentence) or tokens}
    total = math.fsum(weights.values())
    coverage = passages.coverage(weights)
    place = passages.best_window(weights)
    pairs = list(pairwise(tokens))
    precision = sum(pair in passages.pairs for pair in pairs) / len(pairs) if pairs else coverage
    numbers = [token for token in tokens if is_number(token)]
    missing = tuple(dict.fromkeys(number for number in numbers if number not in passages))
    found = sum(number in passages for number in numbers) / len(numbers) if numbers else 1.0
    polarity = 1.0 if negated(tokens) == negated(place.sentence) else _POLARITY_FACTOR
    value = (coverage + precision + place.weight / total) / 3 * (0.5 + 0.5 * found) * polarity
    return Support(sentence=sentence, weight=total, value=value, missing_numbers=missing)


def _cut(answer: str, parts: Sequence[str]) -> str:
    """Which part of the answer was judged; empty for all of it."""
    return f"{SENTENCE_LIMIT} sentences of the answer" if len(parts) > SENTENCE_LIMIT else cut_answer(answer)


def _reason(supports: list[Support]) -> str:
    """The sentences without support, quoted, and the numbers that the passages do not hold."""
    weak = [quoted(one.sentence) for one in supports if scaled(one.value) <= 0.5]
    missing = list(dict.fromkeys(number for one in supports for number in one.missing_numbers))
    count = len(supports)
    if weak:
        more = f" and {len(weak) - _SHOWN} more" if len(weak) > _SHOWN else ""
        which = "the one sentence" if count == 1 else f"{len(weak)} of {count} sentences"
        text = f"{which} of the answer without support in the passages: {'; '.join(weak[:_SHOWN])}{more}"
    elif count == 1:
        text = "the one sentence of the answer is supported by the passages"
    else:
        text = f"all {count} sentences of the answer are supported by the passages"
    if not missing:
        return text
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return f"{text}; numbers not in the passages: {', '.join(number[:40] for number in missing[:_SHOWN])}{more}"
