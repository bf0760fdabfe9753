"""Find the answers on which a judge and the experts differ, among those whose labels may teach it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis.aligned_judges.alignment import DecidedDraw, oriented
from annotate.store import Store
from proxy.evaluation.candidates import JudgeKey
from proxy.records import Item, Judgement, Label

# Chosen: a score is on the other half of the scale than the label.
FAR_OFF = 0.5
# Chosen: a screen of them; a model is shown fewer.
MOST_SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedAnswer:
    """A labelled answer, what a judge says of it, and what the experts say; texts are "" where nobody gave a reason."""

    item: Item
    value: float
    reason: str
    judgement: Judgement
    rationale: str
    causes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedAnswers:
    """The answers on which a judge and the experts differ.

    Attributes
    ----------
    signature
        The judge that gave the scores; None where none of these answers has one.
    scored
        How many of the labelled answers it scored.
    count
        On how many it and the experts differ by more than FAR_OFF.
    shown
        The first of them: those with a reason of the experts, then those that differ most.
    """

    signature: str | None
    scored: int
    count: int
    shown: tuple[CorrectedAnswer, ...]


def corrected_answers(
    store: Store, judge: str, signatures: Sequence[str], draws: Sequence[DecidedDraw]
) -> CorrectedAnswers:
    """Return the answers on which the experts correct the first of these versions that has scored any of them."""
    for signature in signatures:
        values = scores_of(store, JudgeKey(judge=judge, signature=signature), [draw.item for draw in draws])
        if values:
            return _corrected(store, JudgeKey(judge=judge, signature=signature), draws, values)
    return CorrectedAnswers(signature=None, scored=0, count=0, shown=())


def scores_of(store: Store, judge: JudgeKey, items: list[int]) -> dict[int, float]:
    """Return the scores that a judge gave these items in the traffic."""
    key = store.scores.known_keys([(judge.judge, judge.signature)])[judge.judge, judge.signature]
    return store.scores.values_among(items, key)


def _corrected(
    store: Store, judge: JudgeKey, draws: Sequence[DecidedDraw], values: Mapping[int, float]
) -> CorrectedAnswers:
    labels = store.labels.that_count()
    distances = {draw.item: distance(judge.judge, values[draw.item], draw) for draw in draws if draw.item in values}
    far = [draw for draw in draws if distances.get(draw.item, 0.0) > FAR_OFF]
    far.sort(key=lambda draw: (not _has_reason(labels.get(draw.item)), -distances[draw.item], draw.item))
    first = far[:MOST_SHOWN]
    items = store.traffic.items.read([draw.item for draw in first])
    shown = tuple(
        _answer(
            items[draw.item],
            draw,
            values[draw.item],
            reason_of(store, draw.item, judge.signature),
            labels.get(draw.item),
        )
        for draw in first
    )
    return CorrectedAnswers(signature=judge.signature, scored=len(distances), count=len(far), shown=shown)


def _answer(item: Item, draw: DecidedDraw, value: float, reason: str, label: Label | None) -> CorrectedAnswer:
    return CorrectedAnswer(
        item=item,
        value=value,
        reason=reason,
        judgement=draw.judgement,
        rationale=(label.rationale or "") if label else "",
        causes=tuple(label.causes) if label else (),
    )


def reason_of(store: Store, item: int, signature: str) -> str:
    """Return what a judge said of an item in the traffic; "" where it said nothing."""
    return next((reason for *_, reason in store.scores.of_item(item, [signature])), "")


def distance(judge: str, value: float, draw: DecidedDraw) -> float:
    """Return how far a score is from the label, from 0 to 1; of judges whose 1 is bad that of 1 - score."""
    return abs((oriented(judge, value) or 0.0) - float(draw.judgement is Judgement.RIGHT))


def _has_reason(label: Label | None) -> bool:
    return label is not None and bool(label.rationale or label.causes)
