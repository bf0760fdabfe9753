"""Find the measuring answers on which a version of a judge and the judge beside it differ most."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.analysis.judges.alignment import LabelledDraw, alignment_labels
from annotate.analysis.judges.corrections import is_right, reason_of, scores_of
from annotate.domain.alignment import Alignment
from annotate.store import Store
from proxy.evaluation.alignment import SHARE
from proxy.evaluation.candidates import JudgeKey
from proxy.records import Item, Judgement

# Chosen: a screen of them.
MOST_DIFFERING = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferingAnswer:
    """A measuring answer, the scores of both versions with their reasons, and what the experts say."""

    item: Item
    before: float
    after: float
    before_reason: str
    after_reason: str
    judgement: Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferingAnswers:
    """The measuring answers on which two versions differ.

    Attributes
    ----------
    scored
        How many measuring answers both have scored.
    closer, farther
        On how many of them the score of the later version is nearer to what the experts say, and on how many it is less near.
    shown
        Those on which they differ most, the first ones.
    """

    scored: int
    closer: int
    farther: int
    shown: tuple[DifferingAnswer, ...]


def differing_answers(store: Store, alignment: Alignment) -> DifferingAnswers:
    """Return the measuring answers on which this version and the judge beside it differ, those that differ most first."""
    share = store.scores.alignments.share(alignment.judge) or SHARE
    draws = alignment_labels(store, share).measuring
    before = scores_of(store, JudgeKey(judge=alignment.judge, signature=alignment.base), [draw.item for draw in draws])
    after = store.scores.trials.values(alignment.signature)
    both = [draw for draw in draws if draw.item in before and draw.item in after]
    gains = {draw.item: _nearness(draw, after[draw.item]) - _nearness(draw, before[draw.item]) for draw in both}
    moved = [draw for draw in both if gains[draw.item]]
    moved.sort(key=lambda draw: (-abs(gains[draw.item]), draw.item))
    first = [draw for draw in moved if not store.traffic.items.is_forgotten(draw.item)][:MOST_DIFFERING]
    items = store.traffic.items.read([draw.item for draw in first])
    reasons = store.scores.trials.reasons(alignment.signature)
    return DifferingAnswers(
        scored=len(both),
        closer=sum(gain > 0 for gain in gains.values()),
        farther=sum(gain < 0 for gain in gains.values()),
        shown=tuple(
            DifferingAnswer(
                item=items[draw.item],
                before=before[draw.item],
                after=after[draw.item],
                before_reason=reason_of(store, draw.item, alignment.base),
                after_reason=reasons.get(draw.item, ""),
                judgement=draw.judgement,
            )
            for draw in first
        ),
    )


def _nearness(draw: LabelledDraw, value: float) -> float:
    return -abs(value - is_right(draw))
