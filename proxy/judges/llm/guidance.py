"""Guide a judge by what experts corrected: guidelines in its task, and answers to other questions that experts labelled.

Guidelines go into the system message, examples into the user message, as data. The rule: a judge that is guided has a signature
of its own, and no example asks the question or stems from the group of the item that is judged.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

from proxy.judges.llm.asking import Ask
from proxy.judges.llm.base import LlmJudge, Outcome, Setup, Steps, data, digest_of
from proxy.judges.llm.embedding import TextsToEmbed
from proxy.judges.llm.prompts import language_of
from proxy.records import Item, Judgement
from proxy.text.tokens import content_words

ALIGNED = "|aligned|"
GUIDELINES, EXAMPLES = "guidelines", "examples"
# Chosen: as many right as wrong ones, so that they tell nothing of how often answers are right.
MOST_OF_A_KIND = 2
# Characters of an example that are sent: it is to be recognised, not studied.
QUESTION_CHARACTERS, ANSWER_CHARACTERS, PASSAGES_CHARACTERS, WHY_CHARACTERS = 500, 1_500, 1_500, 500


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledExample:
    """An answer that experts have judged, as judges of other questions are shown it.

    Attributes
    ----------
    item
        Question, passages and answer, as they may leave.
    question, group
        Keys of what it asks and of what it stems from.
    judgement
        Right or wrong.
    why
        What the experts say of it; "" where they said nothing.
    """

    item: Item
    question: str
    group: str
    judgement: Judgement
    why: str = ""

    @property
    def name(self) -> str:
        """Twelve hex digits that stand for its texts and its label."""
        passages = [context.text for context in self.item.contexts]
        whole = [self.item.question, *passages, self.item.answer, self.judgement.value, self.why]
        return blake2b(json.dumps(whole).encode(), digest_size=6).hexdigest()

    def shown(self) -> dict[str, object]:
        """Return it as the model is shown it."""
        why = {"why": self.why[:WHY_CHARACTERS]} if self.why else {}
        return {**shown_texts(self.item), "verdict": self.judgement.value, **why}


def shown_texts(item: Item) -> dict[str, object]:
    """Return the texts of an answer as a model is shown them beside others, cut to what is needed to recognise it."""
    passages, left = list[str](), PASSAGES_CHARACTERS
    for context in item.contexts:
        if left > 0:
            passages.append(context.text[:left])
            left -= len(context.text)
    texts: dict[str, object] = {
        "question": item.question[:QUESTION_CHARACTERS],
        "passages": passages,
        "answer": item.answer[:ANSWER_CHARACTERS],
    }
    return {name: value for name, value in texts.items() if value}


class ExampleLibrary:
    """Choose, for an item, the labelled answers to other questions that are most like it."""

    def __init__(self, examples: Sequence[LabelledExample], question_of: Callable[[Item], str]) -> None:
        self.examples = tuple(examples)
        self._question_of = question_of
        self._words = [_words_of(example.item) for example in self.examples]
        counts = Counter(word for words in self._words for word in words)
        self._weights = {word: math.log((1 + len(self.examples)) / count) for word, count in counts.items()}
        self._lengths = [self._length(words) for words in self._words]

    def chosen(self, item: Item) -> list[LabelledExample]:
        """Return the most alike, as many right as wrong ones at most, the most alike last."""
        words, question = _words_of(item), self._question_of(item)
        length = self._length(words)
        ranked = sorted(
            (-self._likeness(place, words, length), place)
            for place, example in enumerate(self.examples)
            if example.question != question and (not item.group or example.group != item.group)
        )
        left, places = Counter({Judgement.RIGHT: MOST_OF_A_KIND, Judgement.WRONG: MOST_OF_A_KIND}), list[int]()
        for _, place in ranked:
            if left[self.examples[place].judgement] > 0:
                left[self.examples[place].judgement] -= 1
                places.append(place)
        return [self.examples[place] for place in reversed(places)]

    def _length(self, words: frozenset[str]) -> float:
        return math.sqrt(math.fsum(self._weights.get(word, 0.0) ** 2 for word in words))

    def _likeness(self, place: int, words: frozenset[str], length: float) -> float:
        """Return the cosine of the words of both, weighted by how rare they are among the examples."""
        shared = math.fsum(self._weights[word] ** 2 for word in self._words[place] & words)
        return shared / (self._lengths[place] * length) if shared else 0.0


def _words_of(item: Item) -> frozenset[str]:
    return frozenset(content_words(f"{item.question[:QUESTION_CHARACTERS]} {item.answer[:ANSWER_CHARACTERS]}"))


@dataclass(frozen=True, kw_only=True)
class Guidance:
    """The guidelines that a judge is given, in their order, and the examples to choose from; either may be missing."""

    guidelines: tuple[str, ...] = ()
    library: ExampleLibrary | None = None

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """What of it shapes a score."""
        names = sorted(example.name for example in self.library.examples) if self.library else []
        examples = {"count": len(names), "digest": digest_of({"names": names}), "of_a_kind": MOST_OF_A_KIND}
        return {GUIDELINES: list(self.guidelines), EXAMPLES: examples if names else None}


@dataclass(frozen=True, kw_only=True)
class GuidedJudge:
    """A judge that is given guidelines and examples with all that it asks.

    `signature` is that of a version in force, which stays though one of its examples was forgotten since.
    """

    judge: LlmJudge
    setup: Setup
    guidance: Guidance
    signature: str | None = None

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The (judge, signature) of each score of an item, in order."""
        if self.signature is not None:
            return ((self.judge.judges[0][0], self.signature),)
        digest = digest_of(self.settings)
        return tuple(
            (name, f"{signature.rpartition('|')[0]}{ALIGNED}{digest}") for name, signature in self.judge.judges
        )

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """The settings that the digest in the signatures stands for."""
        return {
            **self.judge.settings,
            **self.guidance.settings,
            "guiding": self.setup.prompts.digest(GUIDELINES, EXAMPLES),
        }

    def steps(self, item: Item) -> Steps:
        """Ask what the judge asks, guided."""
        steps, answer = self.judge.steps(item), None
        try:
            while True:
                ask = next(steps) if answer is None else steps.send(answer)
                answer = yield (ask if isinstance(ask, TextsToEmbed) else self._guided(ask, item))
        except StopIteration as end:
            outcomes: tuple[Outcome, ...] = end.value
        signatures = dict(self.judges)
        return tuple(replace(outcome, signature=signatures[outcome.judge]) for outcome in outcomes)

    def _guided(self, ask: Ask, item: Item) -> Ask:
        language = language_of(item)
        system, user = ask.system, ask.user
        if self.guidance.guidelines:
            numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(self.guidance.guidelines, start=1))
            system += "\n\n" + self.setup.prompts.text(GUIDELINES, language).replace("{guidelines}", numbered)
        if self.guidance.library and (examples := self.guidance.library.chosen(item)):
            system += "\n\n" + self.setup.prompts.text(EXAMPLES, language)
            user = data(**json.loads(user), examples=[example.shown() for example in examples])
        return replace(ask, system=system, user=user)


def is_aligned(signature: str) -> bool:
    """Return whether labels guided the judge of this signature."""
    return ALIGNED in signature
