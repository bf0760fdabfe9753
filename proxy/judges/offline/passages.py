"""An item's contexts read once for the offline judges: which words stand where, and how much each word tells.

In come contexts in rank order, out comes an index of their sentences. The rule: only the first `CONTEXT_LIMIT`
characters are read, and `cut` says so in words, so that an item of any size takes bounded time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from proxy.records import Context
from proxy.text import language, script_shares, sentences
from proxy.words import words

CONTEXT_LIMIT = 200_000
# Sentences that a window spans: a claim is rarely spread over more.
WINDOW = 3
# Shorter lines join the next one, so that 200,000 characters are at most 5,000 sentences.
_SHORTEST = 40


class Place(NamedTuple):
    """The window that holds most of some words: their weight in it, and the tokens of its best single sentence."""

    weight: float
    sentence: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Passages:
    """The index of an item's contexts."""

    lines: tuple[frozenset[str], ...]
    positions: Mapping[str, tuple[int, ...]]
    pairs: frozenset[tuple[str, str]]
    scripts: Mapping[str, float]
    cut: str

    def __contains__(self, word: object) -> bool:
        """Whether the word stands anywhere in the passages."""
        return word in self.positions

    def weight(self, word: str) -> float:
        """log(1 + (N + 1) / (n + 1/2)) with n of the N sentences holding the word: rare words tell more."""
        return math.log(1 + (len(self.lines) + 1) / (len(self.positions.get(word, ())) + 0.5))

    def best_window(self, weights: Mapping[str, float]) -> Place:
        """The best `WINDOW` sentences running: max over windows of the summed weights of the words in them."""
        held: defaultdict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for start in {at - back for at in self.positions.get(word, ()) for back in range(WINDOW)}:
                held[start] += weight
        if not held:
            return Place(0.0, frozenset())
        start = max(held, key=lambda at: (held[at], -at))
        window = [self.lines[at] for at in range(max(0, start), min(len(self.lines), start + WINDOW))]
        return Place(held[start], max(window, key=lambda line: _held(line, weights)))

    def coverage(self, weights: Mapping[str, float]) -> float:
        """The share of the words' weight that stands anywhere in the passages."""
        total = math.fsum(weights.values())
        return math.fsum(weight for word, weight in weights.items() if word in self) / total if total else 0.0


@lru_cache(maxsize=1)  # several judges read the same item one after the other
def read_passages(contexts: tuple[Context, ...]) -> Passages:
    """The index of the contexts, in rank order, up to `CONTEXT_LIMIT` characters."""
    texts, cut = _within(contexts)
    lines: list[frozenset[str]] = []
    pairs: set[tuple[str, str]] = set()
    for text in texts:
        for line in _lines(text):
            tokens = words(line)
            lines.append(frozenset(tokens))
            pairs.update(pairwise(tokens))
        lines.extend([frozenset()] * (WINDOW - 1))  # no window spans two passages
    positions: dict[str, list[int]] = {}
    for at, held in enumerate(lines):
        for word in held:
            positions.setdefault(word, []).append(at)
    return Passages(
        lines=tuple(lines),
        positions={word: tuple(places) for word, places in positions.items()},
        pairs=frozenset(pairs),
        scripts=script_shares("\n".join(texts)),
        cut=f"{CONTEXT_LIMIT:,} characters of the passages" if cut else "",
    )


def _held(line: Iterable[str], weights: Mapping[str, float]) -> float:
    """The summed weight of the words that stand in the line."""
    return math.fsum(weights.get(word, 0.0) for word in line)


def _within(contexts: Sequence[Context]) -> tuple[list[str], bool]:
    """The contexts' texts up to the limit, and whether anything was left out."""
    texts: list[str] = []
    left = CONTEXT_LIMIT
    for context in contexts:
        if left <= 0:
            return texts, True
        texts.append(context.text[:left])
        left -= len(context.text)
    return texts, left < 0


def _lines(text: str) -> list[str]:
    """The sentences of one passage, short ones joined to the next."""
    joined: list[str] = []
    waiting = ""
    for sentence in sentences(text, language(text[:2000])):
        waiting = f"{waiting} {sentence}" if waiting else sentence
        if len(waiting) >= _SHORTEST:
            joined.append(waiting)
            waiting = ""
    return [*joined, waiting] if waiting else joined
