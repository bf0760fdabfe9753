"""Find the measuring answers on which a version of a judge and the judge beside it differ most."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.analysis.aligned_judges.alignment import alignment_labels
from annotate.analysis.aligned_judges.corrections import FAR_OFF, distance, reason_of, scores_of
from annotate.domain.alignment import Alignment
from annotate.store import Store
from proxy.evaluation.alignment import SHARE
from proxy.evaluation.candidates import JudgeKey
from proxy.records import Item, Judgement

# Chosen: a screen of them; of scores that are shown alike none is listed.
MOST_DIFFERING, LEAST_DIFFERENCE = 20, 0.001


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
    gained, lost
        On how many of them the later version is on the experts' half of the scale and the earlier one is not, and the other way.
    shown
        Those on which they differ most, the first ones.
    """

    scored: int
    gained: int
    lost: int
    shown: tuple[DifferingAnswer, ...]


def differing_answers(store: Store, alignment: Alignment) -> DifferingAnswers:
    """Return the measuring answers on which this version and the judge beside it differ, those that differ most first."""
    share = store.scores.alignments.share(alignment.judge) or SHARE
    draws = alignment_labels(store, share).measuring
    before = scores_of(store, JudgeKey(judge=alignment.judge, signature=alignment.base), [draw.item for draw in draws])
    trial = store.scores.trials.scores(alignment.signature)
    after = {item: score.value for item, score in trial.items()}
    both = [draw for draw in draws if draw.item in before and draw.item in after]
    agree = [
        tuple(distance(alignment.judge, values[draw.item], draw) <= FAR_OFF for values in (before, after))
        for draw in both
    ]
    moved = [draw for draw in both if abs(after[draw.item] - before[draw.item]) >= LEAST_DIFFERENCE]
    moved.sort(key=lambda draw: (-abs(after[draw.item] - before[draw.item]), draw.item))
    first = moved[:MOST_DIFFERING]
    items = store.traffic.items.read([draw.item for draw in first])
    return DifferingAnswers(
        scored=len(both),
        gained=sum(is_after and not is_before for is_before, is_after in agree),
        lost=sum(is_before and not is_after for is_before, is_after in agree),
        shown=tuple(
            DifferingAnswer(
                item=items[draw.item],
                before=before[draw.item],
                after=after[draw.item],
                before_reason=reason_of(store, draw.item, alignment.base),
                after_reason=trial[draw.item].reason,
                judgement=draw.judgement,
            )
            for draw in first
        ),
    )
