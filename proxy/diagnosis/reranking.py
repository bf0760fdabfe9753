"""Detect whether relevance was lost between the list before reranking and the passages that the answer was given.

Report whether a relevant passage was dropped and at which rank it stood. Ids decide where they are known; else one
judge reads both lists, the same number of passages of each, because a longer list holds more words whatever it is
about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from proxy.judges.base import Judge
from proxy.records import Context, Item, Score


class Lost(NamedTuple):
    """Whether relevance was lost in reranking; None where that cannot be known.

    `rank` (from 1) is where the first relevant passage stood in the list before. `by_ids` says that known ids decided;
    `was_kept` that a passage known to be relevant is among those the answer was given.
    """

    is_lost: bool | None
    rank: int | None = None
    by_ids: bool = False
    was_kept: bool = False


def lost(item: Item, retrieved: Sequence[Context], relevant: Collection[str], judge: Judge, threshold: float) -> Lost:
    """Compare relevance before and after reranking; `retrieved` is the list before, `relevant` are ids or texts."""
    if relevant and (decided := _by_ids(item, retrieved, relevant)) is not None:
        return decided
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
    is_lost = kept.value > threshold and not (isinstance(after, Score) and after.value > threshold)
    return Lost(is_lost, best[0] + 1 if is_lost else None)


def _by_ids(item: Item, retrieved: Sequence[Context], relevant: Collection[str]) -> Lost | None:
    """Decide by the ids alone; a passage that lost its id is known by its text. None where one without an id may be meant."""
    ids = {context.text: context.id for context in retrieved if context.id is not None and context.text}
    was_kept = any(_names(context, ids) & set(relevant) for context in item.contexts)
    ranks = [rank for rank, context in enumerate(retrieved, start=1) if _names(context, ids) & set(relevant)]
    if not ranks and not was_kept and any(context.id is None for context in retrieved or item.contexts):
        return None
    if not retrieved:
        return Lost(None, by_ids=True, was_kept=was_kept)
    return Lost(bool(ranks) and not was_kept, ranks[0] if ranks else None, by_ids=True, was_kept=was_kept)


def _names(context: Context, ids: Mapping[str, str]) -> set[str]:
    return {name for name in (context.id, context.text, ids.get(context.text)) if name}
