"""Measure what an item's passages hold of each sentence of its answer, by words alone.

Each sentence gets a number and the place that supports it most. A word in its place counts more than the same word
elsewhere, so that a name put for another one costs something.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from proxy.judges.base import scaled
from proxy.judges.offline.passages import Passages, PassageSentence
from proxy.records import SentenceVerdict, Support
from proxy.text.controls import displayable
from proxy.text.tokens import content_words, denials, is_number, words

QUOTE_LIMIT = 300
_DENIAL_FACTOR = 0.8
_MOST_DENIALS = 3
_SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Backing:
    """A sentence's support in the passages; `weight`, its words' rarity, is its share in the mean; 0 without words."""

    sentence: str
    weight: float
    value: float
    line: PassageSentence | None
    missing_numbers: tuple[str, ...]
    denials: int


def backings(parts: Sequence[str], passages: Passages) -> list[Backing]:
    """Compute the backing of each sentence, in order."""
    read = [(part, tokens := words(part), content_words(part) or tokens) for part in parts]
    near = passages.near(pair for _, _, content in read for pair in _neighbours(content, passages))
    return [_backing(part, tokens, content, near, passages) for part, tokens, content in read]


def _backing(
    sentence: str, tokens: list[str], content: list[str], near: set[tuple[str, str]], passages: Passages
) -> Backing:
    """Compute (placed + (adjacent + together) / 2 + window) / 3 x (1/2 + 1/2 share of numbers held) x 0.8 per one-sided denial.

    `placed` is the share of the content words held in their place, `adjacent` that of the word pairs which stand so in the
    passages, `together` that of the neighbouring content words which stand near each other there, `window` that of the
    content words in the best window.
    """
    if not tokens:
        return Backing(sentence=sentence, weight=0.0, value=0.0, line=None, missing_numbers=(), denials=0)
    alike = dict.fromkeys(content, 1.0)  # by rarity, a rarer name in place of the right one would raise the value
    neighbours = _neighbours(content, passages)
    placed = _placed(alike, neighbours, near, passages)
    pairs = list(pairwise(tokens))
    adjacent = sum(pair in passages.pairs for pair in pairs) / len(pairs) if pairs else placed
    together = sum(pair in near for pair in neighbours) / (len(content) - 1) if len(content) > 1 else placed
    place = passages.best_window(alike)
    numbers = [token for token in tokens if is_number(token)]
    numbers_held = sum(number in passages for number in numbers) / len(numbers) if numbers else 1.0
    denied = _one_sided(tokens, place.line, passages)
    value = (placed + (adjacent + together) / 2 + place.weight / len(alike)) / 3 * (0.5 + 0.5 * numbers_held)
    return Backing(
        sentence=sentence,
        weight=math.fsum(passages.weight(word) for word in alike),
        value=value * _DENIAL_FACTOR ** min(denied, _MOST_DENIALS),
        line=place.line,
        missing_numbers=tuple(dict.fromkeys(number for number in numbers if number not in passages)),
        denials=denied,
    )


def verdict(backing: Backing) -> SentenceVerdict:
    """Return the verdict on the sentence: words can support, they cannot contradict."""
    if not backing.weight:
        return SentenceVerdict(sentence=displayable(backing.sentence), support=Support.NO_CLAIM, value=None)
    value = min(1.0, scaled(backing.value))
    notes = [f"not in the passages: {named(backing.missing_numbers)}"] if backing.missing_numbers else []
    if backing.denials:
        notes.append("only one side denies")
    return SentenceVerdict(
        sentence=displayable(backing.sentence),
        support=Support.SUPPORTED if value > 0.5 else Support.NOT_FOUND,
        value=value,
        passage=backing.line.rank if backing.line else None,
        quote=displayable(_cut(backing.line.written)) if backing.line else "",
        notes=tuple(notes),
    )


def named(numbers: Sequence[str]) -> str:
    """List the first few of the numbers, and how many more there are."""
    more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
    return ", ".join(number[:40] for number in numbers[:_SHOWN]) + more


def _neighbours(content: Sequence[str], passages: Passages) -> list[tuple[str, str]]:
    """Pair each content word that the passages hold with the next one: a paraphrase may put other words between them."""
    return list(pairwise(word for word in content if word in passages))


def _placed(
    distinct: Iterable[str], neighbours: Sequence[tuple[str, str]], near: set[tuple[str, str]], passages: Passages
) -> float:
    """Compute the share of the words held: half for standing in the passages, half for standing near the same neighbours."""
    nearness: dict[str, list[bool]] = {word: [] for word in distinct}
    for pair in neighbours:
        for word in pair:
            nearness[word].append(pair in near)
    alone = 1.0 if len(nearness) == 1 else 0.0
    shares = (sum(pairs) / len(pairs) if pairs else alone for word, pairs in nearness.items() if word in passages)
    return math.fsum((1 + share) / 2 for share in shares) / len(nearness)


def _one_sided(tokens: Sequence[str], line: PassageSentence | None, passages: Passages) -> int:
    """Count the sentence's denials of words that no passage denies, else 1 where only the passage denies one of its words."""
    own = [denied for denied in denials(tokens) if denied]
    if alone := sum(denied.isdisjoint(passages.denied) for denied in own):
        return alone
    if line is None or passages.denied.isdisjoint(tokens):
        return 0
    affirmed = frozenset(tokens).difference(*own)
    return int(any(denied <= affirmed for denied in denials(line.tokens) if denied))


def _cut(written: str) -> str:
    """Return the beginning of a long sentence, up to a space where there is one."""
    line = " ".join(written[: QUOTE_LIMIT * 2].split())
    if len(line) <= QUOTE_LIMIT:
        return line
    space = line.rfind(" ", QUOTE_LIMIT // 2, QUOTE_LIMIT)
    return line[: space if space > 0 else QUOTE_LIMIT]
