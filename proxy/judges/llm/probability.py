"""The log-probabilities of a reply's tokens as the probability of each choice of a question.

In come the tokens with their alternatives and where a verdict begins in the text; out comes {choice: probability}. The rule:
where most of the mass goes to no choice, or the endpoint told too little, there is no probability at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply: its text and the likeliest tokens in its place, itself among them, with natural logarithms."""

    text: str
    alternatives: tuple[tuple[str, float], ...]


def probabilities(tokens: Sequence[Token], start: int, choices: Sequence[str]) -> Mapping[str, float]:
    """P(choice) by the alternatives of the token in which the verdict begins, normalised over the choices.

    An alternative counts for the choices that it begins, in equal parts where it begins several.
    """
    token, offset = _token_at(tokens, start)
    if token is None:
        return {}
    mass = dict.fromkeys(choices, 0.0)
    head = token.text[:offset]
    for text, logarithm in token.alternatives:
        rest = text[offset:].split('"')[0]
        if not text.startswith(head) or not rest or math.isnan(logarithm):
            continue
        begun = [one for one in choices if one.startswith(rest) or rest == one]
        for one in begun:
            mass[one] += math.exp(min(0.0, logarithm)) / len(begun)
    total = math.fsum(mass.values())
    return {one: share / total for one, share in mass.items()} if total >= _ENOUGH else {}


def _token_at(tokens: Sequence[Token], start: int) -> tuple[Token | None, int]:
    """The token that holds this place of the text, and how far inside it the place lies."""
    at = 0
    for token in tokens:
        if at <= start < at + len(token.text):
            return token, start - at
        at += len(token.text)
    return None, 0
