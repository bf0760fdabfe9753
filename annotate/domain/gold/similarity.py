"""Find near-duplicate questions, which ask the same in other words, in any language.

In come questions and what was said before each, out come pairs. Two questions are near if the same was said before them and
they are equal but for case, spaces and punctuation; or if they hold the same quantities and single letters, both or neither
deny, and the character n-grams of their words overlap by SIMILAR (Jaccard). The rule depends on the two questions alone, so
that the growth of the set never changes it; "5 mg" and "50 mg" are never near, nor are hepatitis B and C.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from proxy.records import Turn
from proxy.text.language import composed
from proxy.text.tokens import content_words, is_number, negated, words

SIMILAR = 0.8
LETTERS = 3
# Only so much of a long question is compared by its n-grams; equality looks at all of it.
COMPARED = 4_000
# More questions than these that are alike are a crowd: each is paired with the first of them alone.
EQUALS = 50
COMMON = 8

_SPACE = re.compile(r"[\s.,;:!?¿¡\"'’‘“”„«»‹›()\[\]{}…。、，；：！？・·「」『』（）【】《》〈〉—–-]+")
_KEPT = re.compile(r"(?<=\d)[.,](?=\d)|(?<![^\W_])[-−](?=\d)")
_SIGNS = {".": "\ue000", ",": "\ue001", "-": "\ue002", "\u2212": "\ue002"}
_UNITS = (
    r"%|‰|°c|°f|(?:m|µ|μ|u|mc|k|n|d)?g|(?:m|µ|μ|d|c)?l|(?:k|c|m|n)?m|mmol|mol|kcal|iu|ie|h|hz|kb|mb|gb|tb|€|\$|usd|eur"
)
_QUANTITY = re.compile(rf"[-−]?\d+(?:[.,]\d+)*(?:\s?(?:{_UNITS})(?![^\W\d_]))?")
_WRITTEN = re.compile("[〇零一二三四五六七八九十百千萬万億亿兩两]+")
# Hepatitis B and C, type I and II: a letter or a Roman numeral by itself is a name.
_LETTER = re.compile(r"\b(?:[b-hj-ru-z]|[ivx]{2,4})\b")
_ASKED = re.compile(
    r"\b(?:when|where|who|whom|whose|why|how)\b|为什么|為什麼|怎么|怎麼|如何|哪里|哪裡|谁|誰|何时|何時|什么时候|什麼時候"
    "|なぜ|いつ|どこ|だれ|どう|왜|언제|어디|누구|누가|어떻게"
)


class Signature(NamedTuple):
    """Features that a question is compared by; `exact` and `before` must be equal, `grams` must overlap."""

    exact: tuple[tuple[str, ...], bool]
    grams: frozenset[str]
    before: str = ""


class Classes(NamedTuple):
    """The class of each question, by number, and the pairs of classes that are near."""

    of: tuple[int, ...]
    near: tuple[tuple[int, int], ...]


class Pair(NamedTuple):
    """The places of two near questions, the smaller first."""

    first: int
    other: int


def normal(question: str) -> str:
    """Return the question without regard to case, width, spaces and punctuation; signs that belong to a number stay."""
    text = composed(question).casefold()
    kept = _KEPT.sub(lambda match: _SIGNS[match.group()], text)
    return _SPACE.sub(" ", kept).strip() or text.strip()


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[str, ...]:
    """Return the numbers of a text with their units, sorted: thousands commas and spaces do not count."""
    plain = composed(text).casefold()
    numbers = [
        re.sub(r"(?<=\d),(?=\d{3})|\s", "", number).replace("\u2212", "-") for number in _QUANTITY.findall(plain)
    ]
    return tuple(sorted([*numbers, *_WRITTEN.findall(plain)]))


def signature(question: str) -> Signature:
    """Return the features that a question is compared by."""
    text = question[:COMPARED]
    compared_words = [word for word in content_words(text) if not is_number(word)] or words(text) or [normal(text)]
    grams = {gram for word in compared_words for gram in _grams(word)}
    grams |= {f"?{word}{n}" for word in _ASKED.findall(text.casefold()) for n in range(LETTERS)}
    names = tuple(sorted(_LETTER.findall(normal(text))))
    return Signature((quantities(text) + names, negated(words(text))), frozenset(grams))


def _grams(word: str) -> Iterator[str]:
    """Yield the n-grams of a word with its ends marked; a pair of characters of a script without spaces is one already."""
    if len(word) <= 2 and not word.isascii():
        yield word
        return
    marked = f"^{word}$"
    for start in range(max(len(marked) - LETTERS + 1, 1)):
        yield marked[start : start + LETTERS]


def similarity(first: Signature, other: Signature) -> float:
    """Return Jaccard's share of n-grams in both; 0 where quantities, denial or what was said before differ."""
    if (first.exact, first.before) != (other.exact, other.before):
        return 0.0
    shared = len(first.grams & other.grams)
    return shared / (len(first.grams) + len(other.grams) - shared)


