"""Compare word by word what a model calls supported, and keep the scores of the offline judge.

An answer may have talked a model into a good verdict; the offline judge compares words and cannot be talked to. Where it
strongly disagrees the answer is disputed, a stratum that annotators look at first.
"""

from __future__ import annotations

from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.scores.stage_scores import WORDS
from proxy.scoring import score_batch

BATCH_ITEMS = 50


def read_again(store: Store, rule: int, *, now: str) -> int:
    """Score by its words each current item that a model of the rule in this row supports; return how many were judged.

    Nothing is done where the rule reads no model's faithfulness. An item with an outcome is left alone, so a run that was
    stopped goes on where it was.
    """
    unread = store.scores.disputed.unread(rule)
    with ProgressCounter("comparing words", len(unread)) as progress:
        for start in range(0, len(unread), BATCH_ITEMS):
            items = store.traffic.items.read(unread[start : start + BATCH_ITEMS])
            outcomes = dict(zip(items, score_batch(list(items.values()), (WORDS,)), strict=True))
            with store.atomic():
                store.scores.keep(outcomes, now=now)
            progress.advance(len(items))
    return len(unread)
