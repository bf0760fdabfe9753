"""Keep scores that came from elsewhere, each once: a second, different value under one signature is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from annotate.store import Store
from proxy.records import JudgeFailure, Score

Outcome: TypeAlias = Score | JudgeFailure
SAME = 1e-12


class KeptScore(NamedTuple):
    """The reason why a score cannot be kept, "" where it can, and whether it was new."""

    reason: str
    is_new: bool


def keep_scores(store: Store, scores: Sequence[Outcome], known: Mapping[str, int], now: str) -> list[KeptScore]:
    """Keep scores in their order, and return what became of each; call inside a transaction.

    `known` are the rows of the items, by their ids.
    """
    return [kept for run in _apart(scores) for kept in _keep(store, run, known, now)]


def _apart(scores: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """Yield stretches in which a judge says one thing of an item: what is said again is held against what was kept."""
    stretch, pairs = list[Outcome](), set[tuple[str, str, str]]()
    for score in scores:
        pair = (score.judge, score.signature, score.item_id)
        if pair in pairs:
            yield stretch
            stretch, pairs = [], set()
        stretch.append(score)
        pairs.add(pair)
    if stretch:
        yield stretch


def _keep(store: Store, scores: Sequence[Outcome], known: Mapping[str, int], now: str) -> list[KeptScore]:
    items: dict[tuple[str, str], list[int]] = {}
    for score in scores:
        if score.item_id in known:
            items.setdefault((score.judge, score.signature), []).append(known[score.item_id])
    judges = {identity: store.scores.judge_key(*identity) for identity in items}
    values = {judge: store.scores.values_among(items[identity], judge) for identity, judge in judges.items()}
    decided = {pair for identity, judge in judges.items() for pair in store.scores.done(items[identity], [judge])}
    results, new = list[KeptScore](), dict[int, list[Outcome]]()
    for score in scores:
        item = known.get(score.item_id)
        if item is None:
            results.append(KeptScore(f"there is no item {score.item_id}: ingest its traffic first", is_new=False))
            continue
        judge = judges[score.judge, score.signature]
        before, is_failure = values[judge].get(item), isinstance(score, JudgeFailure)
        if before is not None:
            results.append(KeptScore(_refused(score, before), is_new=False))
        elif is_failure and (judge, item) in decided:
            results.append(KeptScore("", is_new=False))
        else:
            if (judge, item) in decided:
                store.scores.forget_failure(item, judge)
            new.setdefault(item, []).append(score)
            results.append(KeptScore("", is_new=True))
    store.scores.keep(new, now=now)
    return results


def _refused(score: Outcome, before: float) -> str:
    """Return why a score is refused beside the one before it; "" where it says the same, or nothing."""
    if isinstance(score, JudgeFailure) or abs(before - score.value) < SAME:
        return ""
    return f"this signature has scored the item {before:g} before: give a new signature"
