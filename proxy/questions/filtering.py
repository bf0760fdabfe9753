"""Drop questions that their sources do not answer alone, and say why.

A kept question has an answer that stands in its sources and not in itself, and no other passage is as near to it; a
multi-passage question has an answer that no single source gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from proxy.questions.marking import all_hold
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import BuiltQuestion, DropReason, QuestionKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """The questions that were kept, in order, and how many were dropped for each reason.

    `without_fact` passages hold nothing that a pattern asks for; None where a model asks.
    """

    questions: tuple[BuiltQuestion, ...]
    dropped: Counter[DropReason] = field(default_factory=Counter)
    without_fact: int | None = None

    def plus(self, other: Kept) -> Kept:
        """Add both."""
        return Kept(questions=(*self.questions, *other.questions), dropped=self.dropped + other.dropped)


def filtered(questions: Iterable[BuiltQuestion], index: PassageIndex, most: int | None = None) -> Kept:
    """Return the questions without those that have a reason against them; of those that ask the same the first is kept.

    Where several ask the same and expect different answers, none is. Once `most` are kept the rest is not looked at.
    """
    every = list(questions)
    expected: dict[str, set[str]] = {}
    for question in every:
        expected.setdefault(_asked(question), set()).add(question.reference.casefold())
    kept: dict[str, BuiltQuestion] = {}
    dropped: Counter[DropReason] = Counter()
    for question in every:
        if len(kept) == most:
            break
        asked = _asked(question)
        reason = DropReason.AMBIGUOUS if len(expected[asked]) > 1 else reason_against(question, index)
        if reason is None and asked in kept:
            reason = DropReason.REPEATED
        if reason is None:
            kept[asked] = question
        else:
            dropped[reason] += 1
    return Kept(questions=tuple(kept.values()), dropped=dropped)


def reason_against(question: BuiltQuestion, index: PassageIndex) -> DropReason | None:
    """Return the reason why a question is no good; None where there is none."""
    texts = [source.text for source in question.sources]
    if not all_hold(texts, question.expected):
        return DropReason.NOT_IN_SOURCE
    if any(all_hold([question.question], (group,)) for group in question.expected):
        return DropReason.IN_QUESTION
    if question.kind is QuestionKind.MULTI and any(all_hold([text], question.expected) for text in texts):
        return DropReason.ONE_IS_ENOUGH
    return None if index.is_nearest(question.question, question.sources, question.expected) else DropReason.NOT_NEAREST


def _asked(question: BuiltQuestion) -> str:
    return " ".join(question.question.casefold().split())
