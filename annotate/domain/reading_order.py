"""Order the draws that an annotator gets, so that a question is read once: answers to it form a block.

The order is presentation: draws, chances and annotators are decided before. It follows from the waves' salts, so that the same
draws come in the same order again. Blocks are shuffled, and so are the answers in a block: nobody learns the system from its
place. A tenth of the questions with several answers, chosen by chance, are left without a block, their answers spread over the
whole order: against these it is measured whether neighbours shift verdicts (`analysis.neighbours`). Both answers to a
question that were drawn to compare systems always stand next to each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from proxy.stats.sampling.permanent_random import permanent_random_number

# Chosen: the share of the questions with several answers that have no block.
SPREAD = 0.1


class ToPlace(NamedTuple):
    """A draw that an annotator is to get; `is_pair` where it was drawn together with the other answers to its question."""

    draw: int
    wave: int
    question: str
    task_key: str
    salt: str
    is_pair: bool


class ReadingPlace(NamedTuple):
    """A draw with its position among all that its annotator gets, from 1, and the block of answers to its question.

    A block is named by the draw that comes first in it; with `is_spread` its answers do not stand together. None where no lot
    decided that: a single answer, or a pair.
    """

    draw: int
    block: int
    position: int
    is_spread: bool | None


def reading_order(draws: Iterable[ToPlace], after: int = 0) -> list[ReadingPlace]:
    """Return the draws in the order in which they are read.

    Parameters
    ----------
    draws : iterable of ToPlace
        What an annotator gets now, in any order.
    after : int
        The last position that is taken.

    Returns
    -------
    list of ReadingPlace
        In ascending position.
    """
    by_question: dict[str, list[ToPlace]] = defaultdict(list)
    for draw in draws:
        by_question[draw.question].append(draw)
    units: list[tuple[float, bool | None, list[ToPlace]]] = []
    for question, members in by_question.items():
        salt = min(members, key=lambda draw: (draw.wave, draw.task_key)).salt
        answers = sorted(members, key=lambda draw: permanent_random_number(draw.task_key, f"answer|{salt}"))
        is_spread = _is_spread(question, answers, salt)
        if is_spread:
            units += [(permanent_random_number(draw.task_key, f"spread|{salt}"), True, [draw]) for draw in answers]
        else:
            units.append((permanent_random_number(question, f"block|{salt}"), is_spread, answers))
    units.sort(key=lambda unit: (unit[0], unit[2][0].task_key))
    first: dict[str, int] = {}
    ordered = [(draw, is_spread) for _, is_spread, answers in units for draw in answers]
    return [
        ReadingPlace(draw.draw, first.setdefault(draw.question, draw.draw), position, is_spread)
        for position, (draw, is_spread) in enumerate(ordered, after + 1)
    ]


def _is_spread(question: str, answers: Sequence[ToPlace], salt: str) -> bool | None:
    """Return whether the lot has the answers to a question spread; None where there is no lot."""
    if len(answers) == 1 or any(draw.is_pair for draw in answers):
        return None
    return permanent_random_number(question, f"unblocked|{salt}") < SPREAD
