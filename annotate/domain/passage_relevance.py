"""Answers of experts about the passages that an answer was shown with: which are relevant, and whether they suffice.

The rule: each annotator counts once; the majority decides on each passage and on whether they suffice, and a tie leaves it open.
An answer counts where every passage of it is decided, because who stops half-way has read the upper ranks alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

# The shares of the draws that are asked about passages, and which they are: fixed by this salt and the key of the draw's task.
SALT = "passages"
RELEVANT, NOT_RELEVANT, UNANSWERED = "relevant", "not_relevant", "unanswered"
SUFFICIENT, MISSING = "sufficient", "missing"
PASSAGE_COLUMNS = RELEVANCE_COLUMN, SUFFICIENCY_COLUMN = ("passage_relevance", "context_sufficiency")


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageRelevance:
    """The relevance of each passage in rank order, and whether nothing needed is missing; None is not answered."""

    relevant: tuple[bool | None, ...] = ()
    is_sufficient: bool | None = None

    @property
    def precision(self) -> float | None:
        """The share of the passages that are relevant; None unless each was answered, or where there is none."""
        if not self.relevant or None in self.relevant:
            return None
        return sum(map(bool, self.relevant)) / len(self.relevant)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was answered."""
        return self.is_sufficient is None and set(self.relevant) <= {None}


def resolve_passages(answers: Iterable[PassageRelevance | None]) -> PassageRelevance | None:
    """Resolve the answers of the annotators of one item, one each; None where nobody has answered."""
    given = [answer for answer in answers if answer is not None and not answer.is_empty]
    if not given:
        return None
    ranks = max(len(answer.relevant) for answer in given)
    return PassageRelevance(
        relevant=tuple(
            _majority(answer.relevant[rank] for answer in given if rank < len(answer.relevant)) for rank in range(ranks)
        ),
        is_sufficient=_majority(answer.is_sufficient for answer in given),
    )


def _majority(votes: Iterable[bool | None]) -> bool | None:
    """Return the answer that most votes give; None for a tie or without votes."""
    given = [vote for vote in votes if vote is not None]
    yes = sum(given)
    return None if 2 * yes == len(given) else 2 * yes > len(given)


def to_json(passages: PassageRelevance | None) -> str | None:
    """Return the answers as a column of the store has them."""
    return None if passages is None else json.dumps([list(passages.relevant), passages.is_sufficient])


def from_json(column: object) -> PassageRelevance | None:
    """Return the answers that a column of the store holds."""
    if not isinstance(column, str):
        return None
    relevant, is_sufficient = json.loads(column)
    return PassageRelevance(relevant=tuple(relevant), is_sufficient=is_sufficient)


def to_row(passages: PassageRelevance | None) -> dict[str, object]:
    """Return the answers under the columns of a file of labels."""
    if passages is None:
        return {RELEVANCE_COLUMN: [], SUFFICIENCY_COLUMN: None}
    is_sufficient = passages.is_sufficient
    return {
        RELEVANCE_COLUMN: [
            UNANSWERED if vote is None else RELEVANT if vote else NOT_RELEVANT for vote in passages.relevant
        ],
        SUFFICIENCY_COLUMN: None if is_sufficient is None else SUFFICIENT if is_sufficient else MISSING,
    }


def from_words(relevance: Sequence[str], sufficiency: str | None) -> PassageRelevance | None:
    """Return the answers that a file gives in these words; None where it gives none."""
    answers = PassageRelevance(
        relevant=tuple({RELEVANT: True, NOT_RELEVANT: False}.get(answer) for answer in relevance),
        is_sufficient=None if sufficiency is None else sufficiency == SUFFICIENT,
    )
    return None if answers.is_empty else answers


def carried(
    passages: PassageRelevance | None, earlier: PassageRelevance | None, absent: Collection[str]
) -> PassageRelevance | None:
    """Return the answers of a revision, where its file has no column for them those of the revision before it."""
    if earlier is None or not absent:
        return passages
    given = passages or PassageRelevance()
    answers = PassageRelevance(
        relevant=earlier.relevant if RELEVANCE_COLUMN in absent else given.relevant,
        is_sufficient=earlier.is_sufficient if SUFFICIENCY_COLUMN in absent else given.is_sufficient,
    )
    return None if answers.is_empty else answers


def too_many_marks(answers: PassageRelevance | None, passages: int) -> str:
    """Return why these answers cannot be of so many passages, or "": fewer are of somebody who stopped half-way."""
    marks = len(answers.relevant) if answers else 0
    if marks <= passages:
        return ""
    return (
        f"{RELEVANCE_COLUMN}: {marks} mark{'s' * (marks != 1)}, {passages} passage{'s' * (passages != 1)}: "
        "give a mark for each passage of the answer, in rank order"
    )
