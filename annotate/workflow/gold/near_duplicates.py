"""Find pairs of gold entries that ask nearly the same and how their references differ, and record the decision to keep both.

The comparison reads words, not meaning, and never decides; a pair that a person keeps is no doubt any more until one of its
references becomes another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.gold import GoldEntry, Overtaken
from annotate.domain.gold.conflicts import NearPair, near_entries
from annotate.store import Store
from annotate.store.gold import statistics
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError

KEPT_BESIDE = "kept beside"


class Seen(NamedTuple):
    """An entry by its id, with the revision that the annotator saw."""

    gold_id: str
    revision: int


def near(store: Store) -> list[NearPair]:
    """Return the pairs that nobody has decided to keep, conflicts first. Compares every question: seconds for thousands."""
    kept = store.gold.statistics.kept_pairs()
    pairs = near_entries(store.gold.entries(), store.gold.questions(), store.gold.conversations())
    return sorted(
        (pair for pair in pairs if frozenset((pair.first, pair.other)) not in kept),
        key=lambda pair: not pair.is_conflict,
    )


def keep_both(store: Store, pair: Sequence[Seen], actor: Actor, *, why: str | None = None) -> bool:
    """Note in the history of both entries that both stay; whether that was not said before.

    Overtaken where one has changed since it was seen.
    """
    actor.checked()
    ids = [entry.gold_id for entry in pair]
    with store.atomic(durable=True):
        if frozenset(ids) in store.gold.statistics.kept_pairs():
            return False
        entries = [_unchanged(store, seen) for seen in pair]
        for entry, other in zip(entries, reversed(ids), strict=True):
            words = f"{KEPT_BESIDE} {other}" + (f": {why}" if why else "")
            store.gold.write(entry, who=actor.who, why=words, now=actor.now)
        revisions = [current.revision for name in ids if (current := store.gold.get(name))]
        store.audit.events.append(
            statistics.KEPT_BOTH, {"gold_ids": ids, "revisions": revisions}, who=actor.who, now=actor.now
        )
    return True


def _unchanged(store: Store, seen: Seen) -> GoldEntry:
    """Return the entry, if it is still what was seen."""
    entry = store.gold.get(seen.gold_id)
    if entry is None:
        raise UsageError(f"there is no gold entry {seen.gold_id}: see `assay gold list`")
    if entry.revision != seen.revision:
        raise Overtaken(f"{seen.gold_id}: someone else has changed this one: reload, and look at it again")
    return entry
