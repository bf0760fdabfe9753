"""Split an answer into pieces, each with a judge's verdict on its sentence.

Judges split an answer without its citation marks, tags and list signs; here each sentence is found again in the answer as it
was written. The rule: the pieces put together are the answer, character for character, and a sentence that cannot be found
again is told of, never guessed at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from proxy.records import SentenceVerdict, Support
from proxy.text.controls import displayable
from proxy.text.language import mark_spans

DOUBTED = (Support.NOT_FOUND, Support.CONTRADICTED, Support.UNSURE)


class SentenceMark(NamedTuple):
    """A sentence that the passages do not support, by its number in the answer's margin."""

    number: int
    verdict: SentenceVerdict


class Piece(NamedTuple):
    """A part of the answer; `mark` None is a part without a doubt, which may rest on a passage."""

    text: str
    mark: SentenceMark | None
    passage: int | None = None


class MarkedAnswer(NamedTuple):
    """The answer in pieces; `lost` sentences were doubted and stand nowhere in it. `claims` are those that claim something."""

    pieces: tuple[Piece, ...]
    lost: tuple[SentenceMark, ...]
    claims: int

    @property
    def marks(self) -> tuple[SentenceMark, ...]:
        """Every doubt, in the order of the sentences."""
        return tuple(sorted([*(piece.mark for piece in self.pieces if piece.mark), *self.lost]))


class _Letters(NamedTuple):
    """Signs of a text that count when a sentence is looked for, and the place of each."""

    signs: str
    places: Sequence[int]


def marked(answer: str, verdicts: Sequence[SentenceVerdict]) -> MarkedAnswer:
    """Return the answer with a mark on each doubted sentence and the passage of each supported one, in the answer's order."""
    letters = _letters(answer)
    pieces: list[Piece] = []
    lost: list[SentenceMark] = []
    at = done = number = 0
    for verdict in verdicts:
        mark = None
        if verdict.support in DOUBTED:
            number += 1
            mark = SentenceMark(number, verdict)
        signs = _letters(verdict.sentence).signs
        place = letters.signs.find(signs, at) if signs else -1
        if place < 0:
            lost += [mark] if mark else []
            continue
        at = place + len(signs)
        passage = verdict.passage if verdict.support is Support.SUPPORTED else None
        if mark or passage is not None:
            start, end = letters.places[place], letters.places[at - 1] + 1
            pieces += [Piece(answer[done:start], None), Piece(answer[start:end], mark, passage)]
            done = end
    pieces.append(Piece(answer[done:], None))
    return MarkedAnswer(
        tuple(piece for piece in pieces if piece.text),
        tuple(lost),
        sum(verdict.support is not Support.NO_CLAIM for verdict in verdicts),
    )


def _letters(text: str) -> _Letters:
    """Return the text without spaces and marks, as it is shown."""
    hidden = {place for start, end in mark_spans(text) for place in range(start, end)}
    shown_signs = [
        (sign, place)
        for place, character in enumerate(text)
        if place not in hidden and not character.isspace()
        for sign in displayable(character)
    ]
    return _Letters("".join(sign for sign, _ in shown_signs), [place for _, place in shown_signs])
