"""Keep a score that came from elsewhere, once: a second, different value under one signature is refused."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.store import Store
from proxy.records import JudgeFailure, Score


def keep_score(store: Store, score: Score | JudgeFailure, known: Mapping[str, int], now: str) -> tuple[str, bool]:
    """Keep a score; return the reason why it cannot be kept or "", and whether it was new."""
    item = known.get(score.item_id)
    if item is None:
        return f"there is no item {score.item_id}: ingest its traffic first", False
    judge = store.scores.judge_key(score.judge, score.signature)
    before = store.scores.value(item, judge)
    if before is not None:
        same = isinstance(score, JudgeFailure) or abs(before - score.value) < 1e-12
        return ("" if same else f"this signature has scored the item {before:g} before: give a new signature"), False
    if (judge, item) in store.scores.done([item], [judge]):
        if isinstance(score, JudgeFailure):
            return "", False
        store.scores.forget_failure(item, judge)
    store.scores.keep({item: [score]}, now=now)
    return "", True
