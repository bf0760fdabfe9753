"""Assign items to slices: by the fields that are given, and by those derived from lengths and the question.

One code serves the labelled items, whose slices are tested, and all items, of which a wave may be drawn: so a slice is the same
set in both. Lengths are cut in three within each language, because a character tells more in some scripts than in others.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from annotate.domain.privacy import redaction
from annotate.domain.slicing.question_types import question_kind
from annotate.domain.slicing.topics import MOST_QUESTIONS, NONE, topics_of
from annotate.store import Store
from annotate.store.engine.item_fields import OWN
from annotate.store.traffic.windows import Trait
from proxy.errors import UsageError
from proxy.evaluation.slices import Slice
from proxy.planning.strata import bins_of
from proxy.stats.sampling.permanent_random import permanent_random_number
from proxy.text.controls import displayable
from proxy.text.language import language, script

# One value parts nothing; of more than 20 few would have labels enough, and each is a test that the others pay for.
FEWEST_VALUES, MOST_VALUES = 2, 20
SYSTEM, LANGUAGE = "system", "language"
SHORT, LONG = "short", "long"
LENGTHS: Mapping[str, Callable[[Trait], int]] = {
    "answer length": lambda trait: trait.answer_chars,
    "question length": lambda trait: trait.question_chars,
    "passages length": lambda trait: trait.contexts_chars,
}
CONTEXTS = "contexts"
KIND, TOPIC = "question kind", "topic"
# Chosen: up to three numbers are named as they are; more would each hold few answers.
MOST_COUNTS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A field with the value of each item that has one."""

    name: str
    of_item: Mapping[int, str]
    is_searched: bool
    is_subject: bool

    def divides(self, items: int) -> bool:
        """Whether it tells some of so many items from others."""
        values = set(self.of_item.values())
        return len(values) > 1 or (bool(values) and len(self.of_item) < items)

    def among(self, items: Collection[int]) -> Field:
        """Return the field of these items alone."""
        return replace(self, of_item={item: value for item, value in self.of_item.items() if item in items})

    def slices(self) -> dict[Slice, set[int]]:
        """Return the slices by this field with their items, by value."""
        members: dict[str, set[int]] = {}
        for item, value in self.of_item.items():
            members.setdefault(value, set()).add(item)
        return {
            Slice(field=self.name, value=value, is_searched=self.is_searched, is_subject=self.is_subject): items
            for value, items in sorted(members.items())
        }


class _Known(NamedTuple):
    """The items without their questions, with what their questions tell, and the questions that topics are read from.

    `kinds` are those of the items that were asked for.
    """

    traits: Sequence[Trait]
    kinds: Mapping[int, str]
    detected: Mapping[int, str]
    sample: Sequence[str]

    def tongue(self, trait: Trait) -> str:
        """Return the language that was given, else what the letters of the question tell."""
        return displayable(trait.language) if trait.language else self.detected[trait.item]


def fields(
    store: Store,
    labelled: Collection[int],
    by: Sequence[str] = (),
    *,
    also: Sequence[str] = (),
    of: Collection[int] | None = None,
) -> list[Field]:
    """Return every field of the current items `of`, all if None; the caller's own are those that `by` names.

    Without `by` they are the system and every own field with FEWEST_VALUES to MOST_VALUES values over `labelled`. UsageError for
    a field that no item has.
    """
    known = _known(store, of)
    chosen_items = [trait.item for trait in known.traits if of is None or trait.item in of]
    chosen = list(dict.fromkeys([*(by or (SYSTEM, *_own(store, labelled))), *also]))
    given_fields = [_given(store, name, chosen_items, is_searched=not by) for name in chosen if name != LANGUAGE]
    inside = set(chosen_items)
    tongues = {trait.item: known.tongue(trait) for trait in known.traits if trait.item in inside}
    given_fields.append(Field(name=LANGUAGE, of_item=tongues, is_searched=LANGUAGE not in by, is_subject=True))
    derived = [*_lengths(known, inside), _contexts(known, inside)]
    derived += [
        Field(name=KIND, of_item=known.kinds, is_searched=True, is_subject=False),
        *_topics(store, known, inside),
    ]
    return [field for field in [*given_fields, *derived] if field.divides(len(chosen_items))]


def _own(store: Store, labelled: Collection[int]) -> list[str]:
    return [name for name in own_fields(store, sorted(labelled)) if _is_plain(name)]


