"""Records of synthetic questions: a passage, a question with its known answer, and a test item under one condition.

The abilities are those of RGB (Chen et al. 2024, Benchmarking Large Language Models in Retrieval-Augmented Generation).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b

from proxy.text.alternatives import joined

# The answers that are expected: each group is required, and any text of a group will do.
Expected = tuple[tuple[str, ...], ...]


class Ability(StrEnum):
    """The ability that a test item measures."""

    NOISE = "noise_robustness"  # answer from the source among distractors
    REJECTION = "negative_rejection"  # no passage holds the answer
    INTEGRATION = "information_integration"  # the answer stands in two passages
    COUNTERFACTUAL = "counterfactual_robustness"  # a fact of the source was changed


class QuestionKind(StrEnum):
    """How many passages the answer stands in."""

    SINGLE = "single_passage"
    MULTI = "multi_passage"


class DropReason(StrEnum):
    """Why a question was not kept."""

    NO_QUESTION = "no_question"  # the model had none to ask
    UNREADABLE = "unreadable"  # the reply of the model could not be read
    UNANSWERED = "unanswered"  # the endpoint gave no reply: the next run asks again
    NOT_IN_SOURCE = "not_in_source"  # a source does not hold the expected answer
    IN_QUESTION = "in_question"  # the question gives the answer away
    ROUND_TRIP = "round_trip"  # answered from its source, another answer comes out
    ONE_IS_ENOUGH = "one_passage_is_enough"  # one of its sources answers it alone
    NOT_NEAREST = "source_not_nearest"  # another passage is as near to the question
    AMBIGUOUS = "ambiguous"  # another passage gives another answer to the same question
    REPEATED = "repeated"  # another passage gives the same answer to the same question


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A passage of the team's own corpus; `id` is the caller's, or a hash of the text."""

    id: str
    text: str

    @classmethod
    def of(cls, identity: str, text: str) -> Passage:
        """Return the passage with this id and text."""
        return cls(id=identity, text=text)


@dataclass(frozen=True, kw_only=True, slots=True)
class FactChange:
    """A fact of one source passage that was changed: what it said, and what it says now."""

    passage: str
    original: str
    replacement: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltQuestion:
    """A question that a template or a model made from passages.

    `expected` has a group for each part of the answer, and a group for each source of a multi-passage question. `maker` names
    the template, or all that shaped the model's reply. `change` is what a source may be made to say instead; None where
    nothing is known that it could.
    """

    kind: QuestionKind
    question: str
    expected: Expected
    sources: tuple[Passage, ...]
    maker: str
    change: FactChange | None = None

    @property
    def id(self) -> str:
        """A name that the same question from the same passages always has."""
        return f"question-{short_hash(self.question, self.reference, *(source.text for source in self.sources))}"

    @property
    def reference(self) -> str:
        """The expected answer as a text: its alternatives, or of several parts the first text of each."""
        if len(self.expected) == 1:
            return joined(self.expected[0])
        return "; ".join(group[0] for group in self.expected)

    def with_expected(self, expected: Expected) -> BuiltQuestion:
        """Return the question with other expected answers."""
        return replace(self, expected=expected)

    def with_change(self, change: FactChange) -> BuiltQuestion:
        """Return the question with what a source may be made to say."""
        return replace(self, change=change)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionItem:
    """A question under one condition, with the passages that the app is given and the answer that is known.

    `noise_rate` is the share of passages that are no sources: 1 for negative rejection. `sources` are the ids of the passages
    that the question was made from, whether they are given or not; items that share one are no independent evidence.
    """

    id: str
    question_id: str
    kind: QuestionKind
    ability: Ability
    noise_rate: float
    question: str
    expected: Expected
    sources: tuple[str, ...]
    contexts: tuple[Passage, ...]
    change: FactChange | None = None

    @property
    def group(self) -> str:
        """What its row of traffic shares with others: the first source passage."""
        return self.sources[0]


def short_hash(*parts: str) -> str:
    """Return sixteen hex digits that stand for these texts in this order."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def passage_of(text: str, identity: str | None = None) -> Passage:
    """Return a passage; without an id of its own, under a hash of its text."""
    return Passage(id=identity or f"passage-{short_hash(text)}", text=text)


def distinct(passages: Iterable[Passage]) -> list[Passage]:
    """Return the passages that say something, each text once, white space aside; ids that stand for several texts get a hash."""
    by_text: dict[str, Passage] = {}
    for passage in passages:
        if plain := " ".join(passage.text.split()):
            by_text.setdefault(plain, passage)
    first: dict[str, Passage] = {}
    for passage in by_text.values():
        first.setdefault(passage.id, passage)
    return [passage if first[passage.id] is passage else passage_of(passage.text) for passage in by_text.values()]
