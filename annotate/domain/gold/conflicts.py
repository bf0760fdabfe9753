"""Conflicts: near-duplicate questions whose references say different things.

Two references differ materially if one says quantities that the other does not and the other way round, if one begins with yes
and the other with no, if one denies what the other says, or if less than a third of the shorter one's words stand in the
other. A reference with alternatives (`1889 | in 1889`) conflicts only if each of its alternatives does. The rule sees words, not
meaning: experts decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from annotate.domain.gold.entries import GoldEntry, GoldStatus
from annotate.domain.gold.similarity import near_pairs, normal, quantities
from proxy.records import Turn
from proxy.text.alternatives import alternatives
from proxy.text.tokens import content_words, denials, words

SHARED = 1 / 3
COMPARED = 10_000
# The turns before the question of an entry, by gold id.
Conversations = Mapping[str, Sequence[Turn]]
MOST = 10_000
YES = re.compile(r"(?:yes|yeah|correct|true)\b|是的?[，。,.！\s]|可以|会的|會的|네[,.\s]|예[,.\s]|はい", re.IGNORECASE)
NO = re.compile(r"(?:no|not|never|false)\b|不|否|没|沒|아니|いいえ", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class NearPair:
    """Two entries that ask nearly the same, and whether their references conflict."""

    first: str
    other: str
    is_conflict: bool


class Differing(NamedTuple):
    """The quantities that only one of two references holds, whether one says yes and the other no, or one denies the other.

    `shared` of the `words` of the shorter one stand in both.
    """

    only_one: tuple[str, ...]
    only_other: tuple[str, ...]
    is_yes_and_no: bool
    is_denied: bool
    shared: int
    words: int


def differ(first: str, other: str) -> bool:
    """Return whether two references differ materially."""
    return all(_differ(a[:COMPARED], b[:COMPARED]) for a in alternatives(first) for b in alternatives(other))


def _differ(reference: str, other: str) -> bool:
    if normal(reference) == normal(other):
        return False
    numbers, others = set(quantities(reference)), set(quantities(other))
    if numbers - others and others - numbers:
        return True
    if _begins(reference) * _begins(other) < 0 or _denies(reference, other) or _denies(other, reference):
        return True
    left, right = (set(content_words(text) or words(text)) for text in (reference, other))
    return len(left & right) < SHARED * min(len(left), len(right))


def differing(first: str, other: str) -> Differing:
    """Return what two references differ in, for a person who decides between them; each read with all its alternatives."""
    a, b = first[:COMPARED], other[:COMPARED]
    numbers, others = set(quantities(a)), set(quantities(b))
    left, right = (set(content_words(text) or words(text)) for text in (a, b))
    return Differing(
        only_one=tuple(sorted(numbers - others)),
        only_other=tuple(sorted(others - numbers)),
        is_yes_and_no=_begins(a) * _begins(b) < 0,
        is_denied=_denies(a, b) or _denies(b, a),
        shared=len(left & right),
        words=min(len(left), len(right)),
    )


def _begins(text: str) -> int:
    """Return 1 for a yes at the beginning, -1 for a no, else 0."""
    return 1 if YES.match(text.strip()) else -1 if NO.match(text.strip()) else 0


def _denies(reference: str, other: str) -> bool:
    """Return whether one denies words that the other has and does not deny."""
    other_words, denied = set(words(other)), set().union(*denials(words(other)))
    return any(
        denied_words and denied_words <= other_words and not denied_words & denied
        for denied_words in denials(words(reference))
    )


def near_entries(
    entries: Sequence[GoldEntry], questions: Mapping[str, str], before: Conversations = MappingProxyType({})
) -> Iterator[NearPair]:
    """Yield the pairs of near-duplicates among entries that are not retired.

    By gold id: `questions`, and what was said `before` them where there was anything.
    """
    for left, right in _near([entry for entry in entries if entry.status is not GoldStatus.RETIRED], questions, before):
        is_conflict = differ(left.reference, right.reference)
        yield NearPair(first=left.gold_id, other=right.gold_id, is_conflict=is_conflict)


def _near(
    entries: Sequence[GoldEntry], questions: Mapping[str, str], before: Conversations
) -> Iterator[tuple[GoldEntry, GoldEntry]]:
    """Return the pairs of entries that ask nearly the same."""
    pairs = near_pairs(
        [questions[entry.gold_id] for entry in entries], [before.get(entry.gold_id, ()) for entry in entries]
    )
    return ((entries[pair.first], entries[pair.other]) for pair in pairs)
