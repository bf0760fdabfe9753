"""Index an item's contexts once for the offline judges: where each word stands, and how much it tells.

Only the first `CONTEXT_LIMIT` characters, in rank order, are read, and `cut` says so in words, so that an item of any
size takes bounded time.

Decide whether two texts can be compared by their words at all: a Chinese answer and English passages cannot. Abstain only
where the words themselves do not match either, so that a Latin name in a Korean text is still judged.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from proxy.records import Context
from proxy.text.language import dominant, language, script_shares, sentences
from proxy.text.tokens import denials, negated, words

CONTEXT_LIMIT = 200_000
# Sentences that a window spans: a claim is rarely spread over more.
WINDOW = 3
# Shorter lines join the next one, so that 200,000 characters are at most 5,000 sentences.
_SHORTEST = 40
# Words that stand at most this far apart belong together.
NEAR = 5
_NAMES = {
    "latin": "in Latin script",
    "han": "Chinese",
    "kana": "Japanese",
    "hangul": "Korean",
    "other": "in another script",
}
_ENOUGH = 0.1


class PassageSentence(NamedTuple):
    """A sentence of a passage: its words, in order and as a set, the passage's rank from 1, and how it is written."""

    tokens: tuple[str, ...]
    words: frozenset[str]
    rank: int
    written: str


class PassagePlace(NamedTuple):
    """The window that holds most of some words: their weight in it, and its best single sentence, None for no word."""

    weight: float
    line: PassageSentence | None


