"""Was relevance lost between the list before reranking and the passages that the answer was given?

In come an item, the list, and the ids that are known to be relevant where there are any; out comes whether a relevant passage
was dropped and at which rank it stood. The rule: ids decide where they are known; else one judge reads both lists, as many
passages of each, for a longer list holds more words whatever it is about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from proxy.judges.base import Judge
from proxy.records import Context, Item, Score


class Lost(NamedTuple):
    """Whether relevance was lost in reranking, None where nobody can tell.

    `rank` (from 1) is where the first relevant passage stood in the list before. `by_ids` says that known ids decided;
    `was_kept` that a passage known to be relevant is among those the answer was given.
    """

    is_lost: bool | None
    rank: int | None = None
    by_ids: bool = False
    was_kept: bool = False


def lost(item: Item, retrieved: Sequence[Context], relevant: Collection[str], judge: Judge, cut: float) -> Lost:
    """What became of the relevant passages of `retrieved`, the list before reranking; `relevant` are ids or texts."""
    if relevant and (found := _by_ids(item, retrieved, relevant)) is not None:
        return found
    if not retrieved:
        return Lost(None)
    before, after = judge.judge(replace(item, contexts=tuple(retrieved))), judge.judge(item)
    if not isinstance(before, Score) or (item.contexts and not isinstance(after, Score)):
        return Lost(None)
    values = [value or 0.0 for value in before.passages] or [before.value] * len(retrieved)
    best = sorted(range(len(retrieved)), key=lambda place: (-values[place], place))[: max(1, len(item.contexts))]
    kept = judge.judge(replace(item, contexts=tuple(retrieved[place] for place in sorted(best))))
    if not isinstance(kept, Score):
        return Lost(None)
    is_lost = kept.value > cut and not (isinstance(after, Score) and after.value > cut)
    return Lost(is_lost, best[0] + 1 if is_lost else None)


def _by_ids(item: Item, retrieved: Sequence[Context], relevant: Collection[str]) -> Lost | None:
    """By the ids alone; a passage that lost its id on the way is known by its text. None where one without an id may be meant."""
    ids = {one.text: one.id for one in retrieved if one.id is not None and one.text}
    was_kept = any(_names(one, ids) & set(relevant) for one in item.contexts)
    ranks = [rank for rank, one in enumerate(retrieved, start=1) if _names(one, ids) & set(relevant)]
    if not ranks and not was_kept and any(one.id is None for one in retrieved or item.contexts):
        return None
    if not retrieved:
        return Lost(None, by_ids=True, was_kept=was_kept)
    return Lost(bool(ranks) and not was_kept, ranks[0] if ranks else None, by_ids=True, was_kept=was_kept)


def _names(one: Context, ids: Mapping[str, str]) -> set[str]:
    return {name for name in (one.id, one.text, ids.get(one.text)) if name}