def own_fields(store: Store, items: Sequence[int]) -> list[str]:
    """Return the fields of the caller's own that part these items into few groups and may be shown."""
    hides, counts = redaction.in_force().hides, store.traffic.traits.own_fields(items)
    names = [OWN + name for name, count in counts.items() if FEWEST_VALUES <= count <= MOST_VALUES]
    return [name for name in names if not hides(name)]


def _is_plain(name: str) -> bool:
    """Whether the store can ask for a field of this name."""
    return bool(name) and not set(name) & set("\"'\\")


def _given(store: Store, name: str, items: Sequence[int], *, is_searched: bool) -> Field:
    values = store.traffic.partitions.of_items(items, name)
    of_item = {item: displayable(value) for item, value in values.items() if value is not None}
    if items and not of_item and not is_searched:
        raise UsageError(f"no item has a field {name!r}: `--by` takes system, language, day, week, month or {OWN}NAME")
    return Field(
        name=name,
        of_item=of_item,
        is_searched=is_searched,
        is_subject=True,
    )


def _known(store: Store, of: Collection[int] | None) -> _Known:
    """Read all items once; of the questions only those stay that topics are read from, chosen by lot."""
    traits: list[Trait] = []
    kinds: dict[int, str] = {}
    detected: dict[int, str] = {}
    lots: list[tuple[float, str]] = []
    for block in store.traffic.traits.blocks():
        for trait in block:
            if of is None or trait.item in of:
                kinds[trait.item] = question_kind(trait.question)
            if not trait.language:
                detected[trait.item] = language(trait.question) or f"{script(trait.question)} script"
            lot = (-permanent_random_number(str(trait.item), TOPIC), trait.question)
            if len(lots) < MOST_QUESTIONS:
                heapq.heappush(lots, lot)
            else:
                heapq.heappushpop(lots, lot)
            traits.append(trait._replace(question=""))
    return _Known(traits, kinds, detected, [question for _, question in sorted(lots)])


def _lengths(known: _Known, inside: Collection[int]) -> list[Field]:
    """Return the shortest and the longest third of each length within its language, over all items."""
    tongues = np.array([known.tongue(trait) for trait in known.traits], dtype=np.str_)
    lengths = []
    for name, length in LENGTHS.items():
        values = np.array([length(trait) for trait in known.traits], dtype=np.float64)
        of_item: dict[int, str] = {}
        for tongue in np.unique(tongues):
            rows = np.flatnonzero(tongues == tongue)
            bins = bins_of(values[rows], 3)
            # Taken once: for every item, it would make the pass quadratic.
            last = int(bins.max())
            if last == 0:
                continue
            for row, number in zip(rows.tolist(), bins.tolist(), strict=True):
                item = known.traits[row].item
                if number in (0, last) and item in inside:
                    of_item[item] = LONG if number else SHORT
        lengths.append(Field(name=name, of_item=of_item, is_searched=True, is_subject=False))
    return lengths


def _contexts(known: _Known, inside: Collection[int]) -> Field:
    """Return the number of contexts, or few and many of them where there are more than MOST_COUNTS numbers."""
    counts = Counter(trait.contexts for trait in known.traits)
    if len(counts) <= MOST_COUNTS:
        of_count = {count: str(count) for count in counts}
    else:
        values = np.array([trait.contexts for trait in known.traits], dtype=np.float64)
        bins = bins_of(values, 3)
        last = int(bins.max())
        place = dict(zip(values.astype(int).tolist(), bins.tolist(), strict=True))
        of_count = {count: "few" if not place[count] else "many" for count in counts if place[count] in (0, last)}
    of_item = {
        trait.item: of_count[trait.contexts]
        for trait in known.traits
        if trait.contexts in of_count and trait.item in inside
    }
    return Field(name=CONTEXTS, of_item=of_item, is_searched=True, is_subject=False)


def _topics(store: Store, known: _Known, inside: Collection[int]) -> list[Field]:
    """Return the topic of each question that has one, a field for each level."""
    topics = topics_of(known.sample)
    of_item: list[dict[int, str]] = [{} for _ in topics.names]
    for block in store.traffic.traits.blocks() if topics.names else ():
        traits = [trait for trait in block if trait.item in inside]
        places = topics.place([trait.question for trait in traits]).tolist()
        for values, names, level in zip(of_item, topics.names, places, strict=True):
            values |= {trait.item: names[n] for trait, n in zip(traits, level, strict=True) if n != NONE}
    return [Field(name=TOPIC, of_item=values, is_searched=True, is_subject=True) for values in of_item]
