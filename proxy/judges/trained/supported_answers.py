"""Hold the answers that training starts from, and part them so that no question and no passage is in both parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.records import Context, Turn
from proxy.stats.components import components
from proxy.stats.sampling.permanent_random import permanent_random_number
from proxy.text.language import composed

# Chosen: a third says how well the judges do, and the larger part teaches them.
HELD_OUT = 1 / 3


@dataclass(frozen=True, kw_only=True, slots=True)
class SupportedAnswer:
    """A question, passages that answer it, and an answer that they support.

    `document` names what the passages were taken from, where that is known: passages of one document are strong negatives for
    each other's questions.
    """

    question: str
    contexts: tuple[Context, ...]
    answer: str
    history: tuple[Turn, ...] = ()
    document: str | None = None

    @property
    def passages(self) -> frozenset[str]:
        """The texts of the passages without regard to case, width and white space."""
        return frozenset(plain(context.text) for context in self.contexts)


class PartedAnswers(NamedTuple):
    """The answers that teach and those that are held out; no question and no passage is in both."""

    teaching: tuple[SupportedAnswer, ...]
    held_out: tuple[SupportedAnswer, ...]


def plain(text: str) -> str:
    """Return a text without regard to case, width and white space."""
    return " ".join(composed(text).casefold().split())


def parted(answers: Sequence[SupportedAnswer], seed: int) -> PartedAnswers:
    """Hold out about a third of the answers.

    Answers that share a question or a passage, or are joined by others that do, have one unit and go together. The part of a
    unit is a keyed hash of its name, so that neither the order nor other answers change it.
    """
    ordered = sorted(set(answers), key=lambda answer: (answer.question, answer.answer, sorted(answer.passages)))
    units = units_of(ordered)
    names: dict[int, str] = {}
    for answer, unit in zip(ordered, units, strict=True):
        names[unit] = min(names.get(unit, plain(answer.question)), plain(answer.question))
    is_held_out = {
        unit: permanent_random_number(name, f"held out of training {seed}") < HELD_OUT for unit, name in names.items()
    }
    return PartedAnswers(
        *(
            tuple(answer for answer, unit in zip(ordered, units, strict=True) if is_held_out[unit] is part)
            for part in (False, True)
        )
    )


def units_of(answers: Sequence[SupportedAnswer]) -> list[int]:
    """Number the units: answers with one number share questions or passages, directly or through others."""
    return components(
        [("question", plain(answer.question)), *(("passage", text) for text in answer.passages)] for answer in answers
    )
