"""Describe an item by what the offline judges compare: a few numbers in [0, 1] for each criterion, by name.

The offline judge's own score is among them, so that a trained judge starts from it. Where that judge abstains, so does the
trained one, for the same reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from proxy.judges.base import ANSWER_LIMIT, QUESTION_LIMIT, Judge
from proxy.judges.offline.answer_relevance import OfflineAnswerRelevance
from proxy.judges.offline.context_relevance import OfflineContextRelevance
from proxy.judges.offline.faithfulness import OfflineFaithfulness
from proxy.judges.offline.passages import WINDOW, Passages, read_passages
from proxy.judges.trained.pairs import Criterion
from proxy.records import Item, JudgeFailure, Score
from proxy.text.refusals import is_refusal
from proxy.text.tokens import content_words, is_number, words

STOCK = "stock"
Features = Mapping[str, float]


class _Read(NamedTuple):
    """What the features of an item are computed from: the offline judge's score, and the words of both texts."""

    stock: Score
    question: Sequence[str]
    answer: str
    passages: Passages


class CriterionFeatures(NamedTuple):
    """The offline judge of a criterion, the features beside its score by name, and those of which more is worse."""

    stock: Judge
    beside: Mapping[str, Callable[[_Read], float]]
    against: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The names in order, the offline judge's score first."""
        return (STOCK, *self.beside)

    @property
    def signs(self) -> tuple[int, ...]:
        """The sign that the weight of each feature may have, by what it measures."""
        return tuple(-1 if name in self.against else 1 for name in self.names)

    def read(self, item: Item) -> Features | JudgeFailure:
        """Compute the features of an item; the offline judge's failure where it gives no score."""
        outcome = self.stock.judge(item)
        if isinstance(outcome, JudgeFailure):
            return outcome
        read = _Read(
            outcome,
            content_words(item.question[:QUESTION_LIMIT]),
            item.answer[:ANSWER_LIMIT],
            read_passages(item.contexts),
        )
        return {STOCK: outcome.value, **{name: feature(read) for name, feature in self.beside.items()}}


def _best_passage(read: _Read) -> float:
    """Return the highest score of a passage by itself."""
    return max((value for value in read.stock.passages if value is not None), default=0.0)


def _question_in_passages(read: _Read) -> float:
    """Return the share of the question's content words that stand in the passages."""
    return _share(read.question, read.passages)


def _question_in_sentence(read: _Read) -> float:
    """Return the largest share of the question's content words, by their rarity, in one sentence of the passages."""
    weights = {word: read.passages.weight(word) for word in read.question}
    total = math.fsum(weights.values())
    best = max((math.fsum(weights.get(word, 0.0) for word in line.words) for line in read.passages.lines), default=0.0)
    return best / total if total else 0.0


def _question_in_order(read: _Read) -> float:
    """Return the share of the question's neighbouring content words that stand near each other in the passages."""
    pairs = set(pairwise(read.question))
    return len(read.passages.near(pairs)) / len(pairs) if pairs else _question_in_passages(read)


def _longest_word(read: _Read) -> float:
    """Return whether the passages hold the word of the question that is longest, which mostly names its subject."""
    return float(max(read.question, key=len, default="") in read.passages)


def _weakest_sentence(read: _Read) -> float:
    """Return the lowest support of a sentence of the answer."""
    return min((sentence.value for sentence in read.stock.sentences if sentence.value is not None), default=0.0)


def _answer_in_passages(read: _Read) -> float:
    """Return the share of the answer's content words that stand in the passages."""
    return _share(content_words(read.answer) or words(read.answer), read.passages)


def _answer_in_order(read: _Read) -> float:
    """Return the share of the answer's pairs of words that stand so in the passages."""
    pairs = list(pairwise(words(read.answer)))
    return sum(pair in read.passages.pairs for pair in pairs) / len(pairs) if pairs else _answer_in_passages(read)


def _answer_near(read: _Read) -> float:
    """Return the share of the answer's neighbouring content words that stand near each other in the passages."""
    pairs = set(pairwise(content_words(read.answer)))
    return len(read.passages.near(pairs)) / len(pairs) if pairs else _answer_in_passages(read)


def _numbers_in_passages(read: _Read) -> float:
    """Return the share of the answer's numbers that stand in the passages; 1 without numbers."""
    return _share([word for word in words(read.answer) if is_number(word)], read.passages, nothing=1.0)


def _refuses(read: _Read) -> float:
    """Return whether the answer is a refusal."""
    return float(is_refusal(read.answer) is not None)


def _repeats_question(read: _Read) -> float:
    """Return the share of the answer's content words that the question has used."""
    return _share(content_words(read.answer), frozenset(read.question))


def _answer_beside_question(read: _Read) -> float:
    """Return the share of the answer's content words in the place of the passages that speaks most of the question."""
    weights = {word: read.passages.weight(word) for word in read.question}
    return _share(content_words(read.answer), _around(weights, read.passages))


def _question_beside_answer(read: _Read) -> float:
    """Return the share of the question's content words in the place of the passages that speaks most of the answer."""
    weights = {word: read.passages.weight(word) for word in content_words(read.answer)}
    return _share(read.question, _around(weights, read.passages))


def _around(weights: Mapping[str, float], passages: Passages) -> frozenset[str]:
    """Return the words of the sentences around the best place for these words."""
    line = passages.best_window(weights).line
    if line is None:
        return frozenset()
    place = next(at for at, other in enumerate(passages.lines) if other is line)
    return frozenset().union(*(other.words for other in passages.lines[max(0, place - WINDOW + 1) : place + WINDOW]))


def _share(tokens: Sequence[str], known: Passages | frozenset[str], nothing: float = 0.0) -> float:
    """Return the share of the distinct tokens that are known; `nothing` where there is no token."""
    distinct = set(tokens)
    return sum(token in known for token in distinct) / len(distinct) if distinct else nothing


FEATURES: Mapping[Criterion, CriterionFeatures] = MappingProxyType(
    {
        Criterion.CONTEXT_RELEVANCE: CriterionFeatures(
            OfflineContextRelevance(),
            {
                "best_passage": _best_passage,
                "question_in_passages": _question_in_passages,
                "question_in_sentence": _question_in_sentence,
                "question_in_order": _question_in_order,
                "longest_word": _longest_word,
            },
        ),
        Criterion.FAITHFULNESS: CriterionFeatures(
            OfflineFaithfulness(),
            {
                "weakest_sentence": _weakest_sentence,
                "answer_in_passages": _answer_in_passages,
                "answer_in_order": _answer_in_order,
                "answer_near": _answer_near,
                "numbers_in_passages": _numbers_in_passages,
            },
        ),
        Criterion.ANSWER_RELEVANCE: CriterionFeatures(
            OfflineAnswerRelevance(),
            {
                "refuses": _refuses,
                "repeats_question": _repeats_question,
                "answer_beside_question": _answer_beside_question,
                "question_beside_answer": _question_beside_answer,
            },
            against=frozenset({"refuses"}),
        ),
    }
)
