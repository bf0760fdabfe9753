"""Gold questions and the items of a new system in, which answer belongs to which question out.

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
class Asked:
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
        """What makes another text the same question."""
        return asked_key(self.question, self.history)

    @property
    def shared(self) -> str:
        """What entries have in common that are not independent: their cluster, else their question."""
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


class Matched(NamedTuple):
    """The newest answer to each entry that has one, by gold id, and the items that answer several entries.

    `own` entries hold an answer of this very system, which has not been asked again: there is nothing to compare.
    """

    answers: Mapping[str, int]
    shared: Mapping[str, tuple[str, ...]]
    own: frozenset[str] = frozenset()


def asked_key(question: str, history: Sequence[Turn] = ()) -> AskedKey:
    """The question and what was said before it, as near-duplicates are told: case, width, spaces and punctuation aside."""
    return (normal(question), *(normal(turn.text) for turn in history))


def plain(text: str) -> str:
    """An answer without regard to case and spaces; what else differs may change what it says."""
    return " ".join(text.casefold().split())


def match(entries: Sequence[Asked], offered: Iterable[Offered], own: Mapping[int, str | None], system: str) -> Matched:
    """The newest item of `system` for each entry; `own` tells the system of the entries' own answers."""
    named, asked = defaultdict[str, list[Offered]](list), defaultdict[AskedKey, list[Offered]](list)
    wanted = {one.key for one in entries}
    for one in offered:
        if one.gold_id is not None:
            named[one.gold_id].append(one)
        if (key := asked_key(one.question, one.history)) in wanted:
            asked[key].append(one)
    answers: dict[str, int] = {}
    names: dict[int, str] = {}
    for entry in entries:
        options = named[entry.gold_id] or asked[entry.key]
        found = [one for one in options if _is_new(one, entry, own, system)]
        if found:
            newest = max(found, key=lambda one: (one.timestamp or "", one.key))
            answers[entry.gold_id], names[newest.key] = newest.key, newest.item_id
    itself = {one.gold_id for one in entries if one.item is not None and own.get(one.item) == system}
    # Where some were asked again under the same name, the others were dropped, and that is no reason to leave them out.
    untouched = frozenset(itself) if answers and not itself & answers.keys() else frozenset()
    several = [key for key, count in Counter(answers.values()).items() if count > 1]
    return Matched(
        answers,
        {names[key]: tuple(gold_id for gold_id, each in answers.items() if each == key) for key in several},
        untouched,
    )


def _is_new(one: Offered, entry: Asked, own: Mapping[int, str | None], system: str) -> bool:
    """Whether this is another answer than the entry's own, and none that the same system gave before."""
    if entry.item is None or own.get(entry.item) != system:
        return True
    return one.key > entry.item
