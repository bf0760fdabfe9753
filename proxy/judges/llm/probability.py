"""Turn the log-probabilities of a reply's tokens into the probability of each choice of a question.

The tokens come with their alternatives and the place in the text where a verdict begins. Where most of the mass goes to
no choice, or the endpoint reported too little, there is no probability at all.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

_ENOUGH = 0.5


class Token(NamedTuple):
    """A token of a reply: its text and the likeliest tokens in its place, itself included, with natural logarithms."""

    text: str
    alternatives: tuple[tuple[str, float], ...]


def probabilities(tokens: Sequence[Token], start: int, choices: Sequence[str]) -> Mapping[str, float]:
    """Compute P(choice), normalised over the choices, along the tokens that spell the verdict that begins at `start`.

    The token that was written counts, with its probability, for what was written on from there: "0" is told from "0.5" by what
    follows. Another in its place counts for the choices that it begins, in equal parts where it begins several.
    """
    first, offset = _token_at(tokens, start)
    mass = dict.fromkeys(choices, 0.0)
    prefix, reached = "", 1.0
    for token in tokens[first:]:
        head, written = token.text[:offset], 0.0
        for text, logarithm in token.alternatives:
            if not text.startswith(head) or math.isnan(logarithm):
                continue
            chance = reached * math.exp(min(0.0, logarithm))
            if text == token.text:
                written = chance
            else:
                _add(mass, prefix + text[offset:], chance)
        prefix, reached, offset = prefix + token.text[offset:], written, 0
        if '"' in prefix or not _begun(prefix, choices):
            break
    if prefix.partition('"')[0] not in choices:
        return {}
    _add(mass, prefix, reached)
    total = math.fsum(mass.values())
    return {choice: share / total for choice, share in mass.items()} if total >= _ENOUGH else {}


def _add(mass: dict[str, float], prefix: str, chance: float) -> None:
    """Add the chance to the choices that these characters begin."""
    begun = _begun(prefix, list(mass))
    for choice in begun:
        mass[choice] += chance / len(begun)


def _begun(prefix: str, choices: Sequence[str]) -> list[str]:
    """List the choices that these characters may begin: a single one after its quotation mark, none for no characters."""
    word, closed, _ = prefix.partition('"')
    return [choice for choice in choices if word and (choice == word if closed else choice.startswith(word))]


def _token_at(tokens: Sequence[Token], start: int) -> tuple[int, int]:
    """Find the token that holds this place of the text, and how far inside it that lies."""
    ends = list(accumulate([len(token.text) for token in tokens]))
    place = bisect_right(ends, start)
    return (place, start - ends[place] + len(tokens[place].text)) if place < len(ends) else (place, 0)