class PassageCover(NamedTuple):
    """A passage's content of some words: their weight in it, and the most in one window of it."""

    coverage: float
    window: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Passages:
    """The index of an item's contexts."""

    lines: tuple[PassageSentence, ...]
    positions: Mapping[str, Sequence[int]]
    pairs: frozenset[tuple[str, str]]
    denied: frozenset[str]
    scripts: Mapping[str, float]
    cut: str

    def __contains__(self, word: object) -> bool:
        """Whether the word stands anywhere in the passages."""
        return word in self.positions

    def weight(self, word: str) -> float:
        """Compute log(1 + (N + 1) / (n + 1/2)), n of the N sentences holding the word: rare words tell more."""
        return math.log(1 + (len(self.lines) + 1) / (len(self.positions.get(word, ())) + 0.5))

    def best_window(self, weights: Mapping[str, float]) -> PassagePlace:
        """Find the best `WINDOW` consecutive sentences: max over windows of the summed weights of the words in them."""
        windows = self._windows(weights)
        if not windows:
            return PassagePlace(0.0, None)
        start = max(windows, key=lambda at: (windows[at], -at))
        window = self.lines[max(0, start) : start + WINDOW]
        return PassagePlace(windows[start], max(window, key=lambda line: _weight_in(line.words, weights)))

    def by_passage(self, weights: Mapping[str, float]) -> dict[int, PassageCover]:
        """Compute, by rank, what each passage that holds any of the words holds of them."""
        coverage: defaultdict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for rank in {self.lines[at].rank for at in self.positions.get(word, ())}:
                coverage[rank] += weight
        window: defaultdict[int, float] = defaultdict(float)
        for start, weight in self._windows(weights).items():
            # The lines between two passages are one fewer than a window has: its last line names its passage.
            rank = self.lines[min(start + WINDOW, len(self.lines)) - 1].rank
            window[rank] = max(window[rank], weight)
        return {rank: PassageCover(weight, window[rank]) for rank, weight in coverage.items()}

    def near(self, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Select the pairs whose words stand, in either order, at most `NEAR` words apart in some sentence."""
        asked = set(pairs)
        places = _places(self.lines, {word for pair in asked for word in pair})
        return {(a, b) for a, b in asked if _close(places.get(a, ()), places.get(b, ()))}

    def _windows(self, weights: Mapping[str, float]) -> Mapping[int, float]:
        """Sum the weights of the words in each window that holds any, by the window's first line."""
        windows: defaultdict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for start in {at - back for at in self.positions.get(word, ()) for back in range(WINDOW)}:
                windows[start] += weight
        return windows

    def coverage(self, weights: Mapping[str, float]) -> float:
        """Compute the share of the words' weight that stands anywhere in the passages."""
        total = math.fsum(weights.values())
        return math.fsum(weight for word, weight in weights.items() if word in self) / total if total else 0.0


@lru_cache(maxsize=1)  # several judges read the same item one after the other
def read_passages(contexts: tuple[Context, ...]) -> Passages:
    """Index the contexts, in rank order, up to `CONTEXT_LIMIT` characters."""
    texts, cut = _within(contexts)
    lines: list[PassageSentence] = []
    pairs: set[tuple[str, str]] = set()
    for rank, text in enumerate(texts, start=1):
        for written in _lines(text):
            tokens = words(written)
            lines.append(PassageSentence(tuple(tokens), frozenset(tokens), rank, written))
            pairs.update(pairwise(tokens))
        lines.extend([PassageSentence((), frozenset(), rank, "")] * (WINDOW - 1))  # no window spans two passages
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        for word in line.words:
            positions[word].append(at)
    denying = {at for word in positions if negated((word,)) for at in positions[word]}
    return Passages(
        lines=tuple(lines),
        positions=dict(positions),
        pairs=frozenset(pairs),
        denied=frozenset().union(*(denied for at in denying for denied in denials(lines[at].tokens))),
        scripts=script_shares("\n".join(texts)),
        cut=f"{CONTEXT_LIMIT:,} characters of the passages" if cut else "",
    )


def _places(lines: Sequence[PassageSentence], wanted: set[str]) -> dict[str, list[int]]:
    """Find the wanted words' places in the running text, where a line begins more than `NEAR` words after the last."""
    places: dict[str, list[int]] = {word: [] for word in wanted}
    begin = 0
    for line in lines:
        if not wanted.isdisjoint(line.words):
            for place, word in enumerate(line.tokens, begin):
                if word in wanted:
                    places[word].append(place)
        begin += len(line.tokens) + NEAR
    return places


def _close(left: Sequence[int], right: Sequence[int]) -> bool:
    """Return whether any two of the places, both in order, are at most `NEAR` apart."""
    fewer, more = (left, right) if len(left) < len(right) else (right, left)
    return any((at := bisect_left(more, place - NEAR)) < len(more) and more[at] <= place + NEAR for place in fewer)


def _weight_in(line: Iterable[str], weights: Mapping[str, float]) -> float:
    """Sum the weight of the words that stand in the line."""
    return math.fsum(weights.get(word, 0.0) for word in line)


def _within(contexts: Sequence[Context]) -> tuple[list[str], bool]:
    """Cut the contexts' texts at the limit, and return whether anything was left out."""
    texts: list[str] = []
    left = CONTEXT_LIMIT
    for context in contexts:
        if left <= 0:
            return texts, True
        texts.append(context.text[:left])
        left -= len(context.text)
    return texts, left < 0


def _lines(text: str) -> list[str]:
    """Split a passage into sentences, short ones joined to the next."""
    joined: list[str] = []
    waiting = ""
    for sentence in sentences(text, language(text[:2000])):
        waiting = f"{waiting} {sentence}" if waiting else sentence
        if len(waiting) >= _SHORTEST:
            joined.append(waiting)
            waiting = ""
    return [*joined, waiting] if waiting else joined


def script_mismatch(
    text: str, tokens: Collection[str], scripts: Mapping[str, float], known: Container[str], sides: tuple[str, str]
) -> str | None:
    """Say why the text cannot be compared with the other side, whose `scripts` and `known` words are given, or None.

    `sides` names both as in "the answer is", "the passages are".
    """
    own = script_shares(text)
    if comparable(own, scripts) or sum(token in known for token in tokens) * 2 >= len(tokens) > 0:
        return None
    return f"{sides[0]} {_NAMES[dominant(own)]}, {sides[1]} {_NAMES[dominant(scripts)]}: their words cannot be compared"


def comparable(own: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Return whether words in these scripts can match at all: no letters, the same script, or enough of it."""
    if not own or not other:
        return True
    main = dominant(own)
    return main == dominant(other) or other.get(main, 0.0) >= _ENOUGH