def is_near(first: str, other: str) -> bool:
    """Return whether two questions are near-duplicates."""
    return normal(first) == normal(other) or similarity(signature(first), signature(other)) >= SIMILAR


def classes(questions: Sequence[str], before: Sequence[Sequence[Turn]] = ()) -> Classes:
    """Group questions in classes of those that are alike, and find near classes; `before` are the turns before each.

    Classes are joined exactly by prefix filtering (Bayardo et al. 2007): two sets of which the larger has n members and
    that overlap by SIMILAR have COMMON of their rarest n - SIMILAR n + COMMON in common, so only those are indexed.
    """
    known: dict[tuple[str, str], Signature] = {}
    numbers: dict[Signature, int] = {}
    of = []
    for question, history in zip(questions, before or ((),) * len(questions), strict=True):
        key = (normal(question), "\n".join(normal(turn.text) for turn in history))
        if key not in known:
            known[key] = signature(question)._replace(before=key[1])
        of.append(numbers.setdefault(known[key], len(numbers)))
    rarity = Counter(gram for signed in numbers for gram in signed.grams)
    rank = {gram: place for place, gram in enumerate(sorted(rarity, key=lambda gram: (rarity[gram], gram)))}
    blocks: dict[object, list[Signature]] = defaultdict(list)
    for signed in numbers:
        blocks[signed.exact, signed.before].append(signed)
    near = [
        (numbers[smaller], numbers[larger])
        for block in blocks.values()
        for smaller, larger in _joined(sorted(block, key=lambda signed: len(signed.grams)), rank)
    ]
    return Classes(tuple(of), tuple(near))


def near_pairs(questions: Sequence[str], before: Sequence[Sequence[Turn]] = ()) -> Iterator[Pair]:
    """Return every pair of near questions, each once, but for crowds, which are each paired with their first."""
    return pairs_of(classes(questions, before))


def pairs_of(near_duplicate_groups: Classes) -> Iterator[Pair]:
    """Yield the near pairs of questions in classes."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, number in enumerate(near_duplicate_groups.of):
        places[number].append(place)
    for group in places.values():
        yield from _among(group)
    for first, second in near_duplicate_groups.near:
        yield from _between(places[first], places[second])


def _joined(block: Sequence[Signature], rank: Mapping[str, int]) -> Iterator[tuple[Signature, Signature]]:
    """Yield the near pairs among signatures that hold the same quantities, the smaller ones first."""
    index: dict[int, list[int]] = defaultdict(list)
    for place, signed in enumerate(block):
        needed = ceil(SIMILAR * len(signed.grams) - 1e-9)
        rarest = sorted(map(rank.__getitem__, signed.grams))[: len(signed.grams) - needed + COMMON]
        met: Counter[int] = Counter()
        for gram in rarest:
            met.update(index[gram])
            index[gram].append(place)
        least = min(COMMON, needed)
        for other, common in met.items():
            if common >= least and similarity(block[other], signed) >= SIMILAR:
                yield block[other], signed


def _among(group: Sequence[int]) -> Iterator[Pair]:
    heads = group if len(group) <= EQUALS else group[:1]
    for at, place in enumerate(heads):
        yield from (Pair(place, later) for later in group[at + 1 :])


def _between(group: Sequence[int], others: Sequence[int]) -> Iterator[Pair]:
    small = len(group) <= EQUALS and len(others) <= EQUALS
    for place in group if small else group[:1]:
        yield from (
            Pair(min(place, other_place), max(place, other_place)) for other_place in (others if small else others[:1])
        )
