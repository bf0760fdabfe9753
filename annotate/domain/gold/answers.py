"""Wrong answers that a person compared with a reference of their question: it corrects them, or leaves them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class UncorrectedAnswer(NamedTuple):
    """An answer, by its row, that a reference does not correct, and why not."""

    item: int
    why: str


class ComparedAnswer(NamedTuple):
    """An answer, by its row, that a person left out when they wrote or took the reference of this entry."""

    gold_id: str
    item: int
    why: str
    who: str
    at: str


class UncoveredQuestion(NamedTuple):
    """A question whose wrong answers need a reference: their rows, and whether one of them was called seriously harmful."""

    items: tuple[int, ...]
    is_serious: bool


def answers_of(questions: Iterable[UncoveredQuestion]) -> int:
    """Count the wrong answers of these questions."""
    return sum(len(question.items) for question in questions)
