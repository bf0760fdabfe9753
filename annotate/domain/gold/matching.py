"""Match the answers of a new system to the gold questions.

An item belongs to an entry that its metadata names as `gold_id`, else to every entry with the same question after the same
conversation. The rule: the entry's own answer is no new answer, nor is one that the same system gave before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.domain.gold.similarity import normal
from proxy.records import Turn

AskedKey = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldQuestion:
    """An entry of the gold set as a question that a new system is to answer.

    `item` is the row of its own answer, `flag` what changed behind the entry since a person accepted it, `lacks_knowledge` that
    the knowledge base holds no answer.
    """

    gold_id: str
    item: int | None
    question: str
    history: tuple[Turn, ...] = ()
    cluster: str | None = None
    reference: str
    role: str | None = None
    flag: str | None = None
    lacks_knowledge: bool = False
    at: str = ""

    @property
    def key(self) -> AskedKey:
        """Key of the question, equal for other texts of the same question."""
        return asked_key(self.question, self.history)

    @property
    def shared(self) -> str:
        """Key that entries share which are not independent: their cluster, else their question."""
        return self.cluster or "\n".join(self.key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Offered:
    """An item of the new system that may answer a gold question."""

    key: int
    item_id: str
    question: str
    history: tuple[Turn, ...] = ()
    timestamp: str | None = None
    gold_id: str | None = None


class MatchedAnswers(NamedTuple):
    """The newest answer to each entry that has one, by gold id, and the items that answer several entries.

    `own` entries hold an answer of this very system, which has not been asked again: there is nothing to compare.
    """

    answers: Mapping[str, int]
    shared: Mapping[str, tuple[str, ...]]
    own: frozenset[str] = frozenset()


def asked_key(question: str, history: Sequence[Turn] = ()) -> AskedKey:
    """Return the question and what was said before it, as near-duplicates are told: case, width, spaces and punctuation aside."""
    return (normal(question), *(normal(turn.text) for turn in history))


def plain(text: str) -> str:
    """Normalise an answer's case and spaces; what else differs may change what it says."""
    return " ".join(text.casefold().split())


def match(
    entries: Sequence[GoldQuestion], offered: Iterable[Offered], own: Mapping[int, str | None], system: str
) -> MatchedAnswers:
    """Match each entry to the newest item of `system`; `own` tells the system of the entries' own answers."""
    named, by_key = defaultdict[str, list[Offered]](list), defaultdict[AskedKey, list[Offered]](list)
    keys = {entry.key for entry in entries}
    for offer in offered:
        if offer.gold_id is not None:
            named[offer.gold_id].append(offer)
        if (key := asked_key(offer.question, offer.history)) in keys:
            by_key[key].append(offer)
    answers: dict[str, int] = {}
    names: dict[int, str] = {}
    for entry in entries:
        options = named[entry.gold_id] or by_key[entry.key]
        new_offers = [offer for offer in options if _is_new(offer, entry, own, system)]
        if new_offers:
            newest = max(new_offers, key=lambda offer: (offer.timestamp or "", offer.key))
            answers[entry.gold_id], names[newest.key] = newest.key, newest.item_id
    itself = {entry.gold_id for entry in entries if entry.item is not None and own.get(entry.item) == system}
    # Where some were asked again under the same name, the others were dropped, and that is no reason to leave them out.
    untouched = frozenset(itself) if answers and not itself & answers.keys() else frozenset()
    several = [key for key, count in Counter(answers.values()).items() if count > 1]
    return MatchedAnswers(
        answers,
        {names[key]: tuple(gold_id for gold_id, answer in answers.items() if answer == key) for key in several},
        untouched,
    )


def _is_new(offer: Offered, entry: GoldQuestion, own: Mapping[int, str | None], system: str) -> bool:
    """Return whether this is another answer than the entry's own, and none that the same system gave before."""
    if entry.item is None or own.get(entry.item) != system:
        return True
    return offer.key > entry.item
