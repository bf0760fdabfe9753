"""Turn questions into test items under RGB's conditions: noise, no answer, two sources, and a changed fact.

Every choice follows from the seed and the question alone, so that a question keeps its items however many others there are.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from proxy.questions.marking import all_hold, holds, normal, whole_words
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import Ability, BuiltQuestion, Passage, QuestionItem, QuestionKind, short_hash

# Distractors are drawn from so many times as many of the nearest passages.
_POOL = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionSettings:
    """The noise rates, the number of passages where none holds the answer, and the seed."""

    noise_rates: tuple[float, ...] = (0.0, 0.5, 0.8)
    passages: int = 5
    seed: int = 0


class Conditions(NamedTuple):
    """The items of some questions, and how many could not be made for want of passages or of a fact to change, by ability."""

    items: tuple[QuestionItem, ...]
    missing: Counter[Ability]


def distractors(rate: float) -> int:
    """Return the distractors beside one source that come nearest to a noise rate: k of k + 1 passages are noise."""
    return round(rate / (1 - rate))


def conditions(questions: Sequence[BuiltQuestion], index: PassageIndex, settings: ConditionSettings) -> Conditions:
    """Make the items of questions.

    A single-passage question gives an item at each noise rate, one of which no passage holds the answer, and one in which a fact
    was changed; a multi-passage question gives one with its sources. The noise rate of an item is the share that it has: with
    one source k / (k + 1) for k distractors, the nearest to the rate that was asked for.
    """
    items: list[QuestionItem] = []
    missing: Counter[Ability] = Counter()
    for question in questions:
        for ability, item in _Making(question, index, settings).items():
            if item is None:
                missing[ability] += 1
            else:
                items.append(item)
    return Conditions(tuple(items), missing)


class _Making:
    """The items of one question."""

    def __init__(self, question: BuiltQuestion, index: PassageIndex, settings: ConditionSettings) -> None:
        self._question, self._index, self._settings = question, index, settings

    def items(self) -> Iterator[tuple[Ability, QuestionItem | None]]:
        """Yield each ability with its item, None where it cannot be made."""
        if self._question.kind is QuestionKind.MULTI:
            yield Ability.INTEGRATION, self._item(Ability.INTEGRATION, 0.0, self._question.sources)
            return
        nearest = self._noise()
        for count in sorted({distractors(rate) for rate in self._settings.noise_rates}):
            yield Ability.NOISE, self._noisy(Ability.NOISE, count, nearest, self._question.sources)
        yield Ability.REJECTION, self._noisy(Ability.REJECTION, self._settings.passages, nearest, ())
        yield Ability.COUNTERFACTUAL, self._changed()

    def _noise(self) -> list[Passage]:
        """Return the passages that hold no part of the answer, the nearest to the question first."""
        ranked = self._index.ranked(self._question.question)
        known = {passage.id for passage in ranked}
        rest = [passage for passage in self._index.passages if passage.id not in known]
        self._lots("rest").shuffle(rest)
        most = max(self._settings.passages, *map(distractors, self._settings.noise_rates), 0)
        return list(islice(filter(self._is_noise, (*ranked, *rest)), _POOL * most))

    def _is_noise(self, passage: Passage) -> bool:
        """Return whether a passage is no source and holds no part of the answer."""
        if passage.id in {source.id for source in self._question.sources}:
            return False
        return not any(all_hold([passage.text], (group,)) for group in self._question.expected)

    def _noisy(
        self, ability: Ability, count: int, nearest: Sequence[Passage], sources: tuple[Passage, ...]
    ) -> QuestionItem | None:
        if len(nearest) < count:
            return None
        rate = count / (count + len(sources))
        chosen = self._lots(f"{ability}|{count}").sample(list(nearest[: _POOL * count]), count)
        return self._item(ability, rate, (*sources, *chosen))

    def _changed(self) -> QuestionItem | None:
        change = self._question.change
        if change is None:
            return None
        source = self._question.sources[0]
        text = with_change(source.text, change.original, change.replacement)
        is_changed = text is not None and not all_hold([text], self._question.expected)
        if text is None or not is_changed or not holds(normal(text), change.replacement):
            return None
        return self._item(Ability.COUNTERFACTUAL, 0.0, (Passage(id=source.id, text=text),))

    def _item(self, ability: Ability, rate: float, contexts: Sequence[Passage]) -> QuestionItem:
        order = list(contexts)
        self._lots(f"{ability}|order|{rate}").shuffle(order)
        question = self._question
        return QuestionItem(
            id=f"item-{short_hash(question.id, ability.value, f'{rate:.4f}', str(self._settings.seed))}",
            question_id=question.id,
            kind=question.kind,
            ability=ability,
            noise_rate=rate,
            question=question.question,
            expected=question.expected,
            sources=tuple(source.id for source in question.sources),
            contexts=tuple(order),
            change=question.change if ability is Ability.COUNTERFACTUAL else None,
        )

    def _lots(self, purpose: str) -> random.Random:
        return random.Random(f"{self._settings.seed}|{self._question.id}|{purpose}")  # noqa: S311


def with_change(text: str, original: str, replacement: str) -> str | None:
    """Replace a fact wherever a text states it as a whole word; None where it does not."""
    pattern = re.compile(whole_words(original), re.IGNORECASE)
    return pattern.sub(lambda _: replacement, text) if pattern.search(text) else None
