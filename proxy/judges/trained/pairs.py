"""Make the pairs that teach: an answer with its question and passages, and the same with a part that does not belong.

Weak negatives have the passages or the answer of another question by chance, strong ones those of a question about nearly the
same, as in ARES. Which are near is told by words: the cosine of the passages' words, each weighed by its rarity.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from proxy.judges.trained.changed_answers import changed
from proxy.judges.trained.supported_answers import SupportedAnswer, plain, units_of
from proxy.records import Item
from proxy.text.tokens import content_words

# Chosen: above it two passages are versions of one text, and the answer may stand in both.
SAME_TEXT = 0.8
# Chosen: so many lots are drawn for another question before none is taken.
TRIES = 20


class Criterion(StrEnum):
    """What a judge is trained for: the name of the offline judge that it stands beside."""

    CONTEXT_RELEVANCE = "context_relevance"
    FAITHFULNESS = "faithfulness"
    ANSWER_RELEVANCE = "answer_relevance"


class PairKind(StrEnum):
    """What was put in place of the passages or the answer."""

    OWN = "own passages and answer"
    OTHER_PASSAGES = "passages of another question"
    NEAR_PASSAGES = "passages about nearly the same"
    OTHER_ANSWER = "answer to another question"
    NEAR_ANSWER = "answer to a question about nearly the same"
    SAME_PASSAGES_ANSWER = "answer to another question about these passages"
    CHANGED_ANSWER = "answer with another number or name"


# Which kinds say something of a criterion, and what. An answer to another question about the same passages is supported by them.
POSITIVE: Mapping[Criterion, Mapping[PairKind, bool]] = MappingProxyType(
    {
        Criterion.CONTEXT_RELEVANCE: {
            PairKind.OWN: True,
            PairKind.OTHER_PASSAGES: False,
            PairKind.NEAR_PASSAGES: False,
        },
        Criterion.FAITHFULNESS: {
            PairKind.OWN: True,
            PairKind.SAME_PASSAGES_ANSWER: True,
            PairKind.OTHER_PASSAGES: False,
            PairKind.OTHER_ANSWER: False,
            PairKind.CHANGED_ANSWER: False,
        },
        Criterion.ANSWER_RELEVANCE: {
            PairKind.OWN: True,
            PairKind.OTHER_ANSWER: False,
            PairKind.NEAR_ANSWER: False,
            PairKind.SAME_PASSAGES_ANSWER: False,
        },
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingPair:
    """An item with what was put in place, and the unit of the answer that it was made from."""

    item: Item
    kind: PairKind
    unit: int


def pairs_of(answers: Sequence[SupportedAnswer], seed: int) -> tuple[TrainingPair, ...]:
    """Make the pairs of these answers, at most one of a kind each; the same answers and seed give the same pairs."""
    nearest = _Nearest(answers)
    units = units_of(answers)
    pairs = []
    for place, answer in enumerate(answers):
        rng = random.Random(f"{seed}|{plain(answer.question)}|{plain(answer.answer)}")  # noqa: S311 - no secret
        for kind, item in _items(place, answer, answers, nearest, rng):
            pairs.append(
                TrainingPair(item=replace(item, id=f"{place}-{kind.name.lower()}"), kind=kind, unit=units[place])
            )
    return tuple(pairs)


def _items(
    place: int, own: SupportedAnswer, answers: Sequence[SupportedAnswer], nearest: _Nearest, rng: random.Random
) -> Iterator[tuple[PairKind, Item]]:
    item = Item(id="", question=own.question, answer=own.answer, contexts=own.contexts, history=own.history)
    yield PairKind.OWN, item
    if other := _by_chance(answers, rng, lambda answer: _is_about_others(own, answer)):
        yield PairKind.OTHER_PASSAGES, replace(item, contexts=other.contexts)
    if other := _by_chance(answers, rng, lambda answer: _is_about_others(own, answer)):
        yield PairKind.OTHER_ANSWER, replace(item, answer=other.answer)
    if near := nearest.of(place):
        yield PairKind.NEAR_PASSAGES, replace(item, contexts=near.contexts)
        yield PairKind.NEAR_ANSWER, replace(item, answer=near.answer)
    if sibling := _by_chance(nearest.about_the_same(own), rng, lambda answer: _asks_otherwise(own, answer)):
        yield PairKind.SAME_PASSAGES_ANSWER, replace(item, answer=sibling.answer)
    if text := changed(own.answer, "\n".join(context.text for context in own.contexts), rng):
        yield PairKind.CHANGED_ANSWER, replace(item, answer=text)


def _by_chance(
    answers: Sequence[SupportedAnswer], rng: random.Random, fits: Callable[[SupportedAnswer], bool]
) -> SupportedAnswer | None:
    """Draw an answer that fits; None where TRIES lots bring none."""
    lots = (rng.choice(answers) for _ in range(TRIES if answers else 0))
    return next((answer for answer in lots if fits(answer)), None)


def _is_about_others(own: SupportedAnswer, other: SupportedAnswer) -> bool:
    """Whether nothing of the other belongs to this question: neither its passages, nor its question, nor its answer."""
    return _asks_otherwise(own, other) and own.passages.isdisjoint(other.passages) and not _holds(other, own.answer)


def _asks_otherwise(own: SupportedAnswer, other: SupportedAnswer) -> bool:
    return plain(own.question) != plain(other.question) and plain(own.answer) != plain(other.answer)


def _holds(answer: SupportedAnswer, text: str) -> bool:
    """Whether a text stands word for word in the passages, which then support it."""
    return any(plain(text) in passage for passage in answer.passages)


class _Nearest:
    """The answers by their passages, and which passages are like which by their words."""

    def __init__(self, answers: Sequence[SupportedAnswer]) -> None:
        self._answers = answers
        words = [Counter(content_words("\n".join(sorted(answer.passages)))) for answer in answers]
        count = Counter(word for own in words for word in own)
        rarity = {word: math.log((1 + len(answers)) / n) for word, n in count.items()}
        self._weights = [_unit_length({word: rarity[word] for word in own}) for own in words]
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, weights in enumerate(self._weights):
            for word in weights:
                self._places[word].append(place)
        self._by_passage: defaultdict[str, list[SupportedAnswer]] = defaultdict(list)
        for answer in answers:
            for passage in answer.passages:
                self._by_passage[passage].append(answer)

    def about_the_same(self, own: SupportedAnswer) -> list[SupportedAnswer]:
        """Return the answers whose passages are all among these."""
        beside = {id(other): other for passage in sorted(own.passages) for other in self._by_passage[passage]}
        return [other for other in beside.values() if other.passages <= own.passages]

    def of(self, place: int) -> SupportedAnswer | None:
        """Return the answer with the nearest other passages: those of the same document first, then by likeness."""
        own = self._answers[place]
        likeness: defaultdict[int, float] = defaultdict(float)
        for word, weight in self._weights[place].items():
            for other in self._places[word]:
                likeness[other] += weight * self._weights[other][word]

        def order(other: int) -> tuple[bool, float, int]:
            is_beside = own.document is not None and self._answers[other].document == own.document
            return not is_beside, -likeness[other], other

        return next(
            (
                self._answers[other]
                for other in sorted(likeness, key=order)
                if likeness[other] < SAME_TEXT and _is_about_others(own, self._answers[other])
            ),
            None,
        )


def _unit_length(weights: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}
